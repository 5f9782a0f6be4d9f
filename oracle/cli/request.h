#pragma once
// What do the options mean that several commands share?           tests/cli/request_test.cpp

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "oracle/base/in_quotes.h"
#include "oracle/base/suggest.h"
#include "oracle/cli/arguments.h"
#include "oracle/cli/problem_list.h"
#include "oracle/io/calibration/profile_file.h"
#include "oracle/io/clusters/cluster_reader.h"
#include "oracle/io/models/model_reader.h"
#include "oracle/plan/strategy/strategy.h"
#include "oracle/plan/training.h"
#include "oracle/report/run_section.h"
#include "oracle/report/sections.h"

namespace oracle::cli {

inline constexpr std::int64_t kMostBatch = 1'000'000'000;
inline constexpr std::int64_t kDefaultBatchPerRank = 32;

/// What --cluster takes.
inline constexpr std::string_view kClusterText =
    "a cluster (see: oracle list clusters), its file, \"here\", or one line: "
    "16x8xa100-sxm4-80gb,net=200Gb/s";

/// Options of every command, with the formats that its answers have.
constexpr std::array<Option, 4> output_options(std::string_view formats, std::string_view text) {
  return {{{"format", formats, text},
           {"output", "FILE", "write the answer to FILE, atomically", false, 'o'},
           {"color", "auto|always|never", "bold headings (auto: on a terminal without NO_COLOR)"},
           {"help", "", "this text", false, 'h'}}};
}
/// Of most commands.
extern const std::array<Option, 4> kOutputOptions;
/// The network as the command wants it.
extern const std::array<Option, 7> kModelOptions;
/// How it is trained.
extern const std::array<Option, 4> kTrainingOptions;
extern const std::array<Option, 4> kCheckpointOptions;  ///< of a run
/// By what, and in which formats its state is kept (cluster/state_formats.h).
extern const std::array<Option, 7> kFrameworkOptions;

/// A whole number in [1, most], where the option is given.
std::optional<std::int64_t> read_count(const Arguments& arguments, std::string_view option,
                                       std::int64_t most, ProblemList& problems);

/// A decimal number above 0, where the option is given; `example` is one.
std::optional<double> read_positive(const Arguments& arguments, std::string_view option,
                                    std::string_view example, ProblemList& problems);

/// Seconds from 1 to a million, where the option is given.
std::optional<double> read_seconds(const Arguments& arguments, std::string_view option,
                                   ProblemList& problems);

/// --input, --classes and --skip-unknown.
ModelOverrides read_overrides(const Arguments& arguments, ProblemList& problems);

/// The model of the command's word at `index`, with --input and --classes.
std::optional<Graph> read_graph(const Arguments& arguments, std::size_t index,
                                ProblemList& problems);

/// How long is trained: --dataset or --samples, and --epochs, or --tokens, of an answer that has a
/// step.
extern const std::array<Option, 4> kRunOptions;
/// `graph`: of which samples are texts, where tokens are counted.
std::optional<report::WholeRun> read_run(const Arguments& arguments, const Graph& graph,
                                         ProblemList& problems);

/// The cluster of --cluster, with what the options of the machine change.
std::optional<Cluster> read_cluster_option(const Arguments& arguments, ProblemList& problems);

/// Precision, optimizer and formats of state; the batch is left at 1.
Training read_training(const Arguments& arguments, ProblemList& problems);

/// Throws InputError, which names devices that compute in the format, where the cluster's does not:
/// of 8 bits and fewer.
void require_format(const Training& training, const Cluster& cluster);

/// --framework: by default pytorch on GPUs whose kernels no one measured, else oracle-train. Throws
/// InputError.
Framework read_framework(const Arguments& arguments, const Cluster& cluster,
                         const Profile& profile);

/// --strategy, or the options of --with on the serial strategy; problems name the option.
std::optional<Strategy> read_strategy(std::string_view option, const std::string& text,
                                      ProblemList& problems);

/// The strategy with every degree known, on as many ranks as --gpus asks for. Throws InputError.
Strategy complete(const Strategy& strategy, std::optional<std::int64_t> gpus);

/// What is asked about, and what of it stands for something else.
report::Subject subject_of(const Arguments& arguments, const Graph& graph, const Cluster& cluster);

/// Samples per step, as given in all or per rank.
struct BatchOption {
  std::optional<std::int64_t> global, per_rank;

  /// The global batch on `ranks` ranks; a default is noted in the subject's assumptions. Throws
  /// InputError where the product is absurd.
  std::int64_t on(std::int64_t ranks, report::Subject& subject) const;
};
BatchOption read_batch(const Arguments& arguments, ProblemList& problems);

/// The number of ranks from "64", or several from "1..1024" (doubling from the first) and "1,2,6".
/// Ascending, each once. Throws QuantityError.
std::vector<std::int64_t> parse_counts(std::string_view text);

/// One of the words of a table, the first by default.
template <typename Value, std::size_t N>
Value read_choice(const Arguments& arguments, std::string_view option,
                  const std::array<std::pair<std::string_view, Value>, N>& choices,
                  ProblemList& problems) {
  const std::string* text = arguments.find(option);
  if (!text) return choices.front().second;
  std::vector<std::string> names;
  for (const auto& [name, value] : choices) {
    if (name == *text) return value;
    if (!name.empty()) names.emplace_back(name);
  }
  problems.add("--" + std::string(option), in_quotes(*text) + " is not a choice",
               suggestion(*text, names));
  return choices.front().second;
}

}  // namespace oracle::cli
