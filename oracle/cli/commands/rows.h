#pragma once
// One declaration per file of this folder; command.cpp lists them.

#include "oracle/cli/command.h"

namespace oracle::cli {

extern const Command kPlanCommand;
extern const Command kEstimateCommand;
extern const Command kJobCommand;
extern const Command kScaleCommand;
extern const Command kBudgetCommand;
extern const Command kTrialsCommand;
extern const Command kListCommand;
extern const Command kShowCommand;
extern const Command kNewCommand;
extern const Command kAccuracyCommand;
extern const Command kValidateCommand;
extern const Command kCompareCommand;
extern const Command kInspectCommand;
extern const Command kCalibrateCommand;

}  // namespace oracle::cli
