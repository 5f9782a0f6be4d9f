#pragma once
// What does the text of the OSU micro-benchmarks say?
//
// "# OSU MPI Allreduce Latency Test v7.5" names the operation ("MPI-CUDA" where buffers are a
// GPU's), "# Size  Avg Latency(us)  Min Latency(us) …" the columns. Times are microseconds, the
// mean over ranks; with -f their range over ranks. Bandwidth is in 10^6 bytes a second, of messages
// that follow each other. The size of a collective is what one rank gives to each other one
// (all-to-all) or to all (allgather), of the others the whole buffer:
//
//   title                     operation        bytes
//   Latency                   message          size
//   Bandwidth                 stream           size, in size/bandwidth
//   Allreduce                 all_reduce       size
//   Reduce_scatter            reduce_scatter   size
//   Allgather                 all_gather       n·size
//   All-to-All Personalized   all_to_all       n·size
//
// How many ranks took part is not printed: a hint says it.
//
// Worked: osu_bw: 4194304 bytes at 24453.38 MB/s: 171.5 us a message
//                                                        tests/io/measurements/osu_test.cpp

#include <string>
#include <string_view>

#include "oracle/io/measurements/measurements.h"

namespace oracle {

bool is_osu(std::string_view text);
void read_osu(std::string_view text, const std::string& name, const MeasurementHints& hints,
              Measurements& into);

}  // namespace oracle
