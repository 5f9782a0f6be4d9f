#include "oracle/report/machine_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>

#include "oracle/report/format/format.h"

namespace oracle::report {
namespace machine_report_test {

using testing::HasSubstr;
using testing::Not;

Machine machine() {
  Machine machine;
  machine.host = "node7";
  machine.processor = {"Some CPU", 2, 4, 8, 3};
  machine.memory = Bytes{16.0 * (1U << 30)};
  machine.interfaces = {{"ens1", "Ethernet", "up", Bandwidth{12.5e9}, 1},
                        {"ens2", "Ethernet", "down", std::nullopt, std::nullopt}};
  machine.gpus = {{"NVIDIA A100", "0000:07:00.0", 3, "8.0", {{"0000:0f:00.0", 4}}}};
  machine.unknown = {"speed of ens2: none"};
  return machine;
}

std::string text_of(const Machine& machine, const char* format) {
  const BuiltWith libraries[] = {{"MPI", "3.1"}, {"CUDA", ""}};
  std::ostringstream out;
  format_named(format).write(machine_report(machine, libraries), {}, out);
  return out.str();
}

TEST(MachineReport, SaysWhatIsThereAndWhatIsUnknown) {
  const std::string text = text_of(machine(), "table");
  EXPECT_THAT(text, HasSubstr("node7   4 cores   16.0 GiB   1 GPU"));
  EXPECT_THAT(text, HasSubstr("12.5 GB/s"));
  EXPECT_THAT(text, HasSubstr("unknown"));
  EXPECT_THAT(text, HasSubstr("speed of ens2: none"));
  EXPECT_THAT(text, HasSubstr("absent"));
  EXPECT_THAT(text, Not(HasSubstr("allocation")));
}

TEST(MachineReport, JsonHasNumbersAndNeverAZeroForWhatIsUnknown) {
  const std::string text = text_of(machine(), "json");
  EXPECT_THAT(text, HasSubstr("\"schema\": \"oracle/machine/1\""));
  EXPECT_THAT(text, HasSubstr("12500000000"));
  EXPECT_THAT(text, HasSubstr("4 to 0000:0f:00.0"));
  EXPECT_THAT(text, Not(HasSubstr("\"value\": 0,")));
}

TEST(MachineReport, AnAllocationIsShown) {
  Machine in_a_job = machine();
  in_a_job.allocation = Allocation{"476", {"a1", "a2"}, {8, 4}, 4};
  const std::string text = text_of(in_a_job, "table");
  EXPECT_THAT(text, HasSubstr("a1,a2"));
  EXPECT_THAT(text, HasSubstr("4 to 8"));
}

TEST(MachineReport, NothingAtAllIsStillAnAnswer) {
  const std::string text = text_of(Machine{}, "table");
  EXPECT_THAT(text, HasSubstr("this machine   1 usable thread   0 GPUs"));
}

}  // namespace machine_report_test
}  // namespace oracle::report
