#pragma once
// How do the training steps of a folder of samples become comparisons?
//
//   mode as measured   precision as predicted   what differs
//   fp32, tf32         fp32, tf32               –
//   amp                bf16                     gradients are 4 bytes, 2 as predicted
//   bf16               bf16                     no copy of the weights in fp32, one as predicted
//
// A step is compared where models/ holds its network with as many parameters as were measured. Its
// device is the one of data/devices whose name holds each word of PyTorch's name for it ("NVIDIA
// H200" is NVIDIA H200-SXM5-141GB), unless the machine is named.
//                                                                tests/cli/sampled_steps_test.cpp

#include <string>
#include <string_view>
#include <vector>

#include "oracle/cluster/cluster.h"
#include "oracle/io/samples/samples.h"
#include "oracle/report/step_accuracy_report.h"

namespace oracle::cli {

/// One device of data/devices, alone. Throws InputError unless exactly one has that name.
Cluster machine_called(std::string_view device);

/// Whether each word of `name`, letters and digits, is a word of `full`.
bool names_device(std::string_view name, std::string_view full);

struct SampledSteps {
  std::vector<report::JudgedStep> judged;  ///< by network, mode, way and batch
  std::vector<std::string> left_out;       ///< a line each, equal ones counted
};

SampledSteps judge_sampled_steps(const samples::Samples& samples, const Cluster& machine);

report::SampleOrigin origin_of(const samples::Samples& samples, const Cluster& machine);
std::vector<std::string> notes_on(const samples::Samples& samples);

}  // namespace oracle::cli
