#pragma once
// What is this machine?                                      tests/report/machine_report_test.cpp

#include <span>
#include <string_view>
#include <utility>

#include "oracle/cluster/machine.h"
#include "oracle/report/document.h"

namespace oracle::report {

/// A library this program may be built with, and its version; empty where it was not.
using BuiltWith = std::pair<std::string_view, std::string_view>;

Document machine_report(const Machine& machine, std::span<const BuiltWith> libraries);

}  // namespace oracle::report
