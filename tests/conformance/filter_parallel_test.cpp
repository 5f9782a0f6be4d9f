// Filter parallelism: after each split layer an all-gather of its output, in backward an all-reduce
// of the gradient of its input.
//
// All-gather times are met as they stand, where a cut is uneven as whole buffers
// (as_whole_buffer). Where ParaDL's script deviates from the layouts: it prices the all-reduces as
// if each were of the output of the split layer before, and counts one more (as_outputs_before),
// where the layouts sum the gradients of the inputs of all split layers but the first, whose input
// needs none.

#include <gtest/gtest.h>

#include "oracle/cost/collectives/ring.h"
#include "tests/conformance/ledger.h"
#include "tests/conformance/paradl_links.h"
#include "tests/conformance/paradl_plan.h"

namespace oracle::paradl {
namespace filter_parallel_test {

bool by_filter(const Operation& operation) { return operation.split_by_filter; }

/// The layouts' volumes, from the lists: |y| of every split layer, |x| of all but the first.
void expect_volumes(const Case& printed, const std::vector<SplitLayer>& layers) {
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const Operation& operation = *layers[i].operation;
    EXPECT_EQ(layers[i].forward, group_bytes(printed, operation.outputs())) << operation.name;
    const auto gradient = group_bytes(printed, operation.inputs());
    EXPECT_EQ(layers[i].backward, i == 0 ? std::nullopt : std::optional(gradient))
        << operation.name;
  }
}

TEST(ParadlFilterParallel, MeetsEveryPrintedTime) {
  const std::vector<Network> all = networks();
  Ledger ledger;
  for (const Case& printed : cases_of("filter")) {
    SCOPED_TRACE(printed.id);
    const Network& network = network_of(all, printed.model, printed.input);
    const Plan plan = plan_of(network, printed, "filter", by_filter);
    const auto layers =
        split_layers(network, plan, by_filter, Collective::all_gather, Collective::all_reduce);
    expect_volumes(printed, layers);
    EXPECT_TRUE(transfers_of(plan, Collective::all_reduce, Payload::weight_gradient).empty());

    const Group ring = ring_of(printed.gpus, printed.gpus, script_of(printed));
    Seconds gathers, sums;
    for (const SplitLayer& layer : layers) gathers += ring_all_gather(*layer.forward, ring);
    for (const Bytes bytes : as_outputs_before(layers, *layers.back().forward)) {
      sums += ring_all_reduce(bytes, ring);
    }
    ledger.compare(printed, "comm_time_allgather", gathers);
    ledger.compare(printed, "comm_time_allreduce", sums);
    const double compute =
        static_cast<double>(printed.batch) * seconds_per_sample(network, by_filter, printed.gpus);
    ledger.compare_step(printed, Seconds{compute}, gathers + sums, kRoundedInputs);
  }
  ledger.close("filter");
  EXPECT_EQ(ledger.compared(), 4 * 90 + 2 * 69);
}

}  // namespace filter_parallel_test
}  // namespace oracle::paradl
