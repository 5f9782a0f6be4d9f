#include "oracle/cost/compute/composed.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "oracle/graph/kinds/kind.h"
#include "oracle/plan/promotion.h"

namespace oracle {
namespace {

/// Touches of each output element.
struct Touches {
  double narrow, wide;  ///< in 16 bits, and in the fp32 that they are turned into
  double plain;         ///< where activations are fp32 and nothing is turned
  int kernels;
};

struct Composed {
  std::string_view kind;
  Touches forward, backward;
  bool by_autocast = false;  ///< what is turned into fp32
};

constexpr std::array<Composed, 5> kComposed = {{{"rms_norm", {4, 7, 7, 8}, {8, 17, 21, 16}},
                                                {"rotary", {10, 0, 10, 5}, {15, 0, 15, 9}},
                                                {"gate", {5, 0, 5, 2}, {9, 0, 9, 3}},
                                                {"softmax", {6, 4, 6, 5}, {4, 5, 5, 4}},
                                                {"gelu", {5, 15, 18, 9}, {12, 22, 28, 15}, true}}};

}  // namespace

std::optional<ComposedTraffic> composed_traffic(const Layer& layer, const Piece& piece, Pass pass,
                                                const Training& training) {
  if (training.framework.composed.empty() || layer.kind == nullptr) return std::nullopt;
  if (pass != Pass::forward && pass != Pass::backward_data) return std::nullopt;
  const std::string_view kind = layer.written_out ? layer.variant : layer.kind->name;
  const auto* const row = std::find_if(kComposed.begin(), kComposed.end(),
                                       [&](const Composed& one) { return one.kind == kind; });
  if (row == kComposed.end() || !composes(training.framework, kind)) return std::nullopt;
  if (kind == "softmax" && !layer.heads.masked) return std::nullopt;
  Touches touches = pass == Pass::forward ? row->forward : row->backward;
  // Under autocast a softmax leaves the cast of what it makes to the reader.
  if (kind == "softmax" && piece.wide_output) {
    --touches.narrow;
    --touches.wide;
    --touches.kernels;
  }
  const double narrow = training.precision.activation_bytes;
  const bool turned =
      narrow < kFp32Bytes && piece.wide_inputs == 0 && (!row->by_autocast || piece.wide_output);
  const Values values = values_of(piece, training.precision);
  const double bytes = turned ? touches.narrow * narrow + touches.wide * kFp32Bytes
                              : touches.plain * (values.input + values.output) / 2;
  return ComposedTraffic{bytes, touches.kernels};
}

}  // namespace oracle
