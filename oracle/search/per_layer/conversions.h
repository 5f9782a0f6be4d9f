#pragma once
// How long does it take to lay a tensor out otherwise? Asked millions of times, worked out once.
//                                       tests/properties/per_layer_expander_test.cpp

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "oracle/search/per_layer/variants.h"

namespace oracle::per_layer {

/// Seconds of the collectives that plan/layout/layout.h derives, on one micro-batch.
class Conversions {
 public:
  explicit Conversions(const Mesh& mesh);

  double seconds(LayerId tensor, Code from, Code to) {
    if (from == to) return 0;
    std::vector<double>& table = tables_[shape_of_[tensor]];
    double& known = table[from * mesh_.codes.size() + to];
    if (known < 0) known = priced(tensor, from, to);
    return known;
  }

 private:
  double priced(LayerId tensor, Code from, Code to);

  const Mesh& mesh_;
  std::int64_t samples_;
  std::vector<std::size_t> shape_of_;        ///< of each layer's output
  std::vector<std::vector<double>> tables_;  ///< per shape; negative: not asked yet
  std::unordered_map<std::uint64_t, double> prices_;
};

}  // namespace oracle::per_layer
