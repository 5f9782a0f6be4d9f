#pragma once
// How many bytes do gradients take of which the largest are sent?
//
//   topk:K%   of a bucket of n values the k = ⌈K·n⌉ largest by magnitude, a place and a value of 4
//             bytes each: Aji & Heafield, arXiv 1704.05021; Lin et al., "Deep Gradient
//             Compression", arXiv 1712.01887, who select by layer
//
//   gtopk:K%  the same, and of what two ranks selected the k largest sums go on: what a rank sent
//             and is not among the last ones is sent later. Shi et al., arXiv 1901.04359
//
//   sketch:K%  a count-sketch of the values: in each of 5 rows a value is added, by a sign, to one
//              of 2k cells that a hash chooses; the median over rows of what its cells say is near
//              a large value. Charikar, Chen & Farach-Colton, ICALP 2002; Ivkin et al., arXiv
//              1903.04488
//
// With 100 % the first two are synchronous training, at twice the bytes of the values. A sketch
// costs the same on any number of ranks, where what topk gathers grows with them.
//
// Worked: 1 % of 1050 values are 11, in 88 bytes, or in a sketch of 5·22·4 = 440 and 44 bytes of
// values                                        tests/plan/exchanges/gradient_exchange_test.cpp

#include <cstdint>
#include <string_view>

namespace oracle {

/// Times that magnitudes are read to find the largest: of a histogram of bits, and one that takes
/// what is above the threshold.
inline constexpr int kPassesToSelect = 4;

/// How many of `elements` values a share of them is, at least one of any.
std::int64_t kept_values(std::int64_t elements, double share);

std::int64_t topk_bytes(std::int64_t elements, double share);

inline constexpr std::int64_t kSketchRows = 5;
inline std::int64_t sketch_columns(std::int64_t elements, double share) {
  return 2 * kept_values(elements, share);
}
std::int64_t sketch_bytes(std::int64_t elements, double share);

/// A share above 0, at most 100 %. Throws QuantityError.
double read_kept_share(std::string_view text);

/// Whether a share is all.
bool keeps_all(double share);

}  // namespace oracle
