#!/usr/bin/env bash
# schema.sh: every shipped JSON file is what the schema of its folder says, and each schema refuses a
# file with a member that it does not know.
# shellcheck source=tests/ci/setup.sh
source "$(dirname "$(readlink -f "$0")")/setup.sh"

/usr/bin/python3 - <<'PYTHON'
import glob, json, sys
import jsonschema

folders = {"models": "model", "data/devices": "device", "data/clusters": "cluster",
           "data/published": "published", "tests/data/calibration": "samples",
           "tests/data/profiles": "profile", "data/profiles": "profile",
           "data/samples/*-cores": "samples", "data/results": "results", "tests/data/results": "results",
           "tests/data/campaigns": "campaign", "data/results/campaigns": "campaign",
           "tests/data/runs": "run"}
# Where nothing lies before a machine was measured.
may_be_empty = {"data/results/campaigns"}
bad = 0
for folder, name in folders.items():
    with open(f"data/schema/{name}.schema.json") as file:
        schema = json.load(file)
    validator = jsonschema.Draft202012Validator(schema)
    validator.check_schema(schema)
    files = sorted(glob.glob(f"{folder}/*.json"))
    for path in files:
        with open(path) as file:
            value = json.load(file)
        for error in validator.iter_errors(value):
            bad += 1
            print(f"{path}:/{'/'.join(map(str, error.absolute_path))}: {error.message}")
    if files:
        value["no such member"] = 1
    if files and validator.is_valid(value):
        bad += 1
        print(f"data/schema/{name}.schema.json lets an unknown member pass")
    print(f"{folder}: {len(files)} files")
    if not files and folder not in may_be_empty:
        bad += 1
sys.exit(1 if bad else 0)
PYTHON
