#!/usr/bin/env bash
# schema.sh: every shipped JSON file is what the schema of its folder says, and each schema refuses a
# file with a member that it does not know. So is every answer of the commands, where they are built.
# shellcheck source=tests/ci/setup.sh
source "$(dirname "$(readlink -f "$0")")/setup.sh"

/usr/bin/python3 - <<'PYTHON'
import glob, json, os, subprocess, sys, tempfile
import jsonschema

folders = {"models": "model", "data/devices": "device", "data/clusters": "cluster",
           "data/published": "published", "data/published/collectives": "published_collectives",
           "data/published/kernels": "published_kernels", "data/frameworks": "framework",
           "data/datasets": "dataset", "data/convergence": "convergence", "data/prices": "prices", "data/storage": "storage",
           "tests/data/calibration": "samples",
           "tests/data/profiles": "profile", "data/profiles": "profile",
           "data/samples/*-cores": "samples", "data/results": "results", "tests/data/results": "results",
           "tests/data/campaigns": "campaign", "data/results/campaigns": "campaign",
           "tests/data/runs": "run", "tests/data/torch": "model"}
# Where nothing lies before a machine was measured.
may_be_empty = {"data/results/campaigns"}
bad = 0
for folder, name in folders.items():
    with open(f"data/schema/{name}.schema.json") as file:
        schema = json.load(file)
    validator = jsonschema.Draft202012Validator(schema)
    validator.check_schema(schema)
    files = sorted(glob.glob(f"{folder}/*.json"))
    if folder == "models":  # but for those in the form of Hugging Face
        files = [path for path in files if '"model_type"' not in open(path).read()]
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

answers = """
plan alexnet --cluster abci --gpus 8
plan vgg16 --cluster abci --gpus 8 --per-layer
plan cosmoflow_512 --cluster abci --gpus 1
plan resnet50 --cluster abci --gpus 8 --pareto --tune
plan resnet50 --cluster abci --gpus 8 --objective cost --samples 1281167 --epochs 90 --price 2.5USD/h
estimate resnet50 --cluster abci --strategy data:2,pipeline:4 --batch 256 --timeline --explain
job tests/data/jobs/megatron.log --cluster 8xrtx4090 --explain
job tests/data/jobs/torchtitan.log --cluster 1x8xh100-sxm5-96gb
plan gpt2 --cluster dgx-a100 --gpus 8 --batch 64 --precision bf16 --optimizer adam --framework megatron --launch
estimate resnet50 --cluster abci --strategy filter:4096 --batch 256
scale resnet50 --cluster abci --gpus 1..16
budget resnet50 --cluster dgx-1-v100 --gpus 8,16 --price lambda --deadline 1h
budget resnet50 --cluster dgx-1-v100 --gpus 8,16 --mtbf 8h --checkpoint-rate 1GB/s
budget resnet50 --cluster dgx-1-v100 --gpus 8,16 --storage nfs --mtbf 8h --checkpoint-mode asynchronous
estimate resnet50 --cluster dgx-1-v100 --strategy data:16 --storage nfs --dataset imagenet --workers 8
budget alexnet --cluster here --gpus 1 --dataset imagenet --epochs 90 --batch 64
budget cosmoflow_512 --cluster abci --gpus 1 --samples 100 --epochs 1
budget vgg16 --cluster cloud-10gbe --gpus 1..4 --dataset imagenet --epochs 90 --critical-batch 9000
trials resnet50 --cluster dgx-a100 --gpus 32 --trials 64 --scheduler asha --batch 256 --dataset imagenet --epochs 90
trials cosmoflow_512 --cluster abci --gpus 2 --trials 4 --batch 2 --samples 100 --epochs 1 --price 2USD/h
list models
list frameworks
list devices
list clusters
list datasets
list storage
list targets
list prices
list strategies
list collectives
accuracy
accuracy --fit
accuracy --samples tests/data/torch-cpu --cluster here
compare tests/data/profiles/xeon-first.json tests/data/profiles/xeon-again.json
compare tests/data/traces/prediction.json tests/data/traces/torch-2.3.json
compare tests/data/traces/prediction.json tests/data/traces/torch-1.8.json
compare tests/data/runs/emulated_gpu.json tests/data/runs/emulated_gpu.json
calibrate --from tests/data/calibration/samples.json -o {scratch}/profile.json
new cluster {scratch}/cluster.json
inspect
"""
oracle = "build/bin/oracle"
answered = 0
if os.access(oracle, os.X_OK):
    with open("data/schema/answer.schema.json") as file:
        validator = jsonschema.Draft202012Validator(json.load(file))
    with tempfile.TemporaryDirectory() as scratch:
        for line in answers.strip().splitlines():
            words = line.format(scratch=scratch).split()
            run = subprocess.run([oracle, *words, "--format", "json"], capture_output=True, text=True,
                                 env={**os.environ, "ORACLE_DATA": os.getcwd()})
            value = json.loads(run.stdout) if run.stdout else {"answered": run.stderr}
            kind = value.get("schema", "").removeprefix("oracle/").split("/")[0].replace("-", "_")
            of_kind = validator.evolve(schema={**validator.schema, "oneOf": [{"$ref": f"#/$defs/{kind}"}]})
            for error in of_kind.iter_errors(value):
                bad += 1
                cause = jsonschema.exceptions.best_match([error])
                print(f"oracle {line}: /{'/'.join(map(str, cause.absolute_path))}: {cause.message[:300]}")
            value["no such member"] = 1
            if validator.is_valid(value):
                bad += 1
                print(f"oracle {line}: an unknown member passes")
            answered += 1
print(f"answers: {answered}")
sys.exit(1 if bad else 0)
PYTHON
