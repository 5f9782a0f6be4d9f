#pragma once
// What do gradients become that travel compressed, and what becomes of them on arrival?
//
// One row for each of plan/exchanges that compresses: the layout of its bytes is that of its file.
// A value that is not finite arrives as one that is not.
//                                                   tests/microbench/compression/codec_test.cpp

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "microbench/elements/element.h"

namespace oracle {

struct Codec {
  std::string_view name;  ///< of the row
  /// As messages take it: fp32 stands for any four bytes. Where values are rounded to elements and
  /// nothing else, there are no functions.
  Element element;
  /// Writes `values` to `to`, which has room for what they are packed to, and leaves in them what
  /// that does not say.
  void (*compress)(std::span<float> values, double parameter, std::byte* to) = nullptr;
  /// What `from` says is written to `to`, or added to `sum`. Null where the sum's places are found.
  void (*write)(const std::byte* from, double parameter, std::span<float> to) = nullptr;
  void (*add)(const std::byte* from, double parameter, std::span<float> sum) = nullptr;
  /// Writes to `to` what two of so many values together are packed to, whichever comes first. Null
  /// where ranks do not merge.
  void (*merge)(const std::byte* one, const std::byte* other, std::int64_t elements,
                double parameter, std::byte* to) = nullptr;
  /// Adds to `left` what `sent` says and `arrived` does not: values that others' were preferred to.
  void (*take_back)(const std::byte* sent, const std::byte* arrived, double parameter,
                    std::span<float> left) = nullptr;
  /// Where the values are that the sum of all ranks' says are largest, which then travel as they
  /// are; `room` for all values. Null where none do.
  std::vector<std::uint32_t> (*places)(const std::byte* from, double parameter,
                                       std::span<float> room) = nullptr;
};

/// Throws Defect where no row has that name.
const Codec& codec_named(std::string_view name);

}  // namespace oracle
