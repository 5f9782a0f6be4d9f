// Channel parallelism: an all-reduce of each split layer's output, in backward an all-gather of the
// gradient of its input.
//
// Where ParaDL's script deviates from the layouts: it splits the first layer too, which we leave
// whole (an image has three channels), so one all-reduce of the first output is added here; and it
// prices the all-gathers by outputs like filter parallelism's all-reduces (as_outputs_before), and
// counts whole buffers where an uneven cut is padded (as_whole_buffer).

#include <gtest/gtest.h>

#include "oracle/cost/collectives/ring.h"
#include "tests/conformance/ledger.h"
#include "tests/conformance/paradl_links.h"
#include "tests/conformance/paradl_plan.h"

namespace oracle::paradl {
namespace channel_parallel_test {

/// ParaDL has one list of split layers for filters and channels.
bool by_channel(const Operation& operation) { return operation.split_by_filter; }

/// The layouts' volumes, from the lists: |y| and |x| of every split layer but the first.
void expect_volumes(const Case& printed, const std::vector<SplitLayer>& layers) {
  EXPECT_EQ(layers[0].forward, std::nullopt);
  EXPECT_EQ(layers[0].backward, std::nullopt);
  for (std::size_t i = 1; i < layers.size(); ++i) {
    const Operation& operation = *layers[i].operation;
    EXPECT_EQ(layers[i].forward, group_bytes(printed, operation.outputs())) << operation.name;
    EXPECT_EQ(layers[i].backward, group_bytes(printed, operation.inputs())) << operation.name;
  }
}

TEST(ParadlChannelParallel, MeetsEveryPrintedTime) {
  const std::vector<Network> all = networks();
  Ledger ledger;
  for (const Case& printed : cases_of("channel")) {
    SCOPED_TRACE(printed.id);
    const Network& network = network_of(all, printed.model, printed.input);
    const Plan plan = plan_of(network, printed, "channel", by_channel);
    const auto layers =
        split_layers(network, plan, by_channel, Collective::all_reduce, Collective::all_gather);
    expect_volumes(printed, layers);

    const Group ring = ring_of(printed.gpus, printed.gpus, script_of(printed));
    Seconds sums = ring_all_reduce(group_bytes(printed, layers[0].operation->outputs()), ring);
    for (std::size_t i = 1; i < layers.size(); ++i)
      sums += ring_all_reduce(*layers[i].forward, ring);
    Seconds gathers;
    for (const Bytes bytes : as_outputs_before(layers, *layers.back().forward)) {
      gathers += ring_all_gather(bytes, ring);
    }
    ledger.compare(printed, "comm_time_allgather", gathers);
    ledger.compare(printed, "comm_time_allreduce", sums);
    const double compute =
        static_cast<double>(printed.batch) * seconds_per_sample(network, by_channel, printed.gpus);
    ledger.compare_step(printed, Seconds{compute}, gathers + sums, kRoundedInputs);
  }
  ledger.close("channel");
  EXPECT_EQ(ledger.compared(), 4 * 52 + 2 * 33);
}

}  // namespace channel_parallel_test
}  // namespace oracle::paradl
