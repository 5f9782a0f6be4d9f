#pragma once
// How long does it take to lay a tensor out otherwise? Asked millions of times, worked out once.
//                                       tests/properties/per_layer_expander_test.cpp

#include <array>
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
    return seconds(tensor, from, to, mesh_.plan.is_wide(tensor) ? kWide : kAsUsual);
  }
  /// Of an output in fewer bits.
  double narrow_seconds(LayerId tensor, Code from, Code to) {
    return seconds(tensor, from, to, kNarrow);
  }
  /// Whether an output travels in fewer bits (plan/quantizer.h).
  bool travels(LayerId tensor, Code from, Code to) const;
  /// Of an item that streams so many bytes for each value that a rank has of an output.
  double streaming(LayerId tensor, Code layout, double bytes_of_value);

 private:
  /// In which bits: those of activations, fewer (plan/quantizer.h), fp32 (plan/promotion.h).
  enum Bits : std::uint8_t { kAsUsual, kNarrow, kWide };

  double seconds(LayerId tensor, Code from, Code to, Bits bits) {
    if (from == to) return 0;
    std::vector<double>& table = tables_[bits][shape_of_[tensor]];
    double& known = table[from * mesh_.codes.size() + to];
    if (known < 0) known = priced(tensor, from, to, bits);
    return known;
  }
  double priced(LayerId tensor, Code from, Code to, Bits bits);

  const Mesh& mesh_;
  std::int64_t samples_;
  std::vector<std::size_t> shape_of_;  ///< of each layer's output
  std::vector<bool> narrow_;           ///< by layer: linears in fewer bits alone read it
  /// By Bits, per shape; negative: not asked yet.
  std::array<std::vector<std::vector<double>>, 3> tables_;
  std::array<std::unordered_map<std::uint64_t, double>, 3> prices_;
  std::unordered_map<double, double> streams_;  ///< by bytes
};

}  // namespace oracle::per_layer
