#pragma once
// Which job do the arguments of Megatron-LM describe?                  tests/io/jobs/job_test.cpp

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "oracle/io/jobs/job.h"

namespace oracle::megatron {

/// As read_job and read_job_network, of a log or a script of Megatron-LM.
Job job_in(std::string_view text, const std::string& name, std::optional<std::int64_t> ranks);
JobNetwork network_in(std::string_view text, const std::string& name);

}  // namespace oracle::megatron
