#pragma once
// Which job does a log of torchtitan describe?
//
//   Building 2-D device mesh with ['dp_shard', 'tp'], [4, 2]
//   Building llama3 8B with TransformerModelArgs(dim=4096, n_layers=32, n_heads=32, …
//   Applied selective activation checkpointing to the model
//   Compiling each TransformerBlock with torch.compile
//   Trainer is initialized with local batch size 2, global batch size 16, …
//   step: 10  loss: …  memory: 28.40GiB(29.9%)  tps: 7,000  …
//
// Releases from 2024 on; those of 2026 write "Building device mesh with parallelism: pp=1, …". What
// a log leaves open is taken as it is by default, and a note says so. A step takes
//
//   global batch · sequence length / (tps · ranks)          tps: of a device, between two lines
//
// Colors that it writes for a terminal are taken out. The first step warms up and does not count.
//
// Worked: 16 texts of 8,192 tokens at 7,000 a second on each of 8 ranks: 2.34 s
//                                                        tests/io/jobs/torchtitan_job_test.cpp

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "oracle/io/jobs/job.h"

namespace oracle::titan {

/// Whether a line of it says that a mesh of devices is built.
bool is_log(std::string_view text);

/// As read_job. Only groups of data grow with `ranks`.
Job job_in(std::string_view text, const std::string& name, std::optional<std::int64_t> ranks);

}  // namespace oracle::titan
