#pragma once
// Which sentences does the answer of a budget end with?
//
// What is least certain, what the length is based on, the learning rate, failures, and why counts
// do not fit. Views, like the tables of budget_report.h. tests/report/budget_report_test.cpp

#include <optional>
#include <string>
#include <vector>

#include "oracle/report/budget_report.h"

namespace oracle::report {

/// "$12.4"
std::string money(double dollars);

/// "99.6 %": what is lost shows in its last digits.
std::string goodput_text(double share);

/// What the answer errs by most, and where the far end of its interval breaks a limit.
Notes uncertainty_notes(const BudgetRun& best, const BudgetRequest& request);

/// What the length of the run is based on, and what the best run, where there is one, reads.
Notes data_notes(const Subject& subject, const BudgetStudy& study, const BudgetRequest& request,
                 const BudgetView& view);

/// The rate of the rules, and that of the nearest published point.
Notes rate_notes(const BudgetRun& best, const BudgetRequest& request, const BudgetView& view);

/// What a run that counts it waits for its samples.
Notes input_notes(const BudgetRun& best, const BudgetRequest& request);

/// What failures and checkpoints leave of a run that counts them.
Notes failure_notes(const Subject& subject, const BudgetRun& best, const BudgetRequest& request,
                    const BudgetView& view);

/// Why counts do not fit, the first of each reason.
Notes refusal_notes(const Subject& subject, const BudgetStudy& study);

/// What a budget assumes besides its steps.
std::vector<std::string> budget_assumptions(const BudgetRequest& request);

}  // namespace oracle::report
