#pragma once
// Under which circumstances was a part measured? tests/io/samples/samples_reader_test.cpp

#include "oracle/io/samples/fields.h"

namespace oracle::samples {

/// `ignored` counts what is not known under "PART/runs/NAME".
Run read_run(Fields& fields, const std::string& part, std::map<std::string, std::size_t>& ignored);

}  // namespace oracle::samples
