#pragma once
// What do steps that jobs measured on the cluster say of its kernels?
//
//   --measured train.log --measured "data:8; batch=2048; step=310 ms"
//
// A log is read as `oracle job` reads it; a text is a strategy whose options say, besides, the
// batch and the step or the throughput, of the network and the training that the command is asked
// about.                                                    tests/cli/measured_runs_test.cpp

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "oracle/cli/arguments.h"
#include "oracle/cluster/cluster.h"
#include "oracle/evaluate/measured_pace.h"
#include "oracle/io/jobs/job.h"

namespace oracle::cli {

inline constexpr Option kMeasuredOption = {
    "measured", "RUN,…",
    "a step that a job measured on such a cluster, or several: its log, or \"data:8; batch=2048; "
    "step=310 ms\"; kernels are as fast as it says"};

/// What a job ran, as the engine is asked.
struct JobStep {
  Graph graph;
  Strategy strategy;
  Training training;
};
/// The network is the job's own unless one is given.
JobStep step_of(const Job& job, std::optional<Graph> network = std::nullopt);

/// Texts of an option that may be given several times, and whose texts may hold commas themselves.
std::vector<std::string> measured_texts(std::string_view joined);

/// Gives the cluster the pace that the runs of --measured say, with a line of its assumptions for
/// each. Throws InputError where a run is none, and where the profile holds measured kernels.
void learn_pace(const Arguments& arguments, const Graph& graph, const Training& training,
                const Profile& profile, Cluster& cluster);

}  // namespace oracle::cli
