#include "oracle/io/jobs/torchtitan_job.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "oracle/base/error.h"
#include "oracle/base/in_quotes.h"
#include "oracle/base/split.h"
#include "oracle/cluster/cluster.h"
#include "oracle/io/measurements/lines.h"
#include "oracle/io/models/transformers/config_keys.h"

namespace oracle::titan {
namespace {

using transformers::kMostExtent, transformers::kMostLayers, transformers::kMostSequence;

constexpr std::string_view kMesh = "device mesh with";
constexpr std::int64_t kMostBatch = 1'000'000'000;
constexpr double kMostRate = 1e12, kMostGibibytes = 1e9;

/// Of Llama 3, whose tokenizer a log may not name.
constexpr std::int64_t kUsualVocabulary = 128'256;

/// Llama 3 by its name, where a log has no sizes.
struct Flavor {
  std::string_view name;
  std::int64_t features, blocks, heads, inner;
};
constexpr std::array<Flavor, 3> kFlavors = {
    {{"8B", 4096, 32, 32, 14336}, {"70B", 8192, 80, 64, 28672}, {"405B", 16384, 126, 128, 53248}}};
constexpr std::int64_t kKeyHeads = 8;

bool holds(std::string_view line, std::string_view part) {
  return line.find(part) != std::string_view::npos;
}

std::string_view after(std::string_view line, std::string_view label) {
  const std::size_t at = line.find(label);
  if (at == std::string_view::npos) return {};
  return trim(line.substr(at + label.size()));
}

/// In [1, most], behind a label.
std::optional<std::int64_t> count_after(std::string_view line, std::string_view label,
                                        std::int64_t most) {
  const std::string_view rest = after(line, label);
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  if (error != std::errc{} || number < 1 || number > most) return std::nullopt;
  return number;
}

/// Above 0, behind a label, with commas between thousands.
std::optional<double> number_after(std::string_view line, std::string_view label, double most) {
  std::string digits;
  for (const char letter : after(line, label)) {
    if (letter != ',' && letter != '.' && (letter < '0' || letter > '9')) break;
    if (letter != ',') digits += letter;
  }
  double number = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, number);
  if (error != std::errc{} || stop != end || !(number > 0) || number > most) return std::nullopt;
  return number;
}

/// What a log says, line by line.
struct Log {
  std::map<std::string, std::int64_t, std::less<>> mesh;  ///< degrees by name
  std::string_view network;            ///< "llama3 8B with TransformerModelArgs(…"
  std::string_view trainer, pipeline;  ///< their lines
  std::string recomputation;           ///< "selective", "full"; empty: none
  bool compiles = false, shards = false;
  std::string precision = "bf16";
  std::vector<double> rates;  ///< tokens per second of a device
  Bytes reserved;
};

/// "['dp_shard', 'tp'], [4, 2]", or "parallelism: pp=1, dp_replicate=1, …".
void take_mesh(std::string_view line, Log& log) {
  constexpr std::array<std::string_view, 7> kNames = {"pp", "dp_replicate", "dp_shard", "dp",
                                                      "cp", "tp",           "ep"};
  if (!log.mesh.empty()) return;
  log.mesh["world"] = 1;
  if (holds(line, "parallelism:")) {
    for (const std::string_view name : kNames) {
      const auto degree = count_after(line, " " + std::string(name) + "=", kMaxRanks);
      if (degree && *degree > 1) log.mesh[std::string(name)] = *degree;
    }
    return;
  }
  const std::string_view names = after(line, kMesh);
  std::string_view degrees = after(names, "], [");
  if (degrees.empty()) degrees = after(names, "), [");
  std::size_t at = 0;
  while (true) {
    const std::size_t open = names.find('\'', at);
    const std::size_t close = open == std::string_view::npos ? open : names.find('\'', open + 1);
    std::int64_t degree = 0;
    const auto [end, error] =
        std::from_chars(degrees.data(), degrees.data() + degrees.size(), degree);
    if (close == std::string_view::npos || error != std::errc{}) return;
    if (degree < 1 || degree > kMaxRanks) return;
    log.mesh[std::string(names.substr(open + 1, close - open - 1))] = degree;
    degrees.remove_prefix(static_cast<std::size_t>(end - degrees.data()));
    degrees.remove_prefix(std::min(degrees.find_first_of("0123456789"), degrees.size()));
    at = close + 1;
  }
}

void take_line(std::string_view line, Log& log) {
  if (holds(line, "Building ") && holds(line, kMesh)) take_mesh(line, log);
  if (log.network.empty() && holds(line, "Building ") && holds(line, "Args(")) {
    log.network = after(line, "Building ");
  }
  if (log.network.empty() && holds(line, "total parameters")) log.network = after(line, "Model ");
  if (holds(line, "activation checkpointing to the model")) {
    if (holds(line, "ull")) log.recomputation = "full";
    if (holds(line, "elective")) log.recomputation = "selective";
  }
  if (holds(line, "with torch.compile")) log.compiles = true;
  if (holds(line, "Applied FSDP to the model") || holds(line, "Applied HSDP to the model")) {
    log.shards = true;
  }
  if (holds(line, "training active") && holds(line, "loat8")) log.precision = "fp8";
  if (holds(line, "training active") && holds(line, "MXFP8")) log.precision = "mxfp8";
  if (holds(line, "Using pipeline schedule")) log.pipeline = line;
  if (holds(line, "global batch size") && holds(line, "sequence length")) log.trainer = line;
  auto rate = number_after(line, "tps: ", kMostRate);
  if (!rate) rate = number_after(line, "wps: ", kMostRate);
  if (!rate || !holds(line, "step:") || holds(line, "validate step:")) return;
  log.rates.push_back(*rate);
  const double gibibytes = number_after(line, "memory:", kMostGibibytes).value_or(0);
  log.reserved = std::max(log.reserved, Bytes{gibibytes * 0x1p30});
}

Log parse(std::string_view text) {
  Log log;
  for_each_part(text, '\n', [&](std::string_view line) { take_line(line, log); });
  return log;
}

class JobWriter {
 public:
  JobWriter(const Log& log, std::string name) : log_(log), name_(std::move(name)) {}

  Job run(std::optional<std::int64_t> ranks) {
    job_.framework = log_.compiles ? "torchtitan" : "pytorch";
    job_.precision = log_.precision;
    // It runs the optimizer in one kernel, with or without compiled blocks.
    job_.optimizer = log_.compiles ? "adam" : "fused_adam";
    job_.network.sequence = number("sequence length", kMostSequence);
    job_.batch = number("global batch size", kMostBatch);
    write_mesh(ranks);
    write_options();
    write_network();
    write_steps();
    job_.notes.insert(job_.notes.end(), job_.network.notes.begin(), job_.network.notes.end());
    if (!problems_.empty()) throw InputError(problems_);
    return std::move(job_);
  }

 private:
  std::int64_t degree(std::string_view name) const {
    const auto found = log_.mesh.find(name);
    return found == log_.mesh.end() ? 1 : found->second;
  }

  std::int64_t number(const std::string& label, std::int64_t most) {
    const auto found = count_after(log_.trainer, label + " ", most);
    if (!found) {
      problem(label + ": it is not there",
              "give a log from its first line on, which says \"Trainer is initialized with …\"");
    }
    return found.value_or(1);
  }

  void problem(std::string message, std::string remedy) {
    problems_.push_back({name_, std::move(message), std::move(remedy)});
  }

  void write_mesh(std::optional<std::int64_t> ranks) {
    if (degree("ep") > 1) {
      problem("expert parallelism is not read from a log of torchtitan",
              "ask oracle estimate, with a strategy such as \"data:4,expert:8\"");
    }
    pipeline_ = degree("pp");
    std::int64_t inner = 1;
    for (const char* name : {"pp", "cp", "tp"}) inner = times(inner, degree(name));
    std::int64_t data = degree("dp");
    for (const char* name : {"dp_replicate", "dp_shard"}) data = times(data, degree(name));
    if (ranks && *ranks % inner != 0) {
      problem(std::to_string(*ranks) + " ranks are not whole groups of " + std::to_string(inner),
              "give a multiple");
    } else if (ranks) {
      data = *ranks / inner;
    }
    job_.ranks = times(data, inner);
    data_ = data;
    std::string axes;
    const auto add = [&](const char* name, std::int64_t count) {
      if (count > 1)
        axes += (axes.empty() ? "" : ",") + std::string(name) + ":" + std::to_string(count);
    };
    add("pipeline", pipeline_);
    add("data", data);
    add("context", degree("cp"));
    add("tensor_sequence", degree("tp"));
    job_.strategy = axes.empty() ? "data:1" : axes;
  }

  /// Without going past the most ranks.
  std::int64_t times(std::int64_t a, std::int64_t b) {
    if (a <= kMaxRanks / b) return a * b;
    problem("the mesh has more than " + std::to_string(kMaxRanks) + " ranks", "give its log whole");
    return 1;
  }

  void option(const std::string& text) { job_.strategy += "; " + text; }

  void write_options() {
    std::int64_t micro_batches = accumulations();
    if (pipeline_ > 1) {
      const std::int64_t turns = count_after(log_.pipeline, " with ", kMostBatch).value_or(1);
      micro_batches = turns > kMostBatch / micro_batches ? 1 : micro_batches * turns;
    }
    const std::int64_t parts = micro_batches > kMostBatch / data_ ? 0 : data_ * micro_batches;
    if (parts == 0 || job_.batch % parts != 0) {
      problem("a batch of " + std::to_string(job_.batch) + " is not whole micro-batches, " +
                  std::to_string(micro_batches) + " on each of " + std::to_string(data_) +
                  " data parallel groups",
              "give its log whole");
    }
    // Those of a pipeline are chosen where nothing is said.
    if (micro_batches > 1 || pipeline_ > 1) {
      option("micro_batches=" + std::to_string(micro_batches));
    }
    if (pipeline_ > 1) write_schedule();
    const bool copies = degree("dp_replicate") > 1;
    const std::int64_t shards = copies ? degree("dp_shard") : data_;
    const bool is_said = log_.shards || degree("dp_shard") > 1;
    if (is_said && std::max(shards, degree("cp")) > 1) {
      option("zero=3");
      if (copies && shards > 1) option("shard=" + std::to_string(shards));
      if (pipeline_ > 1) option("reshard=off");
    } else if (log_.compiles) {
      option("zero=0");
    }
    if (log_.recomputation == "full") option("recompute=full");
    if (log_.recomputation == "selective") {
      option("recompute=except:*.q|*.v|*.attention|*.gate|*.down");
      job_.notes.emplace_back("selective recomputation, taken by operator");
    }
  }

  std::int64_t accumulations() {
    const auto said = count_after(log_.trainer, "gradient accumulation steps ", kMostBatch);
    if (said) return *said;
    const std::int64_t own = number("local batch size", kMostBatch);
    return std::max<std::int64_t>(1, job_.batch / data_ / own);
  }

  void write_schedule() {
    // "… and 4 stages." counts all, "… and 2 local stages" one rank's.
    const std::string_view rest = after(log_.pipeline, "microbatches and ");
    const std::int64_t stages = count_after(rest, "", kMaxRanks).value_or(pipeline_);
    const std::int64_t chunks = holds(rest, "local") ? stages : stages / pipeline_;
    if (chunks > 1) option("chunks=" + std::to_string(chunks));
    std::string_view name = after(log_.pipeline, "Using pipeline schedule ");
    name = name.substr(0, name.find(' '));
    if (name == "GPipe") {
      option("schedule=gpipe");
    } else if (holds(name, "ZeroBubble")) {
      option("schedule=zb_h1");
    }
  }

  /// "n_heads=32" of the network's arguments; 0: none, or None.
  std::int64_t argument(const std::string& key, std::int64_t most) const {
    for (const char* before : {"(", " "}) {
      if (const auto found = count_after(log_.network, before + key + "=", most)) return *found;
    }
    return 0;
  }

  void write_network() {
    JobNetwork& network = job_.network;
    network.name = std::filesystem::path(name_).stem().string();
    const std::string_view kind = log_.network.substr(0, log_.network.find(' '));
    if (!kind.starts_with("llama") || kind.starts_with("llama4")) {
      network.reason = kind.empty() ? "no line says it"
                                    : in_quotes(kind) + " is not read from a log of torchtitan";
      return;
    }
    std::int64_t features = argument("dim", kMostExtent);
    std::int64_t blocks = argument("n_layers", kMostLayers);
    std::int64_t heads = argument("n_heads", kMostExtent);
    std::int64_t key_heads = argument("n_kv_heads", kMostExtent), inner = 0;
    if (features > 0) {
      inner = inner_features(features);
    } else {
      std::string_view flavor = after(log_.network, " ");
      flavor = flavor.substr(0, flavor.find(' '));
      const auto found = std::find_if(kFlavors.begin(), kFlavors.end(),
                                      [&](const Flavor& one) { return one.name == flavor; });
      if (found == kFlavors.end()) {
        network.reason = "no line has the sizes of " + in_quotes(kind);
        return;
      }
      features = found->features;
      blocks = found->blocks;
      heads = found->heads;
      inner = found->inner;
      key_heads = kKeyHeads;
    }
    if (blocks == 0 || heads == 0 || inner == 0) {
      network.reason = "a size is missing: dim, n_layers, n_heads, multiple_of";
      return;
    }
    std::int64_t vocabulary = argument("vocab_size", kMostExtent);
    if (vocabulary == 0) {
      vocabulary = kUsualVocabulary;
      network.notes.emplace_back("no size of the vocabulary, taken as Llama 3's");
    }
    network.config =
        nlohmann::ordered_json{{"model_type", "llama"},
                               {"hidden_size", features},
                               {"intermediate_size", inner},
                               {"num_hidden_layers", blocks},
                               {"num_attention_heads", heads},
                               {"num_key_value_heads", key_heads == 0 ? heads : key_heads},
                               {"vocab_size", vocabulary},
                               {"tie_word_embeddings", false},
                               {"max_position_embeddings", network.sequence}}
            .dump();
  }

  /// Two thirds of 4·dim, times a factor, up to a multiple.
  std::int64_t inner_features(std::int64_t features) const {
    const std::int64_t multiple = argument("multiple_of", kMostExtent);
    if (multiple == 0) return 0;
    const double factor = number_after(log_.network, "ffn_dim_multiplier=", 1e3).value_or(1.0);
    const std::int64_t whole = 8 * features / 3;
    const auto least = static_cast<std::int64_t>(factor * static_cast<double>(whole));
    const std::int64_t most = std::min(least, kMostExtent);
    return (most + multiple - 1) / multiple * multiple;
  }

  void write_steps() {
    job_.reserved = log_.reserved;
    const double tokens =
        static_cast<double>(job_.batch) * static_cast<double>(job_.network.sequence);
    // The first line is of a step that warms up.
    for (std::size_t i = 1; i < log_.rates.size(); ++i) {
      job_.steps.emplace_back(tokens / (log_.rates[i] * static_cast<double>(job_.ranks)));
    }
  }

  const Log& log_;
  std::string name_;
  Job job_;
  std::int64_t pipeline_ = 1, data_ = 1;
  std::vector<Problem> problems_;
};

}  // namespace

bool is_log(std::string_view text) {
  const std::size_t at = text.find(kMesh);
  if (at == std::string_view::npos) return false;
  const std::size_t begin = text.rfind('\n', at) + 1;
  return holds(text.substr(begin, at - begin), "Building ");
}

Job job_in(std::string_view text, const std::string& name, std::optional<std::int64_t> ranks) {
  const std::string plain = without_colors(text);
  const Log log = parse(plain);
  return JobWriter(log, name).run(ranks);
}

}  // namespace oracle::titan
