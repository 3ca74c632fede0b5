"""validate.py SOURCE FILES...: the examples and FILES against docs/model.schema.json."""
import json
import pathlib
import sys

import jsonschema

source = pathlib.Path(sys.argv[1])
schema = json.loads((source / "docs/model.schema.json").read_text())
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)
files = sorted(source.glob("examples/*/model.json")) + sys.argv[2:]
for file in files:
    model = json.loads(pathlib.Path(file).read_text())
    for error in validator.iter_errors(model):
        sys.exit(f"{file}: {error.json_path}: {error.message}")
    # One that cannot be valid: a validator that accepts everything shows here.
    if validator.is_valid({**model, "surely_unknown": 1}):
        sys.exit(f"{file}: an unknown key is valid")
print(f"{len(files)} files validate")
