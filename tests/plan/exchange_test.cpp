#include "oracle/plan/exchange.h"

#include <gtest/gtest.h>

#include "tests/plan/tiny_graphs.h"

namespace oracle {
namespace exchange_test {

/// "phase what needs…" of each item.
std::vector<std::string> rows_of(const Stage& stage) {
  std::vector<std::string> rows;
  for (const Item& item : stage.items) {
    std::string row(name_of(item.phase));
    if (const auto* work = std::get_if<Work>(&item.what)) {
      row += " work " + std::to_string(work->layer) + ' ' + std::string(name_of(work->pass));
    } else {
      const auto& transfer = std::get<Transfer>(item.what);
      row += ' ' + std::string(name_of(transfer.collective)) + ' ' + std::to_string(transfer.axes) +
             ' ' + std::to_string(transfer.bytes.value) + ' ' + std::to_string(transfer.layer);
    }
    for (const std::uint32_t need : stage.needs_of(item)) row += ' ' + std::to_string(need);
    rows.push_back(row);
  }
  return rows;
}

TEST(Exchange, NeedsTheGradientsOrAllOfBackward) {
  const Graph graph = dense_chain({8, 4, 2});
  Plan plan = plan_of(graph, "data:2; bucket=0 B", 8);
  // Forward fc1, fc2, loss; backward of the loss, then data and weights of fc2, weights of fc1.
  const std::vector<std::string> rows = rows_of(plan.stages[0]);
  ASSERT_EQ(rows.size(), 10U);
  EXPECT_EQ(rows[7], "exchange all_reduce 1 32.000000 2 5");
  EXPECT_EQ(rows[8], "exchange all_reduce 1 128.000000 1 6");
  EXPECT_EQ(rows[9], "update work " + std::to_string(kAllLayers) + " update 6 7 8");

  plan.strategy.overlap = false;
  plan.strategy.bucket = Bytes{1000};
  Buckets room(Bytes{});
  emit_exchange(plan.strategy, plan.stages[0], room);
  const std::vector<std::string> late = rows_of(plan.stages[0]);
  ASSERT_EQ(late.size(), 9U);
  EXPECT_EQ(late[7], "exchange all_reduce 1 160.000000 1 6");
  EXPECT_EQ(late[8], "update work " + std::to_string(kAllLayers) + " update 6 7");
}

/// The last sum of a micro-batch goes on beside other transfers of backward.
TEST(Exchange, TheUpdateWaitsForSumsWithinBackward) {
  const Graph graph = load_model("gpt_tiny");
  const Stage stage =
      plan_of(graph, "tensor_sequence:2; micro_batches=2; sync=micro_batch", 2).stages[0];
  std::uint32_t last = 0;
  for (std::uint32_t i = 0; i < stage.backward_end.items; ++i) {
    const auto* transfer = std::get_if<Transfer>(&stage.items[i].what);
    if (transfer != nullptr && is_of_weights(*transfer)) last = i;
  }
  ASSERT_GT(last, stage.backward_begin);
  const auto needs = stage.needs_of(stage.items[stage.update_item()]);
  EXPECT_NE(std::find(needs.begin(), needs.end(), last), needs.end());
}

TEST(Exchange, WrittenAnewIsAsPlannedFromTheStart) {
  const Graph graph = dense_chain({64, 24, 64, 24, 48}, true);
  Buckets room(Bytes{});
  for (const std::string cuts : {"data:4", "filter:4", "data:2,filter:2", "data:2,pipeline:2"}) {
    Plan plan = plan_of(graph, cuts, 16);
    for (const std::string options :
         {"bucket=0 B", "bucket=8 kB; overlap=off", "bucket=1 GB", "bucket=8 kB", "overlap=off"}) {
      const Plan wanted = plan_of(graph, cuts + "; " + options, 16);
      plan.strategy = wanted.strategy;
      for (std::size_t s = 0; s < plan.stages.size(); ++s) {
        emit_exchange(plan.strategy, plan.stages[s], room);
        EXPECT_EQ(rows_of(plan.stages[s]), rows_of(wanted.stages[s])) << cuts << "; " << options;
        EXPECT_EQ(plan.stages[s].needs, wanted.stages[s].needs);
      }
    }
  }
}

TEST(Exchange, OfAStageThatTrainsNothingIsNone) {
  const Graph graph = dense_chain({64, 24}, true);
  Stage stage = plan_of(graph, "data:2", 16).stages[0];
  stage.backward_end.gradients.clear();
  Buckets room(Bytes{});
  emit_exchange({}, stage, room);
  EXPECT_EQ(stage.items.size(), stage.backward_end.items);
}

}  // namespace exchange_test
}  // namespace oracle
