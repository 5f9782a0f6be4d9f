#pragma once
// What did Slurm give to the job that a process is part of?
//
// From the variables of sbatch and srun (their manual pages): SLURM_JOB_ID, SLURM_JOB_NODELIST
// (compressed), SLURM_TASKS_PER_NODE (compressed; of a step SLURM_STEP_TASKS_PER_NODE),
// SLURM_GPUS_ON_NODE.
//
// Worked: "gpu[01-03,07],login1" is gpu01, gpu02, gpu03, gpu07 and login1; "8(x2),4" is 8, 8 and 4
//                                                              tests/io/machine/slurm_test.cpp

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "oracle/cluster/machine.h"

namespace oracle {

inline constexpr std::size_t kMostHosts = 100'000;

/// Each throws InputError (place: the variable) for what Slurm does not write.
std::vector<std::string> expand_host_list(std::string_view list);
std::vector<std::int64_t> expand_task_counts(std::string_view counts);

/// The value of a variable of the environment, or nullptr.
using Environment = std::function<const char*(const char*)>;

/// None outside of a job.
std::optional<Allocation> read_allocation(const Environment& environment);

}  // namespace oracle
