#pragma once
// Which floats of a parameter's memory are its own, where zeros fill up its last block?
//
// A parameter in blocks of its outermost dimension, which lie innermost, has all blocks but the
// last whole, and of each row of the last block a part: what a message carries is copied in the
// order of memory, without the zeros.
//
// Worked: 1000 filters of 32 channels in blocks of 64 filters: 30720 floats, then of 32 rows of 64
// floats the first 40                           tests/microbench/kernels/cpu/kept_floats_test.cpp

#include <cstdint>
#include <oneapi/dnnl/dnnl.hpp>
#include <optional>
#include <span>

namespace oracle {

struct KeptFloats {
  std::int64_t whole = 0;         ///< floats, from the first on
  std::int64_t rows = 0;          ///< after these
  std::int64_t own = 0, row = 0;  ///< floats of each row that are the parameter's, and all

  bool operator==(const KeptFloats&) const = default;
};

/// Nothing of a format that is filled up in another way.
std::optional<KeptFloats> kept_floats(const dnnl::memory::desc& format);

/// Calls visit(span) for the own floats of `memory`, piece by piece.
template <class Float, class Visit>
void for_each_piece(const KeptFloats& kept, Float* memory, const Visit& visit) {
  visit(std::span<Float>(memory, static_cast<std::size_t>(kept.whole)));
  for (std::int64_t r = 0; r < kept.rows; ++r) {
    visit(std::span<Float>(memory + kept.whole + r * kept.row, static_cast<std::size_t>(kept.own)));
  }
}

/// The own floats of `memory`, side by side in `dense`.
void gather(const KeptFloats& kept, const float* memory, float* dense);
/// Back; the zeros stay what they are.
void scatter(const KeptFloats& kept, const float* dense, float* memory);

}  // namespace oracle
