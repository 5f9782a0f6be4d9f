#pragma once
// How does a framework run kernels, as its file says? tests/io/frameworks/framework_reader_test.cpp

#include <string_view>

#include "oracle/cluster/framework.h"
#include "oracle/io/json/document.h"

namespace oracle {

/// "gradients", "reduce", "master" and "frozen" of an object, where it has them.
void read_state_formats(json::ObjectReader& object, StateFormats& state);

/// Throws InputError with every problem of the file.
Framework read_framework(const json::Document& document);

/// A name of data/frameworks or a path.
Framework load_framework(std::string_view name);

}  // namespace oracle
