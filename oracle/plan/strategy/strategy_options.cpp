#include "oracle/plan/strategy/strategy_options.h"

#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "oracle/base/error.h"
#include "oracle/base/in_quotes.h"
#include "oracle/base/quantity_text.h"
#include "oracle/base/split.h"
#include "oracle/base/suggest.h"
#include "oracle/plan/pipeline_order.h"

namespace oracle {
namespace {

/// As many as a batch may have samples.
constexpr std::int64_t kMostMicroBatches = 1'000'000'000;
constexpr Bytes kMostBucket{1e15};
constexpr std::int64_t kMostShards = 1'000'000'000;
constexpr std::int64_t kMostBlocks = 1'000'000'000;

[[noreturn]] void refuse(std::string_view name, const std::string& message, std::string remedy) {
  throw InputError("--strategy", "option " + in_quotes(name) + message, std::move(remedy));
}

constexpr std::array<std::string_view, kPipelineScheduleCount> kSchedules = {"1f1b", "gpipe",
                                                                             "zb_h1", "zb_h2"};
constexpr std::array<std::string_view, 3> kBatchNormModes = {"per_replica", "synchronized",
                                                             "local"};

template <typename Enum, std::size_t N>
Enum choice(std::string_view name, std::string_view value,
            const std::array<std::string_view, N>& choices) {
  for (std::size_t i = 0; i < N; ++i) {
    if (choices[i] == value) return static_cast<Enum>(i);
  }
  const std::vector<std::string> known(choices.begin(), choices.end());
  refuse(name, " cannot be " + in_quotes(value), suggestion(value, known));
}

constexpr std::array<std::string_view, kGradientSyncCount> kGradientSyncs = {"auto", "step",
                                                                             "micro_batch"};
constexpr std::array<std::string_view, 4> kZeroStages = {"0", "1", "2", "3"};

bool is_on(std::string_view name, std::string_view value) {
  if (value != "on" && value != "off") {
    refuse(name, " is on or off, not " + in_quotes(value), "write " + std::string(name) + "=off");
  }
  return value == "on";
}

/// In the largest unit of those by 1024 or by 1000 that leaves no fraction, which has fewer digits:
/// "32 MiB", "160 MB", "1153434 B".
std::string whole_units(std::int64_t bytes) {
  const auto by = [bytes](std::int64_t base, std::span<const std::string_view> units) {
    std::int64_t count = bytes;
    std::size_t unit = 0;
    while (unit + 1 < units.size() && count != 0 && count % base == 0) {
      count /= base;
      ++unit;
    }
    return std::to_string(count) + std::string(units[unit]);
  };
  constexpr std::array<std::string_view, 4> kBinary = {" B", " KiB", " MiB", " GiB"},
                                            kDecimal = {" B", " kB", " MB", " GB"};
  const std::string binary = by(1024, kBinary), decimal = by(1000, kDecimal);
  return decimal.size() < binary.size() ? decimal : binary;
}

std::int64_t count_of(std::string_view name, std::string_view value, std::int64_t most) {
  try {
    return parse_count(value, 1, most);
  } catch (const QuantityError& error) {
    refuse(name, ": " + std::string(error.what()), error.remedy);
  }
}

void read_micro_batches(std::string_view value, Strategy& strategy) {
  strategy.micro_batches = count_of("micro_batches", value, kMostMicroBatches);
}

/// A single micro-batch without a pipeline goes without saying.
std::string micro_batches_of(const Strategy& strategy) {
  const bool said = strategy.micro_batches > 1 || strategy.has(Cut::pipeline);
  return said && strategy.micro_batches > 0 ? std::to_string(strategy.micro_batches) : "";
}

void read_schedule(std::string_view value, Strategy& strategy) {
  strategy.schedule = choice<PipelineSchedule>("schedule", value, kSchedules);
}
std::string schedule_of(const Strategy& strategy) {
  if (strategy.schedule == Strategy().schedule) return {};
  return std::string(kSchedules[static_cast<std::size_t>(strategy.schedule)]);
}

void read_chunks(std::string_view value, Strategy& strategy) {
  strategy.chunks = count_of("chunks", value, kMostChunks);
}
std::string chunks_of(const Strategy& strategy) {
  return strategy.chunks == 1 ? "" : std::to_string(strategy.chunks);
}

void read_exchange(std::string_view value, Strategy& strategy) {
  if (value.empty()) refuse("exchange", " names no algorithm", "write exchange=auto");
  strategy.exchange = std::string(value);
}
std::string exchange_of(const Strategy& strategy) {
  return strategy.exchange == Strategy().exchange ? "" : strategy.exchange;
}

void read_staleness(std::string_view value, Strategy& strategy) {
  if (value == "any") {
    strategy.staleness = kAnyStaleness;
    return;
  }
  try {
    strategy.staleness = parse_count(value, 0, kAnyStaleness);
  } catch (const QuantityError& error) {
    refuse("staleness", ": " + std::string(error.what()), "write staleness=4, or staleness=any");
  }
}
std::string staleness_of(const Strategy& strategy) {
  if (strategy.waits_for_all()) return {};
  return strategy.staleness == kAnyStaleness ? "any" : std::to_string(strategy.staleness);
}

void read_bucket(std::string_view value, Strategy& strategy) {
  // Frameworks count buckets in megabytes.
  if (!value.empty() && value.find_first_not_of("0123456789.") == std::string_view::npos) {
    refuse("bucket", ": " + in_quotes(value) + " has no unit",
           "write \"bucket=" + std::string(value) + " MiB\"");
  }
  try {
    strategy.bucket = Bytes{std::round(parse_bytes(value).value)};
  } catch (const QuantityError& error) {
    refuse("bucket", ": " + std::string(error.what()), error.remedy);
  }
  if (strategy.bucket > kMostBucket) {
    refuse("bucket", " is larger than any network", "write bucket=25 MiB");
  }
}
std::string bucket_of(const Strategy& strategy) {
  if (strategy.bucket == Strategy().bucket) return {};
  return whole_units(static_cast<std::int64_t>(strategy.bucket.value));
}

void read_overlap(std::string_view value, Strategy& strategy) {
  strategy.overlap = is_on("overlap", value);
}
std::string overlap_of(const Strategy& strategy) { return strategy.overlap ? "" : "off"; }

void read_batch_norm(std::string_view value, Strategy& strategy) {
  strategy.batch_norm = choice<BatchNormMode>("batch_norm", value, kBatchNormModes);
}
std::string batch_norm_of(const Strategy& strategy) {
  if (strategy.batch_norm == Strategy().batch_norm) return {};
  return std::string(kBatchNormModes[static_cast<std::size_t>(strategy.batch_norm)]);
}

void read_zero(std::string_view value, Strategy& strategy) {
  strategy.zero = choice<int>("zero", value, kZeroStages);
}
std::string zero_of(const Strategy& strategy) {
  return strategy.zero == 0 ? ""
                            : std::string(kZeroStages[static_cast<std::size_t>(strategy.zero)]);
}

void read_shard(std::string_view value, Strategy& strategy) {
  if (value == "1") refuse("shard", "=1 shards nothing", "leave out shard= and zero=");
  strategy.shard = value == "all" ? 0 : count_of("shard", value, kMostShards);
}
std::string shard_of(const Strategy& strategy) {
  return strategy.shard == 0 ? "" : std::to_string(strategy.shard);
}

void read_sync(std::string_view value, Strategy& strategy) {
  strategy.sync = choice<GradientSync>("sync", value, kGradientSyncs);
}
std::string sync_of(const Strategy& strategy) {
  if (strategy.sync == GradientSync::automatic) return {};
  return std::string(kGradientSyncs[static_cast<std::size_t>(strategy.sync)]);
}

void read_backup(std::string_view value, Strategy& strategy) {
  strategy.backup = count_of("backup", value, kMostShards);
}
std::string backup_of(const Strategy& strategy) {
  return strategy.backup == 0 ? "" : std::to_string(strategy.backup);
}

void read_reshard(std::string_view value, Strategy& strategy) {
  strategy.reshard = is_on("reshard", value);
}
std::string reshard_of(const Strategy& strategy) { return strategy.reshard ? "" : "off"; }

void read_recompute(std::string_view value, Strategy& strategy) {
  if (value.empty()) refuse("recompute", " names nothing", "write recompute=full");
  if (value == "on" || value == "off") {
    refuse("recompute", " is no switch", "write recompute=full, or recompute=none");
  }
  strategy.recompute = value == "none" ? std::string_view() : value;
}
std::string recompute_of(const Strategy& strategy) { return strategy.recompute; }

void read_regather(std::string_view value, Strategy& strategy) {
  strategy.regather = is_on("regather", value);
}
std::string regather_of(const Strategy& strategy) { return strategy.regather ? "on" : ""; }

void read_token_groups(std::string_view value, Strategy& strategy) {
  strategy.token_groups = value == "rows"  ? 0
                          : value == "all" ? kAllTokenGroups
                                           : count_of("token_groups", value, kAllTokenGroups);
}
std::string token_groups_of(const Strategy& strategy) {
  if (strategy.token_groups == 0) return {};
  return strategy.token_groups == kAllTokenGroups ? "all" : std::to_string(strategy.token_groups);
}

void read_expert_load(std::string_view value, Strategy& strategy) {
  strategy.expert_load = parse_expert_load(value);
}
std::string expert_load_of(const Strategy& strategy) { return to_text(strategy.expert_load); }

constexpr std::array<std::string_view, 4> kOffloads = {"none", "optimizer", "activations",
                                                       "optimizer+activations"};

void read_offload(std::string_view value, Strategy& strategy) {
  const std::size_t colon = value.find(':');
  const int which = choice<int>("offload", value.substr(0, colon), kOffloads);
  strategy.offload = {(which & 1) != 0, (which & 2) != 0};
  if (colon == std::string_view::npos) return;
  if (!strategy.offload.activations) {
    refuse("offload", " counts blocks of activations alone", "write offload=activations:8");
  }
  strategy.offload.blocks = count_of("offload", value.substr(colon + 1), kMostBlocks);
}
std::string offload_of(const Strategy& strategy) {
  const int which = (strategy.offload.optimizer ? 1 : 0) + (strategy.offload.activations ? 2 : 0);
  if (which == 0) return {};
  std::string text(kOffloads[static_cast<std::size_t>(which)]);
  if (strategy.offload.blocks > 0) text += ':' + std::to_string(strategy.offload.blocks);
  return text;
}

void read_tensor_overlap(std::string_view value, Strategy& strategy) {
  strategy.tensor_overlap = is_on("tensor_overlap", value);
}
std::string tensor_overlap_of(const Strategy& strategy) {
  return strategy.tensor_overlap ? "on" : "";
}

void read_expert_overlap(std::string_view value, Strategy& strategy) {
  strategy.expert_overlap = is_on("expert_overlap", value);
}
std::string expert_overlap_of(const Strategy& strategy) {
  return strategy.expert_overlap ? "on" : "";
}

void read_fusion(std::string_view value, Strategy& strategy) {
  strategy.fusion = is_on("fusion", value);
}
std::string fusion_of(const Strategy& strategy) { return strategy.fusion ? "" : "off"; }

void read_stages(std::string_view value, Strategy& strategy) {
  for (const std::string_view name : split_trimmed(value, ',')) {
    if (name.empty()) refuse("stages", " has an empty name", "write stages=conv3_1,fc6");
    strategy.stages.emplace_back(name);
  }
}
/// What would end a name there is written as a pattern.
std::string stages_of(const Strategy& strategy) {
  std::string text;
  for (const std::string& name : strategy.stages) {
    if (!text.empty()) text += ',';
    for (const char letter : name) text += letter == ',' || letter == ';' ? '*' : letter;
  }
  return text;
}

/// In the order in which they are written.
constexpr std::array<StrategyOption, 22> kOptions = {{
    {"micro_batches", "N", "1 or chosen", "parts of the batch, in turn", read_micro_batches,
     micro_batches_of},
    {"schedule", "1f1b, gpipe, zb_h1, zb_h2", "1f1b",
     "order of a pipeline's passes; zb: gradients of weights in turns of their own", read_schedule,
     schedule_of},
    {"chunks", "N", "1", "stages of each rank of a pipeline, interleaved", read_chunks, chunks_of},
    {"exchange", "auto, NAME", "auto",
     "algorithm that sums gradients (oracle list collectives), or how else they travel (oracle "
     "list "
     "exchanges)",
     read_exchange, exchange_of},
    {"staleness", "N, any", "all wait",
     "steps that a rank may be ahead of the slowest, of servers that do not wait "
     "(exchange=servers)",
     read_staleness, staleness_of},
    {"bucket", "SIZE", "25 MiB", "least gradients summed together", read_bucket, bucket_of},
    {"overlap", "on, off", "on", "sum gradients during backward", read_overlap, overlap_of},
    {"batch_norm", "per_replica, synchronized, local", "per_replica", "who shares statistics",
     read_batch_norm, batch_norm_of},
    {"zero", "0, 1, 2, 3", "0", "what data-parallel ranks keep in shards", read_zero, zero_of},
    {"shard", "all, N", "all", "data-parallel ranks that share one copy of it", read_shard,
     shard_of},
    {"sync", "auto, step, micro_batch", "auto",
     "gradients are summed in each; auto: step, of zero=2, 3 micro_batch", read_sync, sync_of},
    {"backup", "N", "0", "data-parallel ranks, the last of a step, that are not waited for",
     read_backup, backup_of},
    {"reshard", "on, off", "on", "of zero=3: give weights up after forward, gather them again",
     read_reshard, reshard_of},
    {"recompute", "none, full, selective, PATTERN, except:PATTERN", "none",
     "what backward computes again", read_recompute, recompute_of},
    {"regather", "on, off", "off", "gather inputs again in backward, not keep them", read_regather,
     regather_of},
    {"token_groups", "rows, all, N", "rows",
     "a token goes once to each outer group of experts, N at most", read_token_groups,
     token_groups_of},
    {"expert_load", "uniform, F, zipf:S, N,N,...", "uniform",
     "rows of experts: F times the mean on the busiest rank, Zipf's law, or given",
     read_expert_load, expert_load_of},
    {"stages", "LAYER,..., even", "by prices",
     "first layers of stages 2, 3, ...; even: as many blocks each", read_stages, stages_of},
    {"offload", "none, optimizer, activations, activations:BLOCKS", "none",
     "what lies in the memory of the host; both: optimizer+activations", read_offload, offload_of},
    {"tensor_overlap", "on, off", "off",
     "messages of tensor_sequence go on while products are computed", read_tensor_overlap,
     tensor_overlap_of},
    {"expert_overlap", "on, off", "off",
     "messages of experts go on while another micro-batch is computed", read_expert_overlap,
     expert_overlap_of},
    {"fusion", "on, off", "on", "several layers in one kernel", read_fusion, fusion_of},
}};

}  // namespace

std::span<const StrategyOption> all_strategy_options() { return kOptions; }

const StrategyOption* strategy_option(std::string_view name) {
  for (const StrategyOption& option : kOptions) {
    if (option.name == name) return &option;
  }
  return nullptr;
}

}  // namespace oracle
