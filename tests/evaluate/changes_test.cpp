#include <gtest/gtest.h>
#include <set>

#include "oracle/evaluate/sensitivity.h"
#include "tests/plan/tiny_graphs.h"

namespace oracle {
namespace changes_test {

std::set<std::string> texts(const std::string& strategy) {
  std::set<std::string> found;
  for (const ChangedStrategy& change : changes_of(dense_chain({8, 8}), parse_strategy(strategy))) {
    EXPECT_TRUE(found.insert(change.text).second) << change.text;
  }
  return found;
}

TEST(Changes, ChangeOneSettingEach) {
  EXPECT_EQ(
      texts("data:4; exchange=tree; bucket=10 MiB"),
      (std::set<std::string>{"overlap=off", "bucket=5.00 MiB", "bucket=20.0 MiB", "exchange=auto",
                             "exchange=ring", "exchange=double_tree", "exchange=halving_doubling",
                             "exchange=hierarchical", "zero=1", "zero=2", "zero=3"}));
  const std::set<std::string> pipeline =
      texts("pipeline:2; micro_batches=6; schedule=gpipe; overlap=off");
  for (const char* text : {"overlap=on", "micro_batches=3", "micro_batches=12", "schedule=1f1b"}) {
    EXPECT_TRUE(pipeline.contains(text)) << text;
  }
  EXPECT_FALSE(pipeline.contains("schedule=gpipe"));
}

TEST(Changes, ReadBackAsWhatTheyAre) {
  const std::string base = "data:2,pipeline:2; micro_batches=4";
  for (const ChangedStrategy& change : changes_of(dense_chain({8, 8, 8}), parse_strategy(base))) {
    EXPECT_EQ(parse_strategy(base.substr(0, base.find(';')) +
                             (change.text.starts_with("micro") ? "; " : "; micro_batches=4; ") +
                             change.text),
              change.strategy)
        << change.text;
  }
}

}  // namespace changes_test
}  // namespace oracle
