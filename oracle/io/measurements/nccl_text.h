#pragma once
// What does the text of nccl-tests say?
//
// The heading above the rows names the columns: up to 2.12 "size count type redop time algbw busbw
// error" and again the last four (12 columns; 11 where nothing is reduced), since then with "root"
// and "#wrong" (13), with -I "i_min i_max i_p99 i_cv%" after each side. Without a heading, rows of
// 12 and 13 columns are taken for those. Sizes are bytes, times microseconds, GB = 10^9. "#  Rank"
// lines give ranks and hosts. Everything else (NCCL INFO, footers) is passed over.
//
// Worked: see nccl.h                               tests/io/measurements/nccl_text_test.cpp

#include <string>
#include <string_view>

#include "oracle/io/measurements/measurements.h"

namespace oracle {

bool is_nccl_text(std::string_view text);
void read_nccl_text(std::string_view text, const std::string& name, const MeasurementHints& hints,
                    Measurements& into);

}  // namespace oracle
