#pragma once
// How is a step broken down and explained, by the commands that price one?

#include <array>
#include <string_view>
#include <utility>

#include "oracle/cli/command.h"
#include "oracle/report/evaluation_report.h"

namespace oracle::cli {

inline constexpr Option kByOption = {"by", "layer|transfer|phase", "break the step down"};
inline constexpr std::array<std::pair<std::string_view, report::By>, 4> kBy = {
    {{"", report::By::none},
     {"layer", report::By::layer},
     {"transfer", report::By::transfer},
     {"phase", report::By::phase}}};
inline constexpr Option kExplainOption = {
    "explain", "", "what a better machine would gain, and what another setting"};

}  // namespace oracle::cli
