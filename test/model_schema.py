"""docs/model.schema.json, as the tests walk through it."""

import json
import pathlib


def text(source):
    """The schema of the folder SOURCE as it is written."""
    return pathlib.Path(source, "docs/model.schema.json").read_text(encoding="utf-8")


def load(source):
    """The schema of the folder SOURCE, each reference replaced by what it refers to. Keys next
    to a reference stay: descriptions and defaults. A definition that refers to itself becomes
    an object that contains itself."""
    schema = json.loads(text(source))
    definitions = schema.pop("$defs")
    expanded = {}

    def expand(value):
        if isinstance(value, list):
            return [expand(item) for item in value]
        if not isinstance(value, dict):
            return value
        keys = {key: expand(item) for key, item in value.items() if key != "$ref"}
        if "$ref" not in value:
            return keys
        name = value["$ref"].removeprefix("#/$defs/")
        if name not in expanded:
            expanded[name] = {}
            expanded[name].update(expand(definitions[name]))
        return {**expanded[name], **keys} if keys else expanded[name]

    return expand(schema)
