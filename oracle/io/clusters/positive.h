#pragma once
// How is a quantity read that must not be zero?
//
// Worked: positive<parse_bandwidth>("0 GB/s") → "0 GB/s" is zero; write a quantity above zero
//                                                         tests/io/clusters/cluster_reader_test.cpp

#include <string>
#include <string_view>

#include "oracle/base/in_quotes.h"
#include "oracle/base/quantity_text.h"

namespace oracle {

/// `parse` of base/quantity_text.h, refusing zero.
template <auto parse>
auto positive(std::string_view text) {
  const auto quantity = parse(text);
  if (quantity.value <= 0) {
    throw QuantityError(in_quotes(text) + " is zero", "write a quantity above zero");
  }
  return quantity;
}

}  // namespace oracle
