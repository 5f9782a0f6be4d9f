#include "oracle/report/item_tables.h"

#include <gtest/gtest.h>

#include "tests/report/fixtures.h"
#include "tests/report/rendered.h"

namespace oracle::report {
namespace item_tables_test {

std::string table_of(Table table) {
  Document document{.headline = "h", .main = table.key};
  document.sections.emplace_back(std::move(table));
  return as_table(document).substr(3);
}

TEST(ItemTables, LayersShowTheirPassesAndShare) {
  EXPECT_EQ(table_of(layer_table(small_graph(), fitting())),
            "by layer (one rank, whole step)\n"
            "  layer  kind         piece  forward  back data  back weights    total  of step\n"
            "  conv1  convolution         10.0 ms        0 s       20.0 ms  30.0 ms     73 %\n"
            "  fc     dense               2.00 ms    1.00 ms       2.00 ms  5.00 ms     12 %\n");
}

TEST(ItemTables, TransfersShowWhatMovesByWhatOverWhat) {
  EXPECT_EQ(
      table_of(transfer_table(small_graph(), fitting())),
      "by transfer (one rank, whole step)\n"
      "  layer  moves            by          algorithm  over      buffer     time  exposed\n"
      "  conv1  weight gradient  all-reduce  ring       2, node  4.00 MB  9.00 ms  6.00 ms\n");
}

TEST(ItemTables, PhasesSumTheTransfersOfTheSlowestStageOnly) {
  Evaluation evaluation = fitting();
  Fits& fits = std::get<Fits>(evaluation.result);
  fits.transfers.push_back(fits.transfers.front());
  fits.transfers.push_back(fits.transfers.front());
  fits.transfers.back().stage = 1;
  EXPECT_EQ(table_of(phase_table(evaluation)),
            "by phase (the busiest stage)\n"
            "  phase     compute  communication  exposed     sent\n"
            "  forward   12.0 ms            0 s      0 s      0 B\n"
            "  backward  23.0 ms            0 s      0 s      0 B\n"
            "  exchange      0 s        18.0 ms  12.0 ms  8.00 MB\n"
            "  update     200 us            0 s      0 s      0 B\n");
}

TEST(ItemTables, EventsNameTheirItems) {
  Evaluation evaluation = fitting();
  Fits& fits = std::get<Fits>(evaluation.result);
  Stage stage;
  stage.items = {{Work{1, Pass::forward}, Phase::forward},
                 {Work{kAllLayers, Pass::update}, Phase::update}};
  evaluation.plan.emplace();
  evaluation.plan->stages = {stage};
  fits.timeline.events = {
      {0, 0, 0, Stream::compute, Phase::forward, Seconds{0}, Seconds{1}},
      {0, 0, 1, Stream::compute, Phase::update, Seconds{1}, Seconds{2}},
      {0, 3, kMessage, Stream::communication, Phase::forward, Seconds{1}, Seconds{2}}};
  Document document{.headline = "h", .main = "events"};
  document.sections.emplace_back(event_table(small_graph(), evaluation));
  EXPECT_EQ(as_csv(document),
            "stage,micro_batch,stream,phase,item,start [s],end [s]\r\n"
            "0,0,compute,forward,conv1 forward,0,1\r\n"
            "0,0,compute,update,all layers update,1,2\r\n"
            "0,3,communication,forward,message,1,2\r\n");
}

}  // namespace item_tables_test
}  // namespace oracle::report
