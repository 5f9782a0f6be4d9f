#include <array>
#include <string_view>

#include "oracle/cli/commands/rows.h"
#include "oracle/cli/request.h"

namespace oracle::cli {
namespace {

constexpr std::array<std::string_view, 1> kWords = {"MODEL"};
constexpr std::array<std::string_view, 3> kExamples = {
    "validate resnet50 --strategy data:2 --batch 16 --steps 20",
    "validate vgg16 --strategy filter:2 --batch 4 --by layer",
    "validate alexnet --strategy \"conv*=data:2; fc*=filter:2\" --batch 8 --check --out run.json"};
constexpr std::array<Option, 20> kOwn = {{
    {"strategy", "STRATEGY",
     "mesh axes: \"data:2\", \"data:2,filter:2\" (see: oracle list strategies)", true},
    {"gpus", "N", "how many ranks; fills an axis without a degree, as in \"data,filter:2\""},
    {"cluster", "NAME", "what the prediction and the plan are made for (here: this machine)"},
    {"device", "cpu|gpu", "what trains (cpu); of a GPU, name its --cluster"},
    {"ranks-per-gpu", "N", "ranks that share a GPU; they meet through sockets"},
    {"mps", "auto|always|never", "CUDA MPS gives them a part of it each (auto: where it starts)"},
    {"steps", "N", "training steps (10)"},
    {"warmup", "N", "steps that are not timed (1)"},
    {"rate", "R", "learning rate (0.01)"},
    {"rate-warmup", "N", "steps in which it rises to that (0)"},
    {"seed", "S", "of weights, data and dropout (1)"},
    {"data", "PATH", "images to train on: class folders, or WebDataset tars (a generated set)"},
    {"workers", "N", "threads of each rank that read images ahead (1)"},
    {"storage", "NAME", "where checkpoints go, to predict their time (see: oracle list storage)"},
    {"check", "", "train serially too and compare loss and gradients"},
    {"noise-scale", "", "measure the noise scale of gradients, which tells the critical batch"},
    {"graph", "",
     "replay steps after the warm-up from a recording (CUDA graph); one rank on a GPU"},
    {"watchdog", "SECONDS", "how long a rank may make no progress (60)"},
    {"out", "FILE", "keep what the run leaves, for oracle compare"},
    {"by", "layer|transfer", "break the step down"},
}};
constinit const std::array<OptionGroup, 5> kGroups = {{{"what", kOwn},
                                                       {"checkpoints", kCheckpointOptions},
                                                       {"training", kTrainingOptions},
                                                       {"network", kModelOptions},
                                                       {"output", kOutputOptions}}};

}  // namespace

constinit const Command kValidateCommand = {
    .name = "validate",
    .words = kWords,
    .text = "trains with the plan that was priced, and compares it with the prediction",
    .examples = kExamples,
    .groups = kGroups,
    .answer = nullptr,
    .carried_out_by = "oracle-train"};

}  // namespace oracle::cli
