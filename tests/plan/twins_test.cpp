#include "oracle/plan/twins.h"

#include <gtest/gtest.h>

#include "oracle/evaluate/evaluation.h"
#include "oracle/io/clusters/cluster_reader.h"
#include "oracle/io/models/model_reader.h"

namespace oracle {
namespace twins_test {

/// The same network, of whose blocks each is a run of its own, so that no stage is like another.
Graph without_runs(Graph graph) {
  std::vector<BlockRun> alone;
  for (const BlockRun& run : graph.runs) {
    for (LayerId first = run.first; first < run.end(); first += run.size) {
      alone.push_back({first, run.size, 1});
    }
  }
  graph.runs = std::move(alone);
  graph.alike = layers_alike(graph);
  return graph;
}

Training training() { return {512, precision_named("bf16"), optimizer_named("adam")}; }

std::vector<std::uint32_t> likes_of(const Plan& plan) {
  std::vector<std::uint32_t> likes;
  for (const Stage& stage : plan.stages) likes.push_back(stage.like);
  return likes;
}

void expect_equal(const Transfer& own, const Transfer& other) {
  EXPECT_EQ(own.collective, other.collective);
  EXPECT_EQ(own.axes, other.axes);
  EXPECT_EQ(own.bytes, other.bytes);
  EXPECT_EQ(own.payload, other.payload);
  EXPECT_EQ(own.layer, other.layer);
}

void expect_equal(const std::vector<Transfer>& own, const std::vector<Transfer>& other) {
  ASSERT_EQ(own.size(), other.size());
  for (std::size_t i = 0; i < own.size(); ++i) expect_equal(own[i], other[i]);
}

void expect_equal(const Item& own, const Item& other) {
  ASSERT_EQ(own.what.index(), other.what.index());
  EXPECT_EQ(own.phase, other.phase);
  EXPECT_EQ(own.reads.first, other.reads.first);
  EXPECT_EQ(own.writes.first, other.writes.first);
  EXPECT_EQ(own.first_need, other.first_need);
  if (const auto* work = std::get_if<Work>(&own.what)) {
    EXPECT_EQ(work->layer, std::get<Work>(other.what).layer);
    EXPECT_EQ(work->pass, std::get<Work>(other.what).pass);
  } else {
    expect_equal(std::get<Transfer>(own.what), std::get<Transfer>(other.what));
  }
}

void expect_equal(const PlanTensor& own, const PlanTensor& other) {
  EXPECT_EQ(own.layer, other.layer);
  EXPECT_EQ(own.role, other.role);
  EXPECT_EQ(own.layout, other.layout);
  EXPECT_EQ(own.target, other.target);
  EXPECT_EQ(own.bytes, other.bytes);
  EXPECT_EQ(own.made_by, other.made_by);
  EXPECT_EQ(own.part_of, other.part_of);
  EXPECT_EQ(own.storage, other.storage);
}

void expect_equal(const Stage& own, const Stage& other) {
  EXPECT_EQ(own.first, other.first);
  EXPECT_EQ(own.last, other.last);
  ASSERT_EQ(own.items.size(), other.items.size());
  for (std::size_t i = 0; i < own.items.size(); ++i) expect_equal(own.items[i], other.items[i]);
  ASSERT_EQ(own.tensors.size(), other.tensors.size());
  for (std::size_t t = 0; t < own.tensors.size(); ++t) {
    expect_equal(own.tensors[t], other.tensors[t]);
  }
  EXPECT_EQ(own.needs, other.needs);
  EXPECT_EQ(own.operands, other.operands);
  EXPECT_EQ(own.received, other.received);
  EXPECT_EQ(own.sent, other.sent);
  EXPECT_EQ(own.returned, other.returned);
  EXPECT_EQ(own.sent_back, other.sent_back);
  expect_equal(own.to_next, other.to_next);
  expect_equal(own.from_next, other.from_next);
  expect_equal(own.backward_end.gathers, other.backward_end.gathers);
}

constexpr std::array<const char*, 8> kStrategies = {
    "data:8,pipeline:8; micro_batches=16",
    "pipeline:8,tensor:8; micro_batches=32; recompute=full",
    "pipeline:8,tensor_sequence:4,data:2; micro_batches=16; chunks=2; regather=on",
    "pipeline:6,context:2,data:4; micro_batches=16",
    "pipeline:4,data:8; zero=1; micro_batches=8",
    "pipeline:12,filter:2; micro_batches=16; schedule=gpipe; overlap=off",
    "pipeline:16,data:4; zero=3; micro_batches=16",
    "pipeline:8,data:8; zero=1; micro_batches=16; offload=optimizer+activations",
};

TEST(Twins, HaveTheItemsThatTheyWouldHaveAlone) {
  const Cluster cluster = load_cluster("dgx-a100");
  int twins = 0;
  for (const char* name : {"gpt2_xl", "llama3_8b", "mixtral_8x7b", "deepseek_v3"}) {
    const Graph graph = load_model(name), alone = without_runs(graph);
    for (const char* text : kStrategies) {
      SCOPED_TRACE(std::string(name) + " " + text);
      const Strategy strategy = parse_strategy(text);
      const auto planned = partition(graph, strategy, training(), cluster);
      const auto* plan = std::get_if<Plan>(&planned);
      if (plan == nullptr) continue;
      const Plan other = std::get<Plan>(partition(alone, strategy, training(), cluster));
      for (std::size_t s = 0; s < plan->stages.size(); ++s) {
        EXPECT_EQ(other.stages[s].like, kNoStage);
        if (plan->stages[s].like == kNoStage) continue;
        ++twins;
        expect_equal(plan->stages[s], other.stages[s]);
      }
    }
  }
  EXPECT_GE(twins, 60);
}

TEST(Twins, AreTheMiddleStagesOfATransformer) {
  const Graph graph = load_model("gpt3_175b");
  const Strategy strategy = parse_strategy(
      "pipeline:8,tensor:8; micro_batches=16; stages=layers.12.*,layers.24.*,layers.36.*,"
      "layers.48.*,layers.60.*,layers.72.*,layers.84.*");
  const Plan plan =
      std::get<Plan>(partition(graph, strategy, training(), load_cluster("dgx-a100")));
  const std::uint32_t none = kNoStage;
  EXPECT_EQ(likes_of(plan), (std::vector<std::uint32_t>{none, none, 1, 1, 1, 1, 1, none}));
}

/// Bare, as a search has them, and whole.
TEST(Twins, ChangeNoAnswer) {
  const Cluster cluster = load_cluster("dgx-a100");
  const Profile profile;
  for (const char* name : {"gpt2_xl", "llama3_8b", "mixtral_8x7b"}) {
    const Graph graph = load_model(name), alone = without_runs(graph);
    for (const char* text : kStrategies) {
      SCOPED_TRACE(std::string(name) + " " + text);
      const Strategy strategy = parse_strategy(text);
      const auto answer = [&](const Graph& network, Detail detail) {
        return evaluate(network, cluster, profile, strategy, training(), detail);
      };
      const Evaluation expected = answer(alone, Detail::events);
      for (const Detail detail : {Detail::totals, Detail::events}) {
        const Evaluation own = answer(graph, detail);
        ASSERT_EQ(own.fits() == nullptr, expected.fits() == nullptr);
        if (own.fits() == nullptr) continue;
        const Fits &fits = *own.fits(), &others = *expected.fits();
        EXPECT_EQ(fits.step.time, others.step.time);
        EXPECT_DOUBLE_EQ(fits.step.uncertainty, others.step.uncertainty);
        EXPECT_EQ(fits.memory.total(), others.memory.total());
        EXPECT_EQ(fits.memory.stage, others.memory.stage);
        EXPECT_EQ(fits.memory.peak_layer, others.memory.peak_layer);
        EXPECT_EQ(fits.timeline.communication, others.timeline.communication);
        EXPECT_EQ(fits.timeline.critical_path, others.timeline.critical_path);
        EXPECT_EQ(fits.timeline.events.size(),
                  detail == Detail::events ? others.timeline.events.size() : 0U);
      }
    }
  }
}

}  // namespace twins_test
}  // namespace oracle
