#pragma once
// How long does a search of hyper-parameters take, by the devices of each trial, and when is more
// than one worth it?                                         tests/cli/trials_test.cpp

#include "oracle/report/sections.h"
#include "oracle/search/trial_study.h"

namespace oracle::report {

/// fastest: 2 GPUs per trial, 16 at a time   33.9 h ± 53 %   1,084 GPU-hours
/// resnet50 on 32 GPUs of dgx-a100, 16 trials, random, 90.0 epochs each, …
///
///   GPUs each  at a time    step  one trial  search     ±  in use  GPU-hours
///           1         32  513 ms     64.2 h  64.2 h  55 %    50 %      2,055
/// `detailed`: a trial of the best point, with what it assumes; null: there is none.
Document trials_report(const Subject& subject, const TrialStudy& study, const TrialRequest& request,
                       const Evaluation* detailed);

}  // namespace oracle::report
