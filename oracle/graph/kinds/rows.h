#pragma once
// Which layer kinds are there? One declaration per file of this folder; table.cpp lists them.

#include "oracle/graph/kinds/kind.h"

namespace oracle {

extern const Kind kInputKind;
extern const Kind kConvolutionKind;
extern const Kind kTransposedConvolutionKind;
extern const Kind kDenseKind;
extern const Kind kBatchNormKind;
extern const Kind kLayerNormKind;
extern const Kind kLocalResponseNormKind;
extern const Kind kPoolKind;
extern const Kind kAdaptivePoolKind;
extern const Kind kActivationKind;
extern const Kind kAddKind;
extern const Kind kMultiplyKind;
extern const Kind kConcatKind;
extern const Kind kFlattenKind;
extern const Kind kDropoutKind;
extern const Kind kOpaqueKind;
extern const Kind kElementwiseKind;
extern const Kind kMovementKind;
extern const Kind kReductionKind;
extern const Kind kRecurrentKind;
extern const Kind kFurtherInputKind;
extern const Kind kOutputsKind;
extern const Kind kReshapeKind;
extern const Kind kSliceKind;
extern const Kind kMatmulKind;
extern const Kind kSoftmaxKind;
extern const Kind kGroupNormKind;
extern const Kind kResizeKind;
extern const Kind kEmbeddingKind;
extern const Kind kAffineKind;
extern const Kind kRmsNormKind;
extern const Kind kRotaryKind;
extern const Kind kAttentionKind;
extern const Kind kCausalConvolutionKind;
extern const Kind kLinearAttentionKind;
extern const Kind kGateKind;
extern const Kind kAddedRowsKind;
extern const Kind kPrependedRowsKind;
extern const Kind kHeadConcatKind;
extern const Kind kDispatchKind;
extern const Kind kExpertDenseKind;
extern const Kind kCombineKind;
extern const Kind kSoftmaxLossKind;
extern const Kind kMeanSquaredLossKind;

}  // namespace oracle
