#pragma once
// What does a training take until it is done, on how many devices is it fastest, cheapest or least
// of energy, and what of that is least certain? tests/report/budget_report_test.cpp

#include "oracle/budget/data_set.h"
#include "oracle/report/sections.h"
#include "oracle/search/budget.h"

namespace oracle::report {

/// What the length of the run comes from.
struct BudgetView {
  const Convergence* convergence = nullptr;  ///< null: the length was asked for
  const DataSet* data_set = nullptr;         ///< null: samples were counted by the user
  Bytes checkpoint{};                        ///< of a checkpoint
  const Evaluation* detailed = nullptr;      ///< of the best run, with what it assumes
};

Document budget_report(const Subject& subject, const BudgetStudy& study,
                       const BudgetRequest& request, const BudgetView& view);

}  // namespace oracle::report
