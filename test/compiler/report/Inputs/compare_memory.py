"""compare_memory.py EXPLAIN.TXT INFO.JSON: the plan that was told and the program's."""
import json
import sys

text = open(sys.argv[1]).read()
memory = text[text.index("memory of a rank"):]
info = json.load(open(sys.argv[2]))["targets"][0]["memory"]
told = {}
for line in memory.splitlines():
    words = line.split()
    if len(words) > 3 and words[-2].isdigit():
        told[words[0]] = (int(words[-2]), int(words[-1].replace(",", "")))
planned = {category["category"]: (category["copies"], category["bytes"])
           for category in info["categories"]}
total = next(line for line in memory.splitlines() if line.startswith("  total"))
if told != planned or int(total.split()[1].replace(",", "")) != info["total_bytes"]:
    sys.exit(f"{told}\n{planned}\n{total}\n{info['total_bytes']}")
print(f"{len(told)} categories agree")
