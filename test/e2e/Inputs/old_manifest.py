"""Makes a checkpoint one of manifest version 1: no cursor, no recipe, no choices.

  old_manifest.py CHECKPOINT [KEY=NUMBER]...
"""
import hashlib
import json
import pathlib
import sys

path = pathlib.Path(sys.argv[1], "manifest.json")
manifest = json.loads(path.read_text())
for key in ("samples", "ranks", "micro_batches", "recipe", "choices", "checksum"):
    manifest.pop(key, None)
manifest["version"] = 1
for setting in sys.argv[2:]:
    key, number = setting.split("=")
    manifest[key] = int(number)
text = json.dumps(manifest, sort_keys=True, separators=(",", ":"))
manifest["checksum"] = hashlib.sha256(text.encode()).hexdigest()
path.write_text(json.dumps(manifest))
