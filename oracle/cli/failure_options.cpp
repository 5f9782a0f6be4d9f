#include "oracle/cli/failure_options.h"

#include <limits>
#include <string>

#include "oracle/cli/request.h"
#include "oracle/evaluate/storage_costs.h"
#include "oracle/io/clusters/positive.h"

namespace oracle::cli {
namespace {

constexpr std::int64_t kMostSteps = 1'000'000'000;
constexpr std::string_view kAuto = "auto";

Seconds time_of_one(const FailureOptions& options, Bytes bytes, const StorageSystem* storage,
                    const Profile& profile) {
  if (options.rate) return bytes / *options.rate;
  if (storage != nullptr) return write_time(*storage, bytes);
  if (const auto measured = checkpoint_time(profile, bytes)) return measured->time;
  throw InputError(
      "--checkpoint-every", "no rate is known at which a checkpoint is written",
      "give --checkpoint-rate 2GB/s or --storage NAME, or measure it by oracle calibrate --data");
}

}  // namespace

constinit const std::array<Option, 6> kFailureOptions = {{
    {"mtbf", "TIME", "between failures of the largest count: 8h; fewer GPUs fail less often"},
    {"checkpoint-every", "N",
     "steps between checkpoints, or auto: as many as leave the most (auto)"},
    {"checkpoint-rate", "RATE",
     "of the storage that takes a checkpoint: 2GB/s (that of --storage, or the profile's)"},
    {"checkpoint-mode", "synchronous|asynchronous",
     "training waits for the storage, or for a copy in memory only (synchronous)"},
    {"snapshot-rate", "RATE", "of a rank's copy to memory, asynchronous: 12GB/s"},
    {"restart", "TIME", "after a failure, until training goes on (that of a checkpoint)"},
}};

FailureOptions read_failures(const Arguments& arguments, ProblemList& problems) {
  FailureOptions options;
  const auto read = [&](const char* name, const auto& parse) {
    const std::string* text = arguments.find(name);
    using Value = decltype(parse(*text));
    if (text == nullptr) return std::optional<Value>{};
    options.asked = true;
    return problems.attempt("--" + std::string(name), [&] { return parse(*text); });
  };
  options.mtbf = read("mtbf", positive<parse_seconds>);
  options.restart = read("restart", parse_seconds);
  options.rate = read("checkpoint-rate", positive<parse_bandwidth>);
  constexpr std::array<std::pair<std::string_view, bool>, 2> kModes = {
      {{"synchronous", false}, {"asynchronous", true}}};
  options.asynchronous = read_choice(arguments, "checkpoint-mode", kModes, problems);
  options.asked = options.asked || arguments.has("checkpoint-mode");
  if (const auto rate = read("snapshot-rate", positive<parse_bandwidth>)) options.snapshot = *rate;
  if (arguments.has("snapshot-rate") && !options.asynchronous) {
    problems.add("--snapshot-rate", "is of an asynchronous checkpoint",
                 "add --checkpoint-mode asynchronous");
  }
  const std::string every = arguments.text("checkpoint-every", std::string(kAuto));
  options.asked = options.asked || arguments.has("checkpoint-every");
  if (every != kAuto) {
    options.every =
        problems.attempt("--checkpoint-every", [&] { return parse_count(every, 1, kMostSteps); });
  } else if (options.asked && !arguments.has("mtbf")) {
    problems.add("--mtbf", "is missing: how often a checkpoint is worth it depends on failures",
                 "give --mtbf 8h, or the steps between checkpoints: --checkpoint-every 1000");
  }
  return options;
}

std::optional<FailureRequest> failures_of(const FailureOptions& options, const CheckpointSize& size,
                                          const StorageSystem* storage, const Profile& profile,
                                          std::int64_t ranks) {
  if (!options.asked) return std::nullopt;
  FailureRequest request;
  request.mtbf = options.mtbf.value_or(Seconds{std::numeric_limits<double>::infinity()});
  request.ranks = ranks;
  const Seconds written = time_of_one(options, size.all, storage, profile);
  request.checkpoint = options.asynchronous ? size.of_rank / options.snapshot : written;
  request.behind = options.asynchronous ? written : Seconds{0};
  request.restart = options.restart.value_or(written);
  request.every = options.every;
  return request;
}

}  // namespace oracle::cli
