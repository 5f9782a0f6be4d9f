#pragma once
// What does a provider's list say?                    tests/io/budget/price_list_reader_test.cpp

#include <string_view>

#include "oracle/budget/price_list.h"
#include "oracle/io/json/document.h"

namespace oracle {

/// Throws InputError with every problem of the file.
PriceList read_price_list(const json::Document& document);

/// A name of data/prices or a path.
PriceList load_price_list(std::string_view name);

/// The providers of data/prices that offer the device.
std::vector<std::string> providers_of(std::string_view device);

}  // namespace oracle
