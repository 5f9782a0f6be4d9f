#pragma once
// How long does a search of hyper-parameters take on this machine, and what does it find?
//
// The queue that predicts a search (oracle/budget/trials.h) is served by processes: each run is an
// oracle-train on one rank, which goes on from its trial's checkpoint. What a run takes besides its
// steps is measured by one of a single step before the search begins.
//
// A run's loss is the mean over the last quarter of its steps; one that diverged is the worst.
//                                                     tests/validate/trials/trials_test.cpp

#include <cstdint>
#include <vector>

#include "oracle/base/units.h"
#include "oracle/budget/trial_course.h"
#include "oracle/report/document.h"
#include "validate/trials/request.h"

namespace oracle {

struct EndedRun {
  TrialRun run;
  double loss = 0;
  Seconds taken;
};

struct TrialsOutcome {
  std::vector<EndedRun> runs;  ///< in the order in which they ended
  Seconds makespan;
  Seconds start;  ///< of a run besides its steps
  TrialCourses predicted;
};

/// Throws EnvironmentError where a run does not end well.
TrialsOutcome run_trials(const TrialsRequest& request);

double loss_of(const std::vector<double>& losses);

report::Document trials_document(const TrialsRequest& request, const TrialsOutcome& outcome);

}  // namespace oracle
