#pragma once
// Which transfers do our layouts derive where ParaDL cut?
//
// The layers that ParaDL splits are cut, all others are left whole, gradients are exchanged at once
// and batch norm stays local. So the layouts need a filter cut's output whole (all-gather) and its
// input gradient summed (all-reduce), a channel cut's output summed and its input gradient whole.

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "oracle/plan/plan.h"
#include "tests/conformance/paradl.h"

namespace oracle::paradl {

using Chooses = std::function<bool(const Operation&)>;

/// The plan of `printed`: chosen layers cut over `axis` ("filter", "channel", "height", …) by
/// `printed.inner`, all of them by samples over the rest of the GPUs.
Plan plan_of(const Network& network, const Case& printed, std::string_view axis,
             const Chooses& chosen);

std::vector<Transfer> transfers_of(const Plan& plan, Collective collective, Payload payload);

/// ParaDL counts whole buffers; where a cut is uneven a library pads all parts to the largest, and
/// so do the layouts. This is what a collective of ours becomes by ParaDL's rule, `extent` being
/// cut. Worked: 1000 filters over 64 ranks are 64 parts of 16, 1.024 times the whole buffer.
Bytes as_whole_buffer(Bytes padded, std::int64_t extent, std::int64_t parts);

/// What the layouts make of one split layer, each as_whole_buffer.
struct SplitLayer {
  const Operation* operation = nullptr;
  std::optional<Bytes> forward;   ///< the collective on its output
  std::optional<Bytes> backward;  ///< the collective on its input's gradient
};

/// The split layers of a plan with the sizes of the two collectives, in the order of the network.
std::vector<SplitLayer> split_layers(const Network& network, const Plan& plan,
                                     const Chooses& chosen, Collective forward,
                                     Collective backward);

/// ParaDL prices the gradient of a layer's input as the output of the split layer before it, which
/// is larger where a pool stands between. Its sum runs over all outputs, so the last one's
/// gradient, which arrives whole, counts as well. This is what our sizes become by those two rules.
std::vector<Bytes> as_outputs_before(const std::vector<SplitLayer>& layers, Bytes last_output);

/// Bytes of `elements` per sample for one group of the case, in fp32.
Bytes group_bytes(const Case& printed, std::int64_t elements);

/// ParaDL's compute of one sample: its layers' figures, those chosen divided by `parts`.
double seconds_per_sample(const Network& network, const Chooses& chosen, std::int64_t parts);

}  // namespace oracle::paradl
