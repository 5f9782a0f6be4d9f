#pragma once
// In which order are a set's images trained on?
//
// Sample g of a run is image shuffled(g mod n) of n, again in every pass e = ⌊g/n⌋ over the set.
// The order is a keyed permutation, so that every rank knows its images without a list: a Feistel
// network over the next even number of bits (Luby & Rackoff, SIAM J. Comput. 17(2), 1988), walked
// on until it is below n (Black & Rogaway, CT-RSA 2002), which takes fewer than four turns a time.
//
// Worked: of 1 image every sample is image 0                   tests/validate/data/order_test.cpp

#include <cstdint>

namespace oracle {

/// The image of sample `sample`, of `images`.
std::int64_t image_of(std::uint64_t seed, std::int64_t sample, std::int64_t images);

}  // namespace oracle
