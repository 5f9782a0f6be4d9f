#include "tests/conformance/ledger.h"

#include <cmath>
#include <gtest/gtest.h>
#include <iostream>

namespace oracle::paradl {

bool alike(double value, double printed, double slack) {
  if (printed == 0) return value == 0;
  const double unit = std::pow(10.0, std::floor(std::log10(std::abs(printed))) - 6);
  return std::abs(value - printed) <= 0.500001 * unit + slack * std::abs(printed);
}

void Ledger::compare(const Case& printed, const std::string& metric, Seconds ours, double slack) {
  const auto figure = printed.figures.find(metric);
  if (figure == printed.figures.end()) return;
  EXPECT_TRUE(alike(ours.value, figure->second, slack))
      << printed.id << ' ' << metric << ": ours " << ours.value << ", printed " << figure->second;
  ++seen_[printed.id];
  ++compared_;
}

void Ledger::compare_step(const Case& printed, Seconds compute, Seconds communication,
                          double slack) {
  compare(printed, "iteration_time_compute", compute, slack);
  compare(printed, "iteration_time_communication", communication);
  compare(printed, "iteration_time", compute + communication, slack);
  compare(printed, "epoch_time",
          static_cast<double>(printed.iterations) * (compute + communication), slack);
}

void Ledger::leave_rest(const Case& printed, const std::string& reason) {
  const int memory = static_cast<int>(printed.figures.count("memory_per_gpu"));
  const int rest = static_cast<int>(printed.figures.size()) - seen_[printed.id] - memory;
  left_out_[reason] += rest;
  seen_[printed.id] += rest;
}

int Ledger::left_out(const std::string& reason) const {
  const auto found = left_out_.find(reason);
  return found == left_out_.end() ? 0 : found->second;
}

void Ledger::close(std::string_view strategy) {
  int unseen = 0;
  for (const Case& printed : cases_of(strategy)) {
    left_out_[kMemory] += static_cast<int>(printed.figures.count("memory_per_gpu"));
    unseen += static_cast<int>(printed.figures.size() - printed.figures.count("memory_per_gpu")) -
              seen_[printed.id];
  }
  EXPECT_EQ(unseen, 0) << "figures of " << strategy << " neither compared nor left out";
  std::cout << strategy << ": " << compared_ << " figures compared\n";
  for (const auto& [reason, count] : left_out_) {
    std::cout << "  " << count << " left out: " << reason << '\n';
  }
}

}  // namespace oracle::paradl
