#pragma once
// May constants be fitted on the runs of a file?
//
// Those of "set": "fit" may; those of "judge", and where nothing is said, say how right the result
// is, and nothing is ever fitted on them. tests/io/published/published_reader_test.cpp

#include "oracle/io/json/document.h"

namespace oracle {

bool read_set_of_runs(json::ObjectReader& object);

}  // namespace oracle
