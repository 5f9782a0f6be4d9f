#pragma once
// How many groups of channels (heads) does a layer have?

#include <cstdint>
#include <string_view>

#include "oracle/graph/attributes.h"

namespace oracle {

/// The attribute called `name`, `fallback` where it is not written. Throws InputError (empty place)
/// unless it divides `channels`.                           tests/graph/kinds/transformer_test.cpp
std::int64_t read_groups(const Attributes& attributes, std::string_view name, std::int64_t channels,
                         std::int64_t fallback = 1);

}  // namespace oracle
