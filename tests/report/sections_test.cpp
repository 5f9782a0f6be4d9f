#include "oracle/report/sections.h"

#include <gtest/gtest.h>

#include "tests/report/fixtures.h"

namespace oracle::report {
namespace sections_test {

constexpr double kGib = 1024.0 * 1024 * 1024;

TEST(Sections, MemoryIsSaidInOneUnitWherePossible) {
  EXPECT_EQ(memory_phrase(Bytes{9.1 * kGib}, Bytes{15.9 * kGib}), "9.10 of 15.9 GiB");
  EXPECT_EQ(memory_phrase(Bytes{0.5 * kGib}, Bytes{16 * kGib}), "512 MiB of 16.0 GiB");
}

TEST(Sections, TheSentenceThatAnswers) {
  EXPECT_EQ(fit_sentence(small_fits(), small_cluster()),
            "step 41.2 ms ± 12 %   1,553 samples/s   9.10 of 15.9 GiB per GPU");
}

TEST(Sections, RanksThatShareADeviceAreNoGpus) {
  Cluster cluster = small_cluster();
  EXPECT_EQ(ranks_phrase(2, cluster), "2 GPUs");
  cluster.ranks_per_device = 2;
  EXPECT_EQ(ranks_phrase(2, cluster), "2 ranks");
  cluster.ranks_per_device = 1;
  cluster.device.device_class = DeviceClass::cpu;
  EXPECT_EQ(ranks_phrase(1, cluster), "1 rank");
}

TEST(Sections, ABatchIsSplitInWordsOnlyWhereItSplitsEvenly) {
  const Cluster cluster = small_cluster();
  Plan plan;
  const auto shard = [&](std::int64_t degree, State state) {
    plan.strategy.mesh = {{degree, Cut::sample}};
    plan.degrees = {degree};
    plan.pieces.resize(2);
    for (Piece& piece : plan.pieces) piece.input_layout = {state};
  };
  shard(64, State::sample);
  EXPECT_EQ(batch_phrase(2048, cluster, &plan), "batch 2,048 (32 per GPU)");
  EXPECT_EQ(batch_phrase(100, cluster, &plan), "batch 100");
  EXPECT_EQ(batch_phrase(32, cluster), "batch 32");
  // Filters are sharded, and each GPU takes all samples.
  shard(4, State::replicated);
  EXPECT_EQ(batch_phrase(64, cluster, &plan), "batch 64 (64 per GPU)");
  // Some layers by samples, others not.
  plan.pieces[0].input_layout = {State::sample};
  EXPECT_EQ(batch_phrase(64, cluster, &plan), "batch 64");
}

TEST(Sections, OneMicroBatchGoesWithoutSaying) {
  Strategy strategy = two_replicas();
  strategy.micro_batches = 1;
  EXPECT_EQ(strategy_text(strategy), "data:2");
  strategy.mesh.push_back({2, Cut::pipeline});
  EXPECT_NE(strategy_text(strategy).find("micro_batches=1"), std::string::npos);
}

TEST(Sections, PartsOfNothingAndOfRoundingAreNotShown) {
  Fits fits = small_fits();
  fits.timeline.breakdown.bubble = Seconds{1e-17};
  std::size_t shown = 0;
  for (const Row& row : breakdown_table(fits).rows) shown += row.shown ? 1 : 0;
  EXPECT_EQ(shown, 4U);
}

TEST(Sections, EvidenceIsSharedOutMostFirst) {
  const Fields fields = limit_fields(small_fits());
  EXPECT_EQ(fields.rows.back().cell.text, "assumed 75 %, measured 25 % of busy time");
}

TEST(Sections, AssumptionsWithOneReasonShareALine) {
  const Graph graph = small_graph();
  const Cluster cluster = small_cluster();
  const Evaluation evaluation = fitting();
  EXPECT_EQ(assumption_notes({graph, cluster, {"the batch"}}, &evaluation).lines,
            (std::vector<std::string>{"the batch", "link, card: a guess", "samples are at hand"}));
  const Evaluation no = refused();
  EXPECT_EQ(assumption_notes({graph, cluster, {"the batch"}}, &no).lines,
            std::vector<std::string>{"the batch"});
}

}  // namespace sections_test
}  // namespace oracle::report
