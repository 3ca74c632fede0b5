"""edit-tuning.py FILE HOW: changes a tuning file in one way."""
import json
import sys

path, how = sys.argv[1:]
with open(path) as file:
    tuning = json.load(file)
choices = tuning["choices"]
if how == "other":  # what computes each product: another candidate
    for choice in choices:
        choice["choice"] = next(name for name in choice["microseconds"]
                                if name != "library")
elif how == "foreign-cpu":
    for choice in choices:
        choice["cpu"] = "i486"
elif how == "foreign-threads":
    choices[0]["threads"] += 1
elif how == "unknown-candidate":
    choices[0]["choice"] = "magic"
elif how == "unknown-key":
    choices[0]["cpus"] = choices[0].pop("cpu")
elif how == "wrong-type":
    choices[0]["threads"] = "one"
elif how == "wrong-time":
    choices[0]["microseconds"]["library"] = None
elif how == "twice":
    choices.append(choices[0])
elif how == "format":
    tuning["format"] = 2
elif how == "list":
    tuning = choices
elif how == "no-list":
    tuning["choices"] = 5
else:
    sys.exit(f"what is '{how}'?")
with open(path, "w") as file:
    json.dump(tuning, file, indent=2)
