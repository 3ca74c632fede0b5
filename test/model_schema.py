"""docs/model.schema.json, as the tests walk through it."""

import json
import pathlib


def load(source):
    """The schema of the folder SOURCE, each reference replaced by what it refers to. Keys next
    to a reference stay: descriptions and defaults."""
    schema = json.loads(pathlib.Path(source, "docs/model.schema.json").read_text(encoding="utf-8"))
    definitions = schema.pop("$defs")

    def expand(value):
        if isinstance(value, list):
            return [expand(item) for item in value]
        if not isinstance(value, dict):
            return value
        keys = {key: expand(item) for key, item in value.items() if key != "$ref"}
        if "$ref" not in value:
            return keys
        name = value["$ref"].removeprefix("#/$defs/")
        return {**expand(definitions[name]), **keys}

    return expand(schema)
