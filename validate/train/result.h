#pragma once
// What does a run leave behind: a page of text and a JSON file with its full context?

#include <string>

#include "validate/train/context.h"
#include "validate/train/input.h"
#include "validate/train/outcome.h"
#include "validate/train/request.h"

namespace oracle {

/// The page that rank 0 prints.
std::string summary_text(const TrainRequest& request, const RunInput& input, const Plan& plan,
                         const Outcome& outcome);

std::string result_json(const RunContext& context, const TrainRequest& request,
                        const RunInput& input, const Plan& plan, const Outcome& outcome);

}  // namespace oracle
