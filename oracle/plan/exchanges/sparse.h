#pragma once
// How many bytes do gradients take of which the largest are sent?
//
//   topk:K%   of a bucket of n values the k = ⌈K·n⌉ largest by magnitude, a place and a value of 4
//             bytes each: Aji & Heafield, arXiv 1704.05021; Lin et al., "Deep Gradient
//             Compression", arXiv 1712.01887, who select by layer
//
// With 100 % it is synchronous training, at twice the bytes of the values.
//
// Worked: 1 % of 1050 values are 11, in 88 bytes tests/plan/exchanges/gradient_exchange_test.cpp

#include <cstdint>
#include <string_view>

namespace oracle {

/// How many of `elements` values a share of them is, at least one of any.
std::int64_t kept_values(std::int64_t elements, double share);

std::int64_t topk_bytes(std::int64_t elements, double share);

/// A share above 0, at most 100 %. Throws QuantityError.
double read_kept_share(std::string_view text);

/// Whether a share is all.
bool keeps_all(double share);

}  // namespace oracle
