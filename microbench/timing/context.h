#pragma once
// Under what circumstances was it measured?             tests/microbench/timing/context_test.cpp

#include <iosfwd>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace oracle {

/// Names and values, in the order they are written.
using MeasuringContext = std::vector<std::pair<std::string, std::string>>;

/// Command, date, system's load, version, commit, compiler and kind of build. Whoever measures adds
/// device, libraries and clock.
MeasuringContext measuring_context(std::span<const char* const> words);

/// Whether a hypervisor runs this machine, and may move its processors. x86 says so, others do not.
bool on_virtual_machine();

/// The same of a processor as /proc/cpuinfo describes it.
bool is_virtual(std::istream& cpuinfo);

/// ISO 8601, universal time.
std::string date_now();
/// The system's load, as /proc/loadavg writes it.
std::string load_now();

/// Seconds that the hypervisor gave to others while this machine wanted to run, since it started.
double stolen_seconds();

}  // namespace oracle
