#include "tests/conformance/paradl_links.h"

#include <algorithm>
#include <array>

#include "tests/cost/collectives/groups.h"

namespace oracle::paradl {
namespace {

constexpr double kPcieSwitch = 110e-9;

struct Log {
  std::string_view in_id;
  Script script;
};

/// Logs that were not made with the published constants; links inside a node were the same in all.
constexpr std::array<Log, 12> kLogs = {{
    {"-scaling-proj-", {15e-6, 1, false, false}},
    {"-log-resnet-ranking-2-", {15e-6, 2, true, false}},
    {"-log-resnet-ranking-r", {15e-6, 4, true, false}},
    {"-resnet-64-filter2-r2-", {0, 1, false, false}},
    {"-resnet-16-df-", {20e-6, 4, true, false}},
    {"-resnet-64-df-", {20e-6, 4, true, false}},
    {"-vgg-df2-", {20e-6, 1, false, false}},
    {"-vgg-ds-", {20e-6, 8, false, true}},
    {"-log-cosmoflow-r1-", {20e-6, 8, false, true}},
    {"-1024-cosmoflow-2-", {20e-6, 2, false, true}},
    {"-resnet-16-data-spatial-", {20e-6, 2, false, false}},
    {"-resnet-64-data-spatial-", {20e-6, 2, false, false}},
}};

double switches(std::int64_t gpus) {
  if (gpus <= 68) return 90e-9;
  return gpus <= 136 ? 270e-9 : 760e-9;
}

}  // namespace

Script script_of(const Case& printed) {
  for (const Log& log : kLogs) {
    if (printed.id.find(log.in_id) != std::string::npos) return log.script;
  }
  return {20e-6, 2 * static_cast<double>(printed.inner), false, false};
}

Group ring_of(std::int64_t members, std::int64_t gpus, const Script& script, double contention) {
  if (gpus <= 4) return one_level(members, 9e-6, 50e9 / contention);
  const double latency = std::max(9e-6, 2 * (script.cable + kPcieSwitch) + switches(gpus));
  return one_level(members, latency, 12.5e9 / contention);
}

Group host_ring_of(std::int64_t members, double contention) {
  return one_level(members, 3e-3 + kPcieSwitch, 16e9 / contention);
}

}  // namespace oracle::paradl
