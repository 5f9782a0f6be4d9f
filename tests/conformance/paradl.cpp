#include "tests/conformance/paradl.h"

#include <algorithm>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <numeric>
#include <stdexcept>

#include "tests/conformance/paradl_graph.h"

namespace oracle::paradl {
namespace {

using Json = nlohmann::json;

template <typename Use>
void for_each_line(const std::string& file, Use use) {
  const std::string path = std::string(ORACLE_SOURCE_DIR) + "/tests/conformance/data/" + file;
  std::ifstream stream(path);
  if (!stream) throw std::runtime_error("cannot read " + path);
  for (std::string line; std::getline(stream, line);) use(Json::parse(line));
}

std::int64_t product(const std::vector<std::int64_t>& dims) {
  return std::accumulate(dims.begin(), dims.end(), std::int64_t{1}, std::multiplies<>());
}

Operation operation_of(const Json& line) {
  Operation operation;
  operation.name = line.at("layer");
  operation.input = line.at("x_dims").get<std::vector<std::int64_t>>();
  operation.weight = line.at("w_dims").get<std::vector<std::int64_t>>();
  operation.output = line.at("y_dims").get<std::vector<std::int64_t>>();
  operation.split_by_filter = line.value("split_filter", 0) == 1;
  operation.split_in_space = line.at("split_spatial") == 1;
  operation.seconds_per_sample = line.at("value");
  return operation;
}

Case case_of(const Json& line, const std::string& id) {
  Case result;
  result.id = id;
  result.model = line.at("model");
  result.input = line.at("input");
  result.strategy = line.at("strategy");
  result.gpus = line.at("gpus");
  result.inner = line.at("mp_degree");
  result.batch = line.at("global_batch");
  result.iterations = line.at("iterations_per_epoch");
  return result;
}

}  // namespace

std::int64_t Operation::inputs() const { return product(input); }
std::int64_t Operation::outputs() const { return product(output); }
std::int64_t Operation::weights() const { return product(weight); }

std::int64_t Network::weights() const {
  return std::accumulate(operations.begin(), operations.end(), std::int64_t{0},
                         [](std::int64_t sum, const Operation& o) { return sum + o.weights(); });
}

std::vector<Network> networks() {
  std::vector<Network> result;
  for_each_line("paradl_layers.jsonl", [&](const Json& line) {
    if (!line.contains("layer")) {
      result.push_back({line.at("model"), line.at("input"), line.at("value"), {}, {}});
    } else {
      result.back().operations.push_back(operation_of(line));
    }
  });
  for (Network& network : result) build_graph(network);
  return result;
}

const Network& network_of(const std::vector<Network>& networks, std::string_view model,
                          std::string_view input) {
  const auto found = std::find_if(networks.begin(), networks.end(), [&](const Network& network) {
    return network.model == model && network.input == input;
  });
  if (found == networks.end()) throw std::runtime_error("no network " + std::string(model));
  return *found;
}

std::vector<Case> cases_of(std::string_view strategy) {
  std::vector<Case> cases;
  for_each_line("paradl_projected.jsonl", [&](const Json& line) {
    if (line.at("strategy") != strategy) return;
    std::string id = line.at("id");
    id.resize(id.rfind('-'));
    if (cases.empty() || cases.back().id != id) cases.push_back(case_of(line, id));
    cases.back().figures[line.at("metric")] = line.at("value");
  });
  return cases;
}

}  // namespace oracle::paradl
