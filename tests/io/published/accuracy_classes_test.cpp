#include "oracle/io/published/accuracy_classes.h"

#include <gtest/gtest.h>

namespace oracle {
namespace accuracy_classes_test {

std::vector<AccuracyClass> some() {
  return {{"one device", "any", "any", 40, 0.1, 0.9},
          {"one device", "any", "fp32", 30, 0.09, 0.91},
          {"one device", "volta", "fp32", 12, 0.06, 0.95},
          {"one device", "pascal", "fp32", 3, 0.2, 0.5}};
}

TEST(AccuracyClasses, TheNarrowestWithEnoughRunsIsLike) {
  const auto classes = some();
  EXPECT_EQ(most_like(classes, "one device", "volta", "fp32")->runs, 12);
  EXPECT_EQ(most_like(classes, "one device", "pascal", "fp32")->runs, 30) << "three say nothing";
  EXPECT_EQ(most_like(classes, "one device", "volta", "tf32")->runs, 40);
  EXPECT_EQ(most_like(classes, "pipeline", "volta", "fp32"), nullptr);
}

TEST(AccuracyClasses, SaysWhatIsWrong) {
  try {
    read_accuracy_classes(json::parse(
        R"({"schema": "oracle/accuracy-classes/1", "classes": [{"kind": "x", "runs": 0}]})",
        "a.json"));
    FAIL() << "was read";
  } catch (const InputError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("/classes/0/runs"), std::string::npos) << text;
    EXPECT_NE(text.find("generation"), std::string::npos) << text;
  }
}

TEST(AccuracyClasses, TheShippedTableHasTheCommonKinds) {
  const auto classes = load_accuracy_classes();
  EXPECT_NE(most_like(classes, "one device", "volta", "fp32"), nullptr);
  EXPECT_NE(most_like(classes, "data parallel", "volta", "fp32"), nullptr);
}

}  // namespace accuracy_classes_test
}  // namespace oracle
