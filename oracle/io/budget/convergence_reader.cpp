#include "oracle/io/budget/convergence_reader.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "oracle/base/in_quotes.h"
#include "oracle/base/suggest.h"
#include "oracle/io/data_path.h"

namespace oracle {
namespace {

constexpr std::int64_t kMostBatch = 1'000'000'000;
constexpr std::int64_t kMostSequence = 1 << 26;
constexpr std::int64_t kMostRuns = 1'000'000;
constexpr double kLeastData = 1e-6, kMostData = 1e18;

DataUnit read_unit(json::ObjectReader& object) {
  std::vector<std::string> known;
  for (std::size_t u = 0; u < kDataUnitCount; ++u) {
    known.emplace_back(name_of(static_cast<DataUnit>(u)));
  }
  const std::string unit = object.string("unit");
  const auto found = std::find(known.begin(), known.end(), unit);
  if (found != known.end()) return static_cast<DataUnit>(found - known.begin());
  if (object.has("unit")) {
    object.problem("unit", in_quotes(unit) + " counts no data", suggestion(unit, known));
  }
  return DataUnit::epochs;
}

double read_bounded(json::ObjectReader& object, std::string_view key, double fallback) {
  const double value = object.number(key, 0, fallback);
  if (value > kMostData) object.problem(key, "is absurd", "write at most 1e18");
  return value;
}

ConvergencePoint read_point(json::ObjectReader object) {
  ConvergencePoint point;
  point.batch = object.integer("batch", 1, kMostBatch);
  if (!object.has("data")) object.problem({}, "\"data\" is missing", "write what the target took");
  point.data = read_bounded(object, "data", 0);
  if (object.has("data") && point.data < kLeastData) {
    object.problem("data", "is next to nothing", "write at least 1e-6");
  }
  point.deviation = read_bounded(object, "deviation", 0);
  point.runs = object.integer("runs", 1, kMostRuns, 1);
  point.learning_rate = read_bounded(object, "learning_rate", 0);
  point.warm_up = read_bounded(object, "warm_up", 0);
  point.held_out = object.boolean("held_out", false);
  point.source = object.string("source");
  object.finish();
  return point;
}

void check_points(json::ObjectReader& object, const std::vector<ConvergencePoint>& points) {
  std::set<std::int64_t> fitted;
  std::set<std::int64_t> all;
  for (const ConvergencePoint& point : points) {
    if (!point.held_out) fitted.insert(point.batch);
    if (!all.insert(point.batch).second) {
      object.problem("points", "batch " + std::to_string(point.batch) + " stands twice",
                     "write the mean of both");
    }
  }
  if (fitted.size() < kLeastPoints) {
    object.problem("points", "fewer than three batches are not held out",
                   "a fit needs three or more");
  }
}

}  // namespace

Convergence read_convergence(const json::Document& document) {
  json::Problems problems(document.name);
  json::ObjectReader object(document.root, "", problems);
  Convergence convergence;
  convergence.id = std::filesystem::path(document.name).stem().string();
  object.schema("oracle/convergence/1", "data until a target");
  convergence.networks = object.strings("networks");
  convergence.dataset = object.string("dataset");
  convergence.metric = object.string("metric");
  convergence.target = object.string("target");
  convergence.scope = object.string("scope", "");
  convergence.unit = read_unit(object);
  convergence.sequence = object.integer("sequence", 1, kMostSequence, 0);
  convergence.optimizer = object.string("optimizer");
  convergence.source = object.string("source");
  object.each("points", true, [&](json::ObjectReader point) {
    convergence.points.push_back(read_point(std::move(point)));
  });
  if (problems.empty()) check_points(object, convergence.points);
  object.finish();
  problems.raise();
  std::sort(convergence.points.begin(), convergence.points.end(),
            [](const auto& a, const auto& b) { return a.batch < b.batch; });
  return convergence;
}

Convergence load_convergence(std::string_view name) {
  return read_convergence(
      json::read(resolve("--convergence", "data/convergence", name, "targets")));
}

std::vector<Convergence> convergence_of(std::string_view network) {
  std::vector<Convergence> found;
  for (const std::string& name : names_in("data/convergence")) {
    Convergence convergence = load_convergence(name);
    const auto& networks = convergence.networks;
    if (std::find(networks.begin(), networks.end(), network) != networks.end()) {
      found.push_back(std::move(convergence));
    }
  }
  return found;
}

}  // namespace oracle
