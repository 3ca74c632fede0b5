"""first_json.py FILE: prints the first block of JSON in a Markdown page."""
import re
import sys

print(re.search(r"```json\n(.*?)```", open(sys.argv[1]).read(), re.DOTALL)[1])
