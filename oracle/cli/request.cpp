#include "oracle/cli/request.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "oracle/cli/machine_options.h"
#include "oracle/cli/measured_runs.h"
#include "oracle/cost/collectives/algorithm.h"
#include "oracle/io/budget/data_set_reader.h"
#include "oracle/io/clusters/cluster_reader.h"
#include "oracle/io/data_path.h"
#include "oracle/io/frameworks/framework_reader.h"
#include "oracle/search/scale.h"

namespace oracle::cli {
namespace {

constexpr std::size_t kMostCounts = 64;
constexpr double kMostSeconds = 1e6;
constexpr std::int64_t kMostSamples = 1'000'000'000'000;
constexpr std::int64_t kMostSequence = 1 << 26;
constexpr std::int64_t kMostEpochs = 1'000'000;

/// Doubling from `first` up to `last`.
void append_range(std::int64_t first, std::int64_t last, std::vector<std::int64_t>& counts) {
  if (first > last) {
    throw QuantityError("the range ends before it begins", "write it as \"1..1024\"");
  }
  for (std::int64_t count = first; count <= last; count *= 2) counts.push_back(count);
}

void append_part(std::string_view part, std::vector<std::int64_t>& counts) {
  const std::size_t dots = part.find("..");
  const std::int64_t first = parse_count(part.substr(0, dots), 1, kMaxRanks);
  const std::int64_t last =
      dots == std::string_view::npos ? first : parse_count(part.substr(dots + 2), 1, kMaxRanks);
  append_range(first, last, counts);
}

}  // namespace

constinit const std::array<Option, 4> kOutputOptions =
    output_options("table|json|csv", "format of the answer (table)");

constinit const std::array<Option, 7> kModelOptions = {{
    {"input", "CxHxW", "channels and sizes of a sample: 3x224x224, 4x128x128x128"},
    {"classes", "N", "outputs of the classifier"},
    {"sequence", "N", "tokens of a text (what the network is made for, 2048 at most)"},
    {"skip-unknown", "", "price operators of an ONNX file that are not known by their bytes"},
    {"trained-output", "NAME", "of an ONNX file with several outputs, the one that is trained"},
    {"lora", "RANK[:LAYERS]",
     "train adapters of this rank alone, of the linear layers whose names match (all)"},
    {"train", "LAYERS", "train the layers whose names match, and leave the others as they are"},
}};

constinit const std::array<Option, 4> kTrainingOptions = {{
    {"batch", "B", "samples per step, over all GPUs"},
    {"batch-per-gpu", "b", "samples per step and GPU (32; of budget the best)"},
    {"precision", "fp32|tf32|fp16|bf16|fp8|fp8_block|mxfp8|fp4",
     "number format (fp32); of 8 bits and fewer that of linear products, next to bf16"},
    {"optimizer", "sgd|momentum|adam|adam_bf16|adam8bit",
     "what updates the weights (momentum); adamw is priced as adam; fused_adam is one kernel"},
}};

constinit const std::array<Option, 4> kCheckpointOptions = {{
    {"checkpoint", "FOLDER", "for checkpoints, one behind the last step"},
    {"checkpoint-every", "N", "and one behind every N steps"},
    {"checkpoint-mode", "synchronous|asynchronous",
     "training waits for the medium, or for a copy in memory only (synchronous)"},
    {"resume", "FOLDER", "go on from the newest whole checkpoint of a folder"},
}};

constinit const std::array<Option, 7> kFrameworkOptions = {{
    {"framework", "NAME",
     "what runs the kernels (see: oracle list frameworks); pytorch on GPUs, oracle-train where a "
     "profile holds measured kernels"},
    {"gradients", "fp32|bf16|fp16", "format in which gradients are added up and kept"},
    {"reduce", "fp32|bf16|fp16", "format in which they travel (as they are kept)"},
    {"master", "fp32|fp32+gradients|bf16|none",
     "copy of 16-bit weights that the optimizer updates, and of their gradients"},
    {"frozen", "8bit|4bit",
     "format of linear layers' weights that --lora or --train leaves as they are (16 bits)"},
    {"graph", "", "steps are recorded as a CUDA graph and replayed: the host launches no kernel"},
    kMeasuredOption,
}};

constinit const std::array<Option, 4> kRunOptions = {{
    {"dataset", "NAME", "a data set (see: oracle list datasets) or its file: time of an epoch"},
    {"samples", "N", "of the data set, in place of its name: time and GPU-hours of an epoch"},
    {"epochs", "N", "of the data set, in place of one"},
    {"tokens", "N", "of all texts that are trained on: 15T, 300G"},
}};

std::optional<std::int64_t> read_count(const Arguments& arguments, std::string_view option,
                                       std::int64_t most, ProblemList& problems) {
  const std::string* text = arguments.find(option);
  if (!text) return std::nullopt;
  return problems.attempt("--" + std::string(option), [&] { return parse_count(*text, 1, most); });
}

std::optional<double> read_positive(const Arguments& arguments, std::string_view option,
                                    std::string_view example, ProblemList& problems) {
  const std::string* text = arguments.find(option);
  if (!text) return std::nullopt;
  double value = 0;
  const char* end = text->data() + text->size();
  const auto [read, error] = std::from_chars(text->data(), end, value);
  if (error == std::errc{} && read == end && std::isfinite(value) && value > 0) return value;
  problems.add("--" + std::string(option), in_quotes(*text) + " is not a number above 0",
               "write one such as " + std::string(example));
  return std::nullopt;
}

std::optional<double> read_seconds(const Arguments& arguments, std::string_view option,
                                   ProblemList& problems) {
  const auto seconds = read_positive(arguments, option, "60", problems);
  if (!seconds || (*seconds >= 1 && *seconds <= kMostSeconds)) return seconds;
  problems.add("--" + std::string(option), "is not between 1 and a million seconds",
               "write one such as 60");
  return std::nullopt;
}

ModelOverrides read_overrides(const Arguments& arguments, ProblemList& problems) {
  ModelOverrides overrides;
  overrides.skip_unknown = arguments.has("skip-unknown");
  if (const std::string* name = arguments.find("trained-output")) overrides.output = *name;
  if (const std::string* lora = arguments.find("lora")) overrides.lora = *lora;
  if (const std::string* layers = arguments.find("train")) overrides.train = *layers;
  overrides.classes = read_count(arguments, "classes", kMostBatch, problems);
  overrides.sequence = read_count(arguments, "sequence", kMostSequence, problems);
  if (const std::string* input = arguments.find("input")) {
    overrides.input = problems.attempt("--input", [&] { return parse_input_shape(*input); });
  }
  return overrides;
}

std::optional<Graph> read_graph(const Arguments& arguments, std::size_t index,
                                ProblemList& problems) {
  const ModelOverrides overrides = read_overrides(arguments, problems);
  return problems.attempt("model", [&] { return load_model(arguments.word(index), overrides); });
}

std::optional<Cluster> read_cluster_option(const Arguments& arguments, ProblemList& problems) {
  auto cluster =
      problems.attempt("--cluster", [&] { return load_cluster(arguments.text("cluster", "")); });
  if (cluster) change_machine(arguments, *cluster, problems);
  return cluster;
}

std::optional<report::WholeRun> read_run(const Arguments& arguments, const Graph& graph,
                                         ProblemList& problems) {
  auto samples = read_count(arguments, "samples", kMostSamples, problems);
  const auto epochs = read_count(arguments, "epochs", kMostEpochs, problems);
  const std::int64_t length = graph[0].output[Axis::sequence];
  if (arguments.has("epochs") && !arguments.has("samples") && !arguments.has("dataset")) {
    problems.add("--epochs", "of what?", "give --dataset, or --samples, the size of the data set");
  }
  if (const std::string* name = arguments.find("dataset")) {
    if (samples) problems.add("--samples", "contradicts --dataset", "give one of the two");
    const auto data = problems.attempt("--dataset", [&] { return load_data_set(*name); });
    if (data && data->samples == 0 && length == 1) {
      problems.add("--dataset", in_quotes(*name) + " is a text, and the network reads none",
                   "give a data set with samples (see: oracle list datasets)");
    }
    if (data) samples = data->samples_of(length);
  }
  if (const std::string* text = arguments.find("tokens")) {
    const auto tokens = problems.attempt("--tokens", [&] { return parse_large_count(*text); });
    if (length == 1) {
      problems.add("--tokens", "the network reads no text", "give --samples");
    } else if (samples) {
      problems.add("--tokens",
                   arguments.has("dataset") ? "contradicts --dataset" : "contradicts --samples",
                   "give one of the two");
    }
    if (tokens) samples = (*tokens + length - 1) / length;
  }
  if (!samples) return std::nullopt;
  return report::WholeRun{*samples, epochs.value_or(1)};
}

Training read_training(const Arguments& arguments, ProblemList& problems) {
  Training training;
  const auto precision = problems.attempt(
      "--precision", [&] { return precision_named(arguments.text("precision", "fp32")); });
  const auto optimizer = problems.attempt(
      "--optimizer", [&] { return optimizer_named(arguments.text("optimizer", "momentum")); });
  if (precision) training.precision = *precision;
  if (optimizer) training.optimizer = *optimizer;
  for (const StateOption& option : all_state_options()) {
    const std::string* value = arguments.find(option.name);
    if (value == nullptr) continue;
    problems.attempt("--" + std::string(option.name), [&] {
      option.read(*value, training.state);
      return true;
    });
  }
  return training;
}

void require_format(const Training& training, const Cluster& cluster) {
  const DataType type = training.precision.compute;
  const bool is_offered = cluster.device.peak_of(type).value > 0;
  if (is_offered || training.precision.narrow.bits == 0) return;
  std::string known;
  for (const std::string& name : names_in("data/devices")) {
    if (load_device(name).peak_of(type).value <= 0) continue;
    known += (known.empty() ? "" : ", ") + name;
  }
  throw InputError(
      "--precision",
      "device " + cluster.device.id + " has no " + std::string(name_of(type)) + " units",
      "write --precision bf16, or take a device that has them: " + known);
}

Framework read_framework(const Arguments& arguments, const Cluster& cluster,
                         const Profile& profile) {
  const bool gpu = cluster.device.device_class == DeviceClass::gpu;
  Framework framework = load_framework(
      arguments.text("framework", gpu && !profile.has_kernels() ? "pytorch" : "oracle-train"));
  if (!arguments.has("graph")) return framework;
  if (!gpu) {
    throw InputError("--graph", "device " + cluster.device.id + " replays no kernels",
                     "leave it out, or take a cluster of GPUs");
  }
  return recorded(std::move(framework));
}

std::optional<Strategy> read_strategy(std::string_view option, const std::string& text,
                                      ProblemList& problems) {
  const std::string place = "--" + std::string(option);
  return problems.attempt(place, [&] {
    return at_place(place, [&] {
      Strategy strategy = parse_strategy(text);
      require_exchange(strategy.exchange);
      return strategy;
    });
  });
}

Strategy complete(const Strategy& strategy, std::optional<std::int64_t> gpus) {
  const bool open = std::any_of(strategy.mesh.begin(), strategy.mesh.end(),
                                [](const MeshAxis& axis) { return axis.degree == 0; });
  if (open && gpus) return fill(strategy, *gpus);
  if (open) {
    throw InputError("--strategy", "an axis has no degree",
                     "write it as \"data:16\", or give --gpus N");
  }
  if (gpus && strategy.ranks() != *gpus) {
    throw InputError("--gpus",
                     "the mesh of \"" + to_text(strategy) + "\" has " +
                         std::to_string(strategy.ranks()) + " ranks, not " + std::to_string(*gpus),
                     "change a degree, or leave one out and it is filled in: \"data,filter:4\"");
  }
  return strategy;
}

report::Subject subject_of(const Arguments& arguments, const Graph& graph, const Cluster& cluster) {
  report::Subject subject{graph, cluster, {}};
  for (const std::string& note : graph.notes) {
    subject.assumptions.push_back("the network: " + note);
  }
  if (arguments.text("optimizer", "") == "adamw") {
    subject.assumptions.emplace_back("optimizer: adamw costs what adam does");
  }
  return subject;
}

std::int64_t BatchOption::on(std::int64_t ranks, report::Subject& subject) const {
  if (global) return *global;
  const std::int64_t each = per_rank.value_or(kDefaultBatchPerRank);
  const std::string word = report::rank_word(subject.cluster);
  if (each > kMostBatch / ranks) {
    throw InputError(per_rank ? "--batch-per-gpu" : "--batch",
                     std::to_string(each) + " samples on each of " + std::to_string(ranks) + " " +
                         word + "s are more than " + std::to_string(kMostBatch) + " a step",
                     "give fewer");
  }
  if (!per_rank) {
    subject.assumptions.push_back("the batch: " + std::to_string(each) + " samples per " + word +
                                  ", as none was given");
  }
  return each * ranks;
}

BatchOption read_batch(const Arguments& arguments, ProblemList& problems) {
  BatchOption batch{read_count(arguments, "batch", kMostBatch, problems),
                    read_count(arguments, "batch-per-gpu", kMostBatch, problems)};
  if (arguments.has("batch") && arguments.has("batch-per-gpu")) {
    problems.add("--batch-per-gpu", "contradicts --batch", "give one of the two");
  }
  return batch;
}

std::vector<std::int64_t> parse_counts(std::string_view text) {
  std::vector<std::int64_t> counts;
  while (true) {
    const std::size_t comma = text.find(',');
    append_part(text.substr(0, comma), counts);
    if (counts.size() > kMostCounts) {
      throw QuantityError("names more than " + std::to_string(kMostCounts) + " counts",
                          "give fewer");
    }
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
  std::sort(counts.begin(), counts.end());
  counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
  return counts;
}

}  // namespace oracle::cli
