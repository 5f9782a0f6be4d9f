#pragma once
// What does the log of a training job say that ran, or its script that will run?
//
// Megatron-LM prints its arguments when it starts, one a line, all that it has, then a line for
// each step:
//
//   tensor_model_parallel_size ...................... 2
//   > padded vocab (size: 50257) with 47 dummy tokens (new size: 50304)
//   [Rank 0] (after 2 iterations) memory (MB) | … | max allocated: 12680.6 | … | max reserved:
//   13236 iteration        3/    5000 | … | elapsed time per iteration (ms): 12978.1 | …
//
// So does Megatron-DeepSpeed. A script has the same arguments (megatron_script.h). What torchtitan
// prints stands in torchtitan_job.h. A line may begin
// with what a launcher puts before it ("[default0]:"). The first step warms up and does not count.
//
// Worked: 8 ranks, 2 of them tensor parallel, global batch 128, micro-batches of 1, with a
// distributed optimizer: "data:4,tensor_sequence:2; micro_batches=32; zero=1; overlap=off"
//                                                                     tests/io/jobs/job_test.cpp

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "oracle/base/units.h"

namespace oracle {

/// Of it the network alone, which needs no ranks.
struct JobNetwork {
  std::string name{};                ///< of its file, without ending
  std::string config{};              ///< a config.json of Hugging Face
  std::string reason{};              ///< why the network is none that is known; else empty
  std::vector<std::string> notes{};  ///< what of it is priced as something else
  std::int64_t sequence = 1;
};

struct Job {
  JobNetwork network;
  std::string framework;  ///< a name of data/frameworks
  std::string strategy;
  std::string precision, optimizer;
  std::string gradients;  ///< their format; empty: the framework's
  std::int64_t ranks = 1, batch = 1;
  std::vector<Seconds> steps;      ///< of the whole batch, without the first
  Bytes allocated, reserved;       ///< the most of any rank; 0: not said
  std::vector<std::string> notes;  ///< what of it is priced as something else, or left out
};

/// Throws InputError with every problem: no argument in it, numbers that do not fit each other,
/// experts in groups that no mesh has.
/// `ranks`: in place of what the text says.
Job read_job(std::string_view text, const std::string& name,
             std::optional<std::int64_t> ranks = std::nullopt);

JobNetwork read_job_network(std::string_view text, const std::string& name);

/// Throw EnvironmentError as well.
JobNetwork load_job_network(const std::filesystem::path& file);
Job load_job(const std::filesystem::path& file, std::optional<std::int64_t> ranks = std::nullopt);

/// Whether a file of this name may be a log or a script, and is no JSON.
bool is_log_name(std::string_view name);

}  // namespace oracle
