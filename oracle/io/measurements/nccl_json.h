#pragma once
// What does the JSON of nccl-tests (option -J, since 2.17) say?
//
// One object: "args" with the program's name first, "config" with "devices" (rank, hostname),
// "results" of size, out_of_place and in_place {time, alg_bw, bus_bw, nwrong}; a "cpu_time" is no
// time of the device. A number that was none is the text "nan", one that was not taken null.
//
// Worked: a result of 4 MB with 41.3 us out of place alone is one sample
//                                                  tests/io/measurements/nccl_json_test.cpp

#include <string>
#include <string_view>

#include "oracle/io/measurements/measurements.h"

namespace oracle {

bool is_nccl_json(std::string_view text);
void read_nccl_json(std::string_view text, const std::string& name, const MeasurementHints& hints,
                    Measurements& into);

}  // namespace oracle
