#include "microbench/compute/program.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <ostream>
#include <thread>
#include <unistd.h>

#include "microbench/compute/copies.h"
#include "microbench/compute/samples_json.h"
#include "microbench/compute/sharing_probe.h"
#include "oracle/base/error.h"
#include "oracle/base/suggest.h"
#include "oracle/base/whole_file.h"

namespace oracle {
namespace {

/// A round of the quick session spends little on each pass, so that all get their turn.
constexpr StopRule kQuickRule{3, 0.006, 0.03, 0.03};
/// Of a grid, shapes say more than digits; of the cases that somebody names, each counts.
constexpr StopRule kFullRule{3, 0.01, 0.02, 0.06};
constexpr StopRule kNamedRule{5, 0.03, 0.01, 0.25};
constexpr double kQuickSeconds = 60, kFullSeconds = 600;
/// Of those, for what other cores do to a kernel.
constexpr double kCrowdPart = 0.08;
/// To make a set takes as long as to time it; with fewer, small operands are found in a cache.
constexpr std::size_t kQuickSets = 48;
constexpr std::size_t kCrowdSets = 4;
constexpr int kFullCompressionRounds = 6;
constexpr double kFullCompressionSeconds = 0.5;
/// Buckets of gradients, of 64 KiB to 32 MiB.
const std::vector<CompressionPlan::Size> kBuckets = {{1 << 14, 2}, {1 << 16, 4}, {1 << 18, 2},
                                                     {1 << 18, 8}, {1 << 20, 2}, {1 << 20, 4},
                                                     {1 << 22, 2}};
const std::vector<CompressionPlan::Size> kLargeBuckets = {{1 << 22, 4}, {1 << 23, 2}};
/// Of one size in one of several rounds.
constexpr StopRule kCopyRule{4, 0.015, 0.05, 0.06};

std::unique_ptr<Backend> backend_of(const BenchRequest& request) {
  std::vector<std::string> names;
  for (const BackendRow& row : all_backends()) {
    if (row.name == request.backend) return row.make(request.threads);
    names.emplace_back(row.name);
  }
  throw InputError("--backend", "is none that was compiled in", suggestion(request.backend, names));
}

std::vector<LayerCase> wanted_cases(const BenchRequest& request) {
  if (!request.cases) return grid(request.size);
  std::ifstream in(*request.cases);
  if (!in) throw EnvironmentError(*request.cases + ": cannot be read");
  return read_cases(in, *request.cases);
}

/// The empty kernel first, which is timed however little time there is.
std::vector<LayerCase> cases_of(const BenchRequest& request) {
  std::vector<LayerCase> cases = {parse_layer_case(kEmptyKernel)};
  for (LayerCase& of : wanted_cases(request)) {
    if (to_text(of) != to_text(cases.front())) cases.push_back(std::move(of));
  }
  return cases;
}

int cores() { return static_cast<int>(std::max(1U, std::thread::hardware_concurrency())); }

/// Whether ranks are to compute beside each other: one thread each, on a processor of several.
bool is_crowded(const BenchRequest& request) {
  return request.backend == "cpu" && request.threads == 1 && cores() > 1;
}

CrowdPlan crowd_of(const BenchRequest& request, const SessionPlan& session) {
  CrowdPlan plan;
  plan.ranks = is_crowded(request) ? cores() : 1;
  plan.clock = session.clock;
  plan.rotation = {session.rotation.bytes, kCrowdSets};
  return plan;
}

SessionPlan plan_of(const BenchRequest& request) {
  const bool quick = request.size == GridSize::quick;
  SessionPlan plan;
  plan.rule = quick ? kQuickRule : kFullRule;
  if (request.cases && !quick) plan.rule = kNamedRule;
  if (quick) plan.rotation.most_sets = kQuickSets;
  plan.seconds = request.seconds.value_or(quick ? kQuickSeconds : kFullSeconds);
  plan.clock = request.threads == 1 && request.backend == "cpu" ? Clock::processor : Clock::wall;
  return plan;
}

CompressionPlan compression_of(const BenchRequest& request, Clock clock) {
  CompressionPlan plan;
  plan.sizes = kBuckets;
  plan.clock = clock;
  if (request.size == GridSize::quick) return plan;
  plan.sizes.insert(plan.sizes.end(), kLargeBuckets.begin(), kLargeBuckets.end());
  plan.rounds = kFullCompressionRounds;
  plan.seconds = kFullCompressionSeconds;
  return plan;
}

std::string rounded(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3g", value);
  return text.data();
}

MeasuringContext context_of(std::span<const char* const> words, const BenchRequest& request,
                            const Backend& backend, const SessionPlan& plan,
                            const SessionResult& result) {
  std::vector<const char*> all = {"oracle-bench"};
  all.insert(all.end(), words.begin(), words.end());
  MeasuringContext context = measuring_context(all);
  const auto add = [&](const char* name, const std::string& value) {
    context.emplace_back(name, value);
  };
  add("device", backend.device());
  add("machine", on_virtual_machine() ? "virtual" : "real");
  add("kernels", backend.library());
  add("threads", std::to_string(request.threads));
  add("clock", name_of(plan.clock));
  add("seconds", rounded(result.seconds));
  add("steal time", rounded(result.stolen));
  add("speed", rounded(result.speed));
  add("lowest speed", rounded(result.slowest));
  add("probes below 90 %", std::to_string(result.slow_probes));
  add("shapes not measured", std::to_string(result.untimed));
  return context;
}

void measure_and_write(std::span<const char* const> words, std::ostream& err) {
  const BenchRequest request = read_bench_request(words);
  const std::vector<LayerCase> cases = cases_of(request);
  const std::unique_ptr<Backend> backend = backend_of(request);
  SessionPlan plan = plan_of(request);
  CrowdPlan beside = crowd_of(request, plan);
  SharingProbe probe(beside.ranks);
  beside.sharing = [&] { return probe.sharing(); };
  CrowdBench crowd([&] { return backend_of(request); }, cases, beside);
  CopyBench copies(cores(), kCopyRule);
  CompressionBench compressions(*backend, compression_of(request, plan.clock));
  const bool copying = backend->name() == "cpu";  // of the host's memory, a processor's own
  // A look at some layers is over soon.
  const bool compressing = !request.cases || request.size == GridSize::full;
  plan.aside = [&](double part) {
    crowd.run_up_to(part * kCrowdPart * plan.seconds);
    if (copying) copies.run_up_to(part);
    if (compressing) compressions.run_up_to(part);
  };
  const bool watched = isatty(STDERR_FILENO) == 1;
  const auto progress = [&](double part, const std::string& layer) {
    err << "\r\033[K" << static_cast<int>(100 * part) << " % " << layer << std::flush;
  };
  using Watch = std::function<void(double, const std::string&)>;
  SessionResult result = measure(*backend, cases, plan, watched ? Watch(progress) : Watch());
  if (watched) err << "\r\033[K" << std::flush;
  const bool any = std::any_of(result.passes.begin(), result.passes.end(), [&](const auto& pass) {
    return cases.size() == 1 || pass.layer != kEmptyKernel;
  });
  if (!any) {
    throw EnvironmentError(
        "no case could be timed; the first of them: " +
        (result.failures.empty() ? "the time was over before it" : result.failures.front().error));
  }
  plan.aside(1);  // of few cases, which took less than their time
  result.crowd = crowd.take();
  result.copies = copies.take();
  result.compressions = compressions.take();
  write_file(request.out, samples_json(context_of(words, request, *backend, plan, result), result));
}

}  // namespace

int run_bench(std::span<const char* const> words, std::ostream& out, std::ostream& err) {
  return cli::run_program(bench_command(), words, out, err, [&] {
    measure_and_write(words, err);
    return ExitCode::answered;
  });
}

}  // namespace oracle
