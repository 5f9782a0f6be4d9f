#include "oracle/report/storage_section.h"

#include <gtest/gtest.h>

#include "tests/report/rendered.h"

namespace oracle::report {
namespace storage_section_test {

std::string shown(const StorageCosts& costs) {
  Document document;
  document.sections.emplace_back(storage_fields(costs));
  return as_table(document);
}

StorageCosts waiting() {
  StorageCosts costs;
  costs.request = {2, 100};
  costs.input = InputCost{.samples = 32,
                          .sample = Bytes{150528},
                          .storage = {Seconds{0.0482}, Source::measured, 0.1},
                          .workers = {Seconds{0.145}, Source::measured, 0.1},
                          .exposed = {Seconds{0.0445}, Source::measured, 0.3}};
  costs.checkpoint =
      CheckpointCost{Bytes{204.0 * 1024 * 1024}, {Seconds{2.1}, Source::fitted, 0.2}};
  costs.step = {Seconds{0.166}, Source::measured, 0.1};
  return costs;
}

TEST(StorageSection, SaysWhatAStepWaitsFor) {
  const std::string text = shown(waiting());
  for (const char* part :
       {"48.2 ms ± 10 %  32 samples of 151 kB a rank",
        "145 ms ± 10 %  2 workers to read and decode", "44.5 ms ± 30 %  waiting for workers",
        "2.10 s ± 20 %  204 MiB, every 100 steps", "step with these  166 ms ± 10 %"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
}

TEST(StorageSection, WhatIsNotKnownIsNoNumber) {
  StorageCosts costs = waiting();
  costs.request = {1, 0};
  costs.input->cached = true;
  costs.input->exposed = {};
  const std::string text = shown(costs);
  EXPECT_NE(text.find("not known: samples were read from memory"), std::string::npos) << text;
  EXPECT_NE(text.find("exposed input    0 s\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("every"), std::string::npos) << text;
  costs.input.reset();
  EXPECT_EQ(shown(costs).find("workers"), std::string::npos);
}

StorageCosts from_nfs() {
  StorageCosts costs = waiting();
  SampleReading reading;
  reading.storage.id = "nfs";
  reading.storage.name = "file server";
  costs.request.reading = reading;
  return costs;
}

TEST(StorageSection, NamesADescribedStorage) {
  const std::string text = shown(from_nfs());
  EXPECT_NE(text.find("nfs: file server"), std::string::npos) << text;
  // Without a rate none is decoded.
  EXPECT_NE(text.find("2 workers to read\n"), std::string::npos) << text;
}

TEST(StorageSection, SaysWhatIsAssumedOfAStorage) {
  StorageSystem storage;
  storage.id = "nfs";
  storage.sources = {{"read", Source::measured, "NoPFS"},
                     {"write", Source::assumed, "round trips"},
                     {"open", Source::assumed, "round trips"}};
  const Graph none;
  const Cluster cluster;
  Subject subject{none, cluster, {"the batch"}};
  assume(storage, subject);
  EXPECT_EQ(subject.assumptions,
            (std::vector<std::string>{"the batch", "storage nfs: round trips"}));
}

TEST(StorageSection, ASentenceSaysWhetherInputLimits) {
  StorageCosts costs = from_nfs();
  EXPECT_EQ(input_sentence(*costs.input, costs.request),
            "a rank reads 32 samples of 151 kB from nfs in 48.2 ms; 2 workers to read take 145 ms; "
            "44.5 ms of each step are waiting for workers");
  costs.input->exposed = {};
  costs.request.workers = 1;
  EXPECT_TRUE(input_sentence(*costs.input, costs.request)
                  .ends_with("1 worker to read takes 145 ms; a step does not wait for them"));
}

}  // namespace storage_section_test
}  // namespace oracle::report
