#include <algorithm>
#include <array>

#include "oracle/graph/kinds/rows.h"

namespace oracle {

std::span<const Kind* const> all_kinds() {
  static constexpr std::array kKinds = {
      &kInputKind,
      &kConvolutionKind,
      &kTransposedConvolutionKind,
      &kDenseKind,
      &kBatchNormKind,
      &kLayerNormKind,
      &kLocalResponseNormKind,
      &kPoolKind,
      &kAdaptivePoolKind,
      &kActivationKind,
      &kAddKind,
      &kMultiplyKind,
      &kConcatKind,
      &kFlattenKind,
      &kDropoutKind,
      &kOpaqueKind,
      &kElementwiseKind,
      &kMovementKind,
      &kReductionKind,
      &kRecurrentKind,
      &kFurtherInputKind,
      &kOutputsKind,
      &kReshapeKind,
      &kSliceKind,
      &kMatmulKind,
      &kSoftmaxKind,
      &kGroupNormKind,
      &kResizeKind,
      &kEmbeddingKind,
      &kAffineKind,
      &kRmsNormKind,
      &kRotaryKind,
      &kAttentionKind,
      &kCausalConvolutionKind,
      &kLinearAttentionKind,
      &kGateKind,
      &kAddedRowsKind,
      &kPrependedRowsKind,
      &kHeadConcatKind,
      &kDispatchKind,
      &kExpertDenseKind,
      &kCombineKind,
      &kSoftmaxLossKind,
      &kMeanSquaredLossKind,
  };
  return kKinds;
}

const Kind* find_kind(std::string_view name) {
  const auto kinds = all_kinds();
  const auto found = std::find_if(kinds.begin(), kinds.end(),
                                  [&](const Kind* kind) { return kind->name == name; });
  return found == kinds.end() ? nullptr : *found;
}

}  // namespace oracle
