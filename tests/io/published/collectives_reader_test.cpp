#include "oracle/io/published/collectives_reader.h"

#include <gtest/gtest.h>

namespace oracle {
namespace collectives_reader_test {

constexpr const char* kGood = R"({
  "schema": "oracle/published-collectives/1", "operation": "all_reduce", "set": "fit",
  "source": "a page",
  "runs": [
    {"cluster": "abci", "ranks": 8, "message": "1 MiB", "time": "120 us"}
  ]
})";

std::string problem_of(std::string text, const std::string& from, const std::string& to) {
  text.replace(text.find(from), from.size(), to);
  try {
    read_published_collectives(json::parse(text, "c.json"));
  } catch (const InputError& error) {
    return error.what();
  }
  return "read without a problem";
}

TEST(CollectivesReader, ReadsEveryMember) {
  const PublishedCollectives published =
      read_published_collectives(json::parse(kGood, "folder/c.json"));
  EXPECT_EQ(published.id, "c");
  EXPECT_TRUE(published.fitted);
  ASSERT_EQ(published.runs.size(), 1U);
  EXPECT_EQ(published.runs[0].cluster, "abci");
  EXPECT_EQ(published.runs[0].ranks, 8);
  EXPECT_EQ(published.runs[0].message.value, 1048576);
  EXPECT_EQ(published.runs[0].time, Seconds{120e-6});
  EXPECT_EQ(published.runs[0].line, 5);
}

TEST(CollectivesReader, SaysWhatIsWrong) {
  EXPECT_NE(problem_of(kGood, "all_reduce", "broadcast").find("/operation"), std::string::npos);
  EXPECT_NE(problem_of(kGood, "\"fit\"", "\"fits\"").find("/set"), std::string::npos);
  EXPECT_NE(problem_of(kGood, ": 8", ": 1").find("/runs/0/ranks"), std::string::npos);
  EXPECT_NE(problem_of(kGood, "120 us", "0 us").find("/runs/0/time"), std::string::npos);
  EXPECT_NE(problem_of(kGood, "\"time\"", "\"times\"").find("/runs/0"), std::string::npos);
}

TEST(CollectivesReader, EveryShippedFileIsRead) {
  std::size_t fitted = 0, judging = 0;
  for (const PublishedCollectives& published : load_published_collectives()) {
    (published.fitted ? fitted : judging) += published.runs.size();
  }
  EXPECT_GE(fitted, 220U);
  EXPECT_GE(judging, 600U);
}

}  // namespace collectives_reader_test
}  // namespace oracle
