#include "oracle/plan/infeasible.h"

#include <gtest/gtest.h>
#include <set>

namespace oracle {
namespace infeasible_test {

TEST(Infeasible, SaysNeedHaveAndRemedy) {
  const Infeasible filters{Constraint::filters, "layer fc8", 2048, 1000, "filters", "use fewer"};
  EXPECT_EQ(to_text(filters), "layer fc8: needs 2048 filters, has 1000 filters; use fewer");
}

TEST(Infeasible, SaysOnceWhatTheyAreOfWhichThereAreTooFew) {
  const Infeasible experts{
      Constraint::filters, "layer up", 16, 8, "experts that the degree divides", "use fewer"};
  EXPECT_EQ(to_text(experts),
            "layer up: needs 16 experts that the degree divides, has 8; use fewer");
}

TEST(Infeasible, SaysMemoryInBinaryUnits) {
  const Infeasible memory{Constraint::memory,
                          "device memory",
                          32.0 * 1024 * 1024 * 1024,
                          16.0 * 1024 * 1024 * 1024,
                          "B",
                          ""};
  EXPECT_EQ(to_text(memory), "device memory: needs 32.0 GiB, has 16.0 GiB");
}

TEST(Infeasible, SaysWhatIsMissingWhereNeedAndHaveLookAlike) {
  constexpr double kMiB = 1024 * 1024;
  const Infeasible memory{Constraint::memory, "device memory", 16390 * kMiB, 16384 * kMiB, "B",
                          "cut more"};
  EXPECT_EQ(to_text(memory), "device memory: needs 16.0 GiB, 6.00 MiB more than it has; cut more");
}

TEST(Constraint, HasANameOfItsOwn) {
  std::set<std::string_view> names;
  for (std::size_t c = 0; c < kConstraintCount; ++c) {
    EXPECT_TRUE(names.insert(name_of(static_cast<Constraint>(c))).second);
  }
  EXPECT_EQ(name_of(Constraint::number_format), "number_format");
  EXPECT_EQ(name_of(Constraint::memory), "memory");
}

}  // namespace infeasible_test
}  // namespace oracle
