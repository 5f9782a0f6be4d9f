#include "oracle/cost/host_calls.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "oracle/graph/kinds/kind.h"

namespace oracle {
namespace {

constexpr double kOfAnExpert = 0.1;

struct CallsOfKind {
  std::string_view kind;
  double forward, backward;
};

constexpr std::array<CallsOfKind, 2> kKinds = {{{"dispatch", 9, 5}, {"combine", 2, 2}}};

}  // namespace

double host_calls(const Layer& layer, const Piece& piece, Pass pass, double kernels) {
  if (kernels == 0) return 0;
  if (piece.experts > 1) return kernels + kOfAnExpert * static_cast<double>(piece.experts);
  const auto* const row = std::find_if(kKinds.begin(), kKinds.end(), [&](const CallsOfKind& one) {
    return layer.kind != nullptr && layer.kind->name == one.kind;
  });
  if (row == kKinds.end()) return kernels;
  return pass == Pass::forward ? row->forward : row->backward;
}

}  // namespace oracle
