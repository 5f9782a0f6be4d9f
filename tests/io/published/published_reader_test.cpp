#include "oracle/io/published/published_reader.h"

#include <gtest/gtest.h>
#include <random>
#include <string>

#include "oracle/io/data_path.h"

namespace oracle {
namespace published_reader_test {

constexpr const char* kGood = R"({
  "schema": "oracle/published/1", "cluster": "abci", "precision": "fp32", "optimizer": "sgd",
  "source": "a page",
  "runs": [
    {"model": "resnet50", "strategy": "data:2", "batch": 128, "throughput": "640 samples/s"},
    {"model": "vgg16", "input": "3x226x226", "strategy": "serial", "batch": 32, "step": "250 ms"}
  ]
})";

PublishedRuns read(const std::string& text) { return read_published(json::parse(text, "p.json")); }

std::string problem_of(const std::string& text) {
  try {
    read(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "read without a problem";
}

std::string with(const std::string& from, const std::string& to) {
  std::string text = kGood;
  text.replace(text.find(from), from.size(), to);
  return text;
}

TEST(PublishedReader, ThroughputAndStepBothGiveTheStepTime) {
  const PublishedRuns published = read(kGood);
  ASSERT_EQ(published.runs.size(), 2U);
  EXPECT_EQ(published.runs[0].step, Seconds{0.2});
  EXPECT_EQ(published.runs[1].step, Seconds{0.25});
  EXPECT_EQ(published.runs[1].input, "3x226x226");
  EXPECT_EQ(published.runs[1].sequence, 0);
  EXPECT_EQ(published.runs[1].line, 6);
  EXPECT_EQ(published.id, "p");
}

TEST(PublishedReader, ATextHasItsOwnTokensOrThoseOfTheModel) {
  EXPECT_EQ(read(with("\"input\": \"3x226x226\"", "\"sequence\": 8192")).runs[1].sequence, 8192);
  EXPECT_NE(
      problem_of(with("\"input\": \"3x226x226\"", "\"sequence\": 0")).find("/runs/1/sequence"),
      std::string::npos);
}

TEST(PublishedReader, ARunThatGivesNoTimeOrTwoIsRefused) {
  EXPECT_NE(problem_of(with(R"(, "step": "250 ms")", "")).find("p.json:6:/runs/1"),
            std::string::npos);
  EXPECT_NE(problem_of(with(R"("step": "250 ms")", R"("step": "1 s", "throughput": "1 samples/s")"))
                .find("give one of them"),
            std::string::npos);
}

TEST(PublishedReader, UnitsAndRangesAreChecked) {
  EXPECT_NE(problem_of(with("250 ms", "250")).find("has no unit"), std::string::npos);
  EXPECT_NE(problem_of(with("640 samples/s", "0 samples/s")).find("/runs/0/throughput"),
            std::string::npos);
  EXPECT_NE(problem_of(with("250 ms", "0 s")).find("/runs/1/step"), std::string::npos);
  EXPECT_NE(problem_of(with("128", "-128")).find("/runs/0/batch"), std::string::npos);
}

TEST(PublishedReader, AFileMayHoldNetworksOfItsOwn) {
  const PublishedRuns published = read(R"({
  "schema": "oracle/published/1", "cluster": "abci", "precision": "fp16", "optimizer": "adam",
  "source": "a page", "models": {"gpt-1x8": {"model_type": "gpt2"}},
  "runs": [
    {"model": "gpt-1x8", "sequence": 512, "strategy": "serial", "batch": 1, "step": "1 s",
     "memory": "10.5 GiB"}
  ]
})");
  ASSERT_EQ(published.models.size(), 1U);
  EXPECT_EQ(published.models.at("gpt-1x8").root.find("model_type")->string, "gpt2");
  EXPECT_EQ(published.runs[0].sequence, 512);
  EXPECT_EQ(published.runs[0].memory, Bytes{10.5 * 0x1p30});
  EXPECT_EQ(published.memory_shown, MemoryShown::allocated);
  EXPECT_NE(problem_of(with(R"("step": "250 ms")", R"("step": "1 s", "memory": "0 GiB")"))
                .find("/runs/1/memory"),
            std::string::npos);
}

TEST(PublishedReader, WhatShowsMemoryIsKnown) {
  const auto shown = [](const std::string& name) {
    return with(R"("optimizer":)", R"("memory_shown": ")" + name + R"(", "optimizer":)");
  };
  EXPECT_EQ(read(shown("device")).memory_shown, MemoryShown::device);
  EXPECT_NE(problem_of(shown("nvidia")).find("\"nvidia\" is shown by no tool"), std::string::npos);
}

TEST(PublishedReader, AnUnknownMemberIsRefusedWithASuggestion) {
  EXPECT_NE(problem_of(with(R"("strategy": "serial")", R"("stratgy": "serial")")).find("strategy"),
            std::string::npos);
}

TEST(PublishedReader, EveryShippedFileReads) {
  std::size_t runs = 0;
  for (const PublishedRuns& published : load_published()) runs += published.runs.size();
  EXPECT_GE(runs, 40U);
}

/// Any text either reads or is refused as an input.
TEST(PublishedReader, SurvivesMutatedFiles) {
  std::mt19937 random(7);
  int refused = 0;
  for (int i = 0; i < 2000; ++i) {
    std::string text = kGood;
    for (unsigned edits = 1 + random() % 4; edits > 0; --edits) {
      text[random() % text.size()] = static_cast<char>(32 + random() % 95);
    }
    try {
      read(text);
    } catch (const InputError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 1000);
}

}  // namespace published_reader_test
}  // namespace oracle
