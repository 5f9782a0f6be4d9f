#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "oracle/calibrate/link_fit.h"
#include "oracle/io/machine/nccl_topology.h"
#include "oracle/io/machine/slurm.h"
#include "oracle/io/measurements/measurements.h"
#include "tests/fuzz/promises.h"
#include "tests/fuzz/targets.h"

namespace oracle::fuzz {
namespace {

bool positive(double value) { return std::isfinite(value) && value > 0; }

/// What is read can be fitted: pieces ascend, and no price is below zero or no number.
void check_fits(const Measurements& read) {
  for (const LinkFit& fit : fit_links(read.links).fits) {
    ensure(!fit.pieces.empty() && !fit.table.empty(), "a fit without pieces");
    for (std::size_t p = 0; p < fit.pieces.size(); ++p) {
      const LinkPiece& piece = fit.pieces[p];
      ensure(p == 0 || fit.pieces[p - 1].from < piece.from, "pieces that do not ascend");
      ensure(piece.latency.value >= 0 && std::isfinite(piece.latency.value),
             "a latency below zero");
      ensure(positive(piece.bandwidth.value), "a bandwidth that is none");
    }
  }
}

}  // namespace

void measurements(std::string_view text) {
  MeasurementHints hints;
  hints.level = kMachineTier;
  hints.ranks = 4;
  hints.operation = LinkOperation::all_reduce;
  Measurements read;
  if (!reads([&] { read = read_measurements(text, "seed.log", hints); })) return;
  ensure(!read.links.empty() || !read.benchmarks.empty(), "an output without a row");
  for (const LinkSample& sample : read.links) {
    ensure(positive(sample.bytes.value) && positive(sample.median.value) && sample.ranks >= 2,
           "a sample that measured nothing");
  }
  for (const BenchmarkTime& time : read.benchmarks) {
    ensure(positive(time.real.value) && time.iterations >= 1, "a benchmark that took no time");
  }
  constexpr std::size_t kMostFitted = 12;
  if (read.links.size() <= kMostFitted) check_fits(read);
}

void topology(std::string_view text) {
  if (!reads_nccl_topology()) return;
  Machine machine;
  if (!reads([&] { add_nccl_topology(text, "seed.xml", machine); })) return;
  ensure(!machine.gpus.empty() || !machine.interfaces.empty(), "a machine without a part");
  for (const NetworkInterface& one : machine.interfaces) {
    ensure(!one.name.empty() && (!one.speed || positive(one.speed->value)), "a net without a name");
  }
}

/// The list of hosts on the first line, the counts of tasks on the second.
void allocation(std::string_view text) {
  const std::string all(text.substr(0, text.find('\0')));
  const std::size_t end = std::min(all.find('\n'), all.size());
  const std::map<std::string, std::string> values = {
      {"SLURM_JOB_ID", "1"},
      {"SLURM_JOB_NODELIST", all.substr(0, end)},
      {"SLURM_TASKS_PER_NODE", all.substr(std::min(end + 1, all.size()))}};
  const Environment environment = [&](const char* name) -> const char* {
    const auto found = values.find(name);
    const bool given = found != values.end() && !found->second.empty();
    return given ? found->second.c_str() : nullptr;
  };
  reads([&] {
    const auto read = read_allocation(environment);
    if (!read) return;
    ensure(!read->hosts.empty() && read->hosts.size() <= kMostHosts, "a job without hosts");
    ensure(read->tasks.empty() || read->tasks.size() == read->hosts.size(), "tasks of no host");
  });
}

}  // namespace oracle::fuzz
