#pragma once
// What did ParaDL put in, and what did it print?
//
// Its layer lists and its projections (data/README.md), one value per line of the files. A layer
// list becomes a Graph of ours whose shapes the builder derives; paradl_networks_test.cpp checks
// that they are the list's own.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "oracle/graph/graph.h"

namespace oracle::paradl {

/// One line of a layer list. Dimensions are channels and extents; of weights channels, filters,
/// kernel.
struct Operation {
  std::string name;  ///< "CONV1_1"; RELU and its like are not unique
  std::vector<std::int64_t> input, weight, output;
  bool split_by_filter = false;
  bool split_in_space = false;
  double seconds_per_sample = 0;  ///< ParaDL's share of the one measured figure of the network
  LayerId layer = 0;              ///< in the graph; 0 for an addition that has only one operand

  std::int64_t inputs() const;   ///< elements per sample
  std::int64_t outputs() const;  ///< elements per sample
  std::int64_t weights() const;  ///< 0 where nothing is trained
  std::int64_t kernel() const { return weight[2]; }
};

struct Network {
  std::string model, input;
  double seconds_per_sample = 0;  ///< forward, backward and update of the whole network
  std::vector<Operation> operations;
  Graph graph;

  std::int64_t weights() const;
  /// Samples of the data set that an epoch goes through.
  std::int64_t samples() const { return model == "cosmoflow" ? 1584 : 1280000; }
};

/// All that ParaDL printed about one strategy, size and batch.
struct Case {
  std::string id, model, input, strategy;
  std::int64_t gpus = 1;
  std::int64_t inner = 1;  ///< ranks that share a sample
  std::int64_t batch = 1;
  std::int64_t iterations = 1;            ///< per epoch
  std::map<std::string, double> figures;  ///< by metric, seconds unless it is memory

  std::int64_t groups() const { return gpus / inner; }
};

std::vector<Network> networks();
const Network& network_of(const std::vector<Network>& networks, std::string_view model,
                          std::string_view input);
/// The cases of one strategy, in the order of the file.
std::vector<Case> cases_of(std::string_view strategy);

}  // namespace oracle::paradl
