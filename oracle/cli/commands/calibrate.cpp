#include "oracle/calibrate/calibrate.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <set>
#include <string>
#include <string_view>

#include "oracle/base/whole_file.h"
#include "oracle/calibrate/kernel_fit.h"
#include "oracle/calibrate/traced_samples.h"
#include "oracle/calibrate/wanted_cases.h"
#include "oracle/cli/child.h"
#include "oracle/cli/commands/rows.h"
#include "oracle/cli/hand_over.h"
#include "oracle/cli/request.h"
#include "oracle/io/calibration/profile_file.h"
#include "oracle/io/machine/proc_text.h"
#include "oracle/io/measurements/measurements.h"
#include "oracle/io/traces/kineto_reader.h"
#include "oracle/plan/plan.h"
#include "oracle/report/calibration_report.h"

namespace oracle::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 4> kExamples = {
    "calibrate --quick -o here.json", "calibrate --for resnet50,vgg16 --batch 8 -o networks.json",
    "calibrate --merge here.json,networks.json -o all.json",
    "calibrate --from links.json,nccl-tests.log --cluster abci -o abci-measured.json"};
constexpr std::array<Option, 8> kMeasured = {{
    {"quick", "", "a minute in place of ten"},
    {"for", "MODEL,…", "measure exactly what these networks run, in place of a grid"},
    {"strategy", "STRATEGY", "with --for: their strategy (serial)"},
    {"threads", "N", "of a kernel (1)"},
    {"seconds", "S", "for measuring; where it ends, what is left stays unmeasured"},
    {"backend", "NAME", "what computes (cpu)"},
    {"link-ranks", "N", "ranks of this machine that exchange; 1: none (its cores, at most 4)"},
    {"data", "PATH", "images of a training: how fast they are read, and checkpoints written here"},
}};
constexpr std::array<Option, 6> kGiven = {{
    {"from", "FILE,…",
     "samples measured before, output of nccl-tests or OSU, traces of torch.profiler"},
    {"merge", "FILE,…", "profiles; of what several hold, the last counts"},
    {"level", "NAME", "of the cluster, where an output does not say what it crossed"},
    {"ranks", "N", "of a group, where an output does not say"},
    {"per-unit", "N", "of them in one unit of that level (1)"},
    {"operation", "NAME", "all_reduce, …: where an output does not say"},
}};
constexpr std::array<Option, 5> kAnswer = {{
    {"out", "FILE", "the profile (profile.json); the samples are kept next to it", false, 'o'},
    {"cluster", "NAME", "the description of the machine (here)"},
    {"format", "table|json|csv", "format of the summary (table)"},
    {"color", "auto|always|never", "bold headings (auto: on a terminal without NO_COLOR)"},
    {"help", "", "this text", false, 'h'},
}};
constinit const std::array<OptionGroup, 5> kGroups = {{{"what is measured", kMeasured},
                                                       {"what was measured", kGiven},
                                                       {"training, with --for", kTrainingOptions},
                                                       {"network, with --for", kModelOptions},
                                                       {"answer", kAnswer}}};

/// Kernels and links together take what --quick and its absence promise.
constexpr const char* kQuickLinkSeconds = "8";
constexpr const char* kLinkSeconds = "50";
constexpr std::int64_t kUsualLinkRanks = 4, kMostLinkRanks = 4096;

std::vector<std::string> list_of(const std::string& text) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    if (end > begin) parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

void check_together(const Arguments& arguments, ProblemList& problems) {
  int sources = 0;
  for (const char* option : {"from", "merge", "for"}) sources += arguments.has(option) ? 1 : 0;
  if (sources > 1) {
    problems.add("--from", "only one of --from, --merge and --for at a time",
                 "calibrate one after the other, then --merge");
  }
  if (arguments.has("strategy") && !arguments.has("for")) {
    problems.add("--strategy", "goes with --for alone", "add --for MODEL, or leave it out");
  }
  if (arguments.has("data") && (arguments.has("from") || arguments.has("merge"))) {
    problems.add("--data", "is measured, and --from and --merge take what was measured",
                 "calibrate one after the other, then --merge");
  }
  if (arguments.has("merge") && arguments.has("cluster")) {
    problems.add("--cluster", "a merged profile is of the first one's machine", "leave it out");
  }
}

/// Weights of an update, between which networks lie.
constexpr std::array<std::string_view, 6> kUpdates = {
    "dense 1:64 bias=false features=64",     "dense 1:256 bias=false features=256",
    "dense 1:1024 bias=false features=512",  "dense 1:2048 bias=false features=1024",
    "dense 1:4096 bias=false features=2048", "dense 1:8192 bias=false features=4096"};

std::int64_t parameters_of(const Graph& graph) {
  std::int64_t parameters = 0;
  for (LayerId id = 0; id < graph.size(); ++id) parameters += graph[id].parameters();
  return parameters;
}

/// Up to the first that is no smaller than `most` weights; as many as a fit wants at least. To time
/// the update of a large network takes longer than all layers of a small one.
void add_updates(std::int64_t most, std::vector<LayerCase>& cases) {
  std::int64_t largest = 0;
  for (std::size_t i = 0; i < kUpdates.size() && (i < kLeastKernels || largest < most); ++i) {
    cases.push_back(parse_layer_case(kUpdates[i]));
    largest = layer_of(cases.back()).parameters();
  }
}

/// The layers of all networks named, as their plans cut them.
std::vector<LayerCase> cases_for(const Arguments& arguments, const Cluster& cluster,
                                 std::vector<std::string>& notes) {
  ProblemList problems;
  const auto strategy = read_strategy("strategy", arguments.text("strategy", "serial"), problems);
  const BatchOption batch = read_batch(arguments, problems);
  Training training = read_training(arguments, problems);
  problems.raise();
  std::vector<LayerCase> cases;
  std::set<std::string> seen;
  std::int64_t most_weights = 0;
  for (const std::string& name : list_of(arguments.text("for", ""))) {
    const Graph graph = load_model(name, read_overrides(arguments, problems));
    most_weights = std::max(most_weights, parameters_of(graph));
    report::Subject subject{graph, cluster, {}};
    training.batch = batch.on(strategy->ranks(), subject);
    const auto planned = partition(graph, *strategy, training, cluster);
    if (const auto* refusal = std::get_if<Infeasible>(&planned)) {
      throw InputError("--for", name + ": " + to_text(*refusal));
    }
    WantedCases wanted = wanted_cases(graph, std::get<Plan>(planned));
    for (LayerCase& of : wanted.cases) {
      if (seen.insert(to_text(of)).second) cases.push_back(std::move(of));
    }
    for (const std::string& layer : wanted.not_written) {
      notes.push_back(name + ": the piece of " + layer +
                      " is not measured, but predicted from others");
    }
  }
  problems.raise();
  add_updates(most_weights, cases);
  return cases;
}

/// Has oracle-bench measure; returns where its samples are.
fs::path measure(const Arguments& arguments, const Cluster& cluster, const fs::path& out,
                 std::vector<std::string>& notes) {
  if (cluster.device.device_class == DeviceClass::gpu && !arguments.has("backend")) {
    throw InputError(
        "--cluster",
        "describes " + cluster.device.name + ", and this machine's processors are measured",
        "add --backend gpu on a machine with that device, or leave --cluster out");
  }
  fs::path samples = out;
  samples.replace_extension(".samples.json");
  std::vector<std::string> words = {"--out", samples.string()};
  if (arguments.has("quick")) words.emplace_back("--quick");
  for (const char* option : {"threads", "seconds", "backend"}) {
    if (const std::string* value = arguments.find(option)) {
      words.insert(words.end(), {"--" + std::string(option), *value});
    }
  }
  if (arguments.has("for")) {
    fs::path cases = out;
    cases.replace_extension(".cases.txt");
    std::string text;
    for (const LayerCase& of : cases_for(arguments, cluster, notes)) text += to_text(of) + "\n";
    write_file(cases, text);
    words.insert(words.end(), {"--cases", cases.string()});
  }
  run_child(program_folder() / "oracle-bench", words,
            "build it where oneDNN is found (on Debian: libdnnl-dev), or give samples by --from");
  return samples;
}

/// How many ranks of this machine exchange: messages of processors, not of other devices.
std::int64_t link_ranks(const Arguments& arguments, ProblemList& problems) {
  const bool processors = arguments.text("backend", "cpu") == "cpu";
  return read_count(arguments, "link-ranks", kMostLinkRanks, problems)
      .value_or(processors ? std::min(usable_processors(), kUsualLinkRanks) : 1);
}

/// What these ranks exchange; a note where that cannot be measured.
std::optional<fs::path> measure_links(const Arguments& arguments, std::int64_t ranks,
                                      const fs::path& out, std::vector<std::string>& notes) {
  if (ranks < 2) return std::nullopt;
  fs::path samples = out;
  samples.replace_extension(".links.json");
  std::vector<std::string> words = {"--ranks",
                                    std::to_string(ranks),
                                    "--out",
                                    samples.string(),
                                    "--quick",
                                    "--seconds",
                                    arguments.has("quick") ? kQuickLinkSeconds : kLinkSeconds};
  try {
    run_child(program_folder() / "oracle-bench-links", words,
              "build it where MPI is found (on Debian: libopenmpi-dev)");
  } catch (const EnvironmentError& error) {
    notes.push_back("links not measured: " + std::string(error.what()));
    return std::nullopt;
  }
  return samples;
}

/// How fast the images of --data are read and decoded, and checkpoints written beside the profile.
fs::path measure_input(const Arguments& arguments, const fs::path& out) {
  fs::path samples = out;
  samples.replace_extension(".input.json");
  std::vector<std::string> words = {"--data", arguments.text("data", ""), "--out",
                                    samples.string()};
  if (arguments.has("quick")) words.emplace_back("--quick");
  run_child(program_folder() / "oracle-bench-input", words, "build it, or give samples by --from");
  return samples;
}

MeasurementHints hints_of(const Arguments& arguments, ProblemList& problems) {
  MeasurementHints hints;
  hints.level = arguments.text("level", "");
  hints.ranks = read_count(arguments, "ranks", kMaxRanks, problems).value_or(0);
  hints.per_unit = read_count(arguments, "per-unit", kMaxRanks, problems).value_or(1);
  if (const std::string* name = arguments.find("operation")) {
    hints.operation = link_operation_named(*name);
    if (!hints.operation) {
      problems.add("--operation", in_quotes(*name) + " is none",
                   "write message, stream, all_reduce, reduce_scatter, all_gather or all_to_all");
    }
  }
  return hints;
}

void append(CalibrationSamples& to, CalibrationSamples&& from) {
  const auto move_all = [](auto& into, auto& values) {
    into.insert(into.end(), std::make_move_iterator(values.begin()),
                std::make_move_iterator(values.end()));
  };
  move_all(to.contexts, from.contexts);
  move_all(to.kernels, from.kernels);
  move_all(to.links, from.links);
}

/// What a trace of torch.profiler tells of kernels and links.
CalibrationSamples samples_of_trace(const std::string& file, const MeasurementHints& hints,
                                    std::vector<std::string>& notes) {
  TracedSamples found = traced_samples(load_kineto(file), file, hints);
  for (const auto& [why, operations] : found.left_out) {
    notes.push_back(file + ": " + std::to_string(operations) + " left out: " + why);
  }
  if (!found.samples.links.empty()) {
    notes.push_back(file +
                    ": of equal collectives the fastest counts, for NCCL's kernels wait for other "
                    "ranks; nccl-tests measures links alone");
  }
  return std::move(found.samples);
}

/// Files of samples, and outputs of other tools, as one.
CalibrationSamples samples_from(const std::vector<std::string>& files,
                                const MeasurementHints& hints, std::vector<std::string>& notes) {
  std::vector<fs::path> ours;
  CalibrationSamples others;
  for (const std::string& file : files) {
    if (is_samples_file(file)) {
      ours.emplace_back(file);
      continue;
    }
    if (is_kineto_trace(file)) {
      append(others, samples_of_trace(file, hints, notes));
      continue;
    }
    Measurements found = load_measurements(file, hints);
    others.links.insert(others.links.end(), found.links.begin(), found.links.end());
    others.contexts.push_back({{"links", found.format + " in " + file}});
    for (const auto& [why, rows] : found.refused) {
      notes.push_back(file + ": " + std::to_string(rows) + " rows refused: " + why);
    }
  }
  CalibrationSamples all = load_calibration_samples(ours);
  append(all, std::move(others));
  for (const std::string& failure : all.failures) notes.push_back("not measured: " + failure);
  return all;
}

/// Throws InputError with what is known of the measurements where none of them was kept.
void require_kept(const Profile& profile, const std::vector<std::string>& notes) {
  if (!profile.kernels.empty() || !profile.links.empty() || !profile.storage.empty()) return;
  std::string problem = "holds not one measurement that a profile could keep";
  for (const std::string& note : notes) problem += "; " + note;
  throw InputError(
      "--from", problem,
      notes.empty()
          ? "give samples of oracle-bench, oracle-bench-input, nccl-tests or OSU, or a trace with "
            "record_shapes=True"
          : "");
}

Calibration merged(const std::string& files, const std::string& name) {
  std::vector<ProfileFile> profiles;
  for (const std::string& file : list_of(files)) {
    profiles.push_back(read_profile(json::read(file)));
  }
  if (profiles.empty())
    throw InputError("--merge", "names no profile", "write --merge a.json,b.json");
  return merge(profiles, name);
}

Answer answer(const Arguments& arguments, const Progress&) {
  ProblemList problems;
  check_together(arguments, problems);
  const MeasurementHints hints = hints_of(arguments, problems);
  const std::int64_t ranks = link_ranks(arguments, problems);
  const auto described = problems.attempt(
      "--cluster", [&] { return load_cluster(arguments.text("cluster", "here")); });
  problems.raise();
  const fs::path out = arguments.text("out", "profile.json");
  require_writable(out);
  const std::string name = out.stem().string();
  std::vector<std::string> notes;
  Calibration found;
  Coverage coverage;
  if (const std::string* files = arguments.find("merge")) {
    found = merged(*files, name);
  } else if (const std::string* given = arguments.find("from")) {
    found = calibrate(samples_from(list_of(*given), hints, notes), *described, name);
  } else {
    std::vector<std::string> samples = {measure(arguments, *described, out, notes).string()};
    const auto links = measure_links(arguments, ranks, out, notes);
    if (links) samples.push_back(links->string());
    if (arguments.has("data")) samples.push_back(measure_input(arguments, out).string());
    const CalibrationSamples measured = samples_from(samples, hints, notes);
    coverage = coverage_of(measured);
    found = calibrate(measured, *described, name);
  }
  for (const auto& [why, samples] : found.left_out) {
    notes.push_back(std::to_string(samples) + " samples of links left out: " + why);
  }
  require_kept(found.file.profile, notes);
  write_file(out, write_profile(found.file));
  return {report::calibration_report({found.file.cluster, found.file.profile, found.file.measured,
                                      notes, out.string(), kBadError, to_text(coverage)})};
}

}  // namespace

constinit const Command kCalibrateCommand = {
    "calibrate", {},      "measures this machine, or takes measurements; writes a profile",
    kExamples,   kGroups, answer};

}  // namespace oracle::cli
