#include "tests/conformance/paradl_plan.h"

#include <algorithm>

#include "tests/plan/tiny_graphs.h"

namespace oracle::paradl {
namespace {

constexpr std::string_view kOptions = "; exchange=ring; overlap=off; batch_norm=local; bucket=1 TB";

std::string names_of(const Network& network, const Chooses& chosen) {
  std::string names;
  for (const Operation& operation : network.operations) {
    if (operation.layer == 0 || !chosen(operation)) continue;
    names += (names.empty() ? "" : "|") + network.graph[operation.layer].name;
  }
  return names;
}

std::optional<Bytes> whole_size_of(const std::vector<Transfer>& transfers, const Graph& graph,
                                   LayerId tensor, std::int64_t parts) {
  const auto found = std::find_if(transfers.begin(), transfers.end(),
                                  [&](const Transfer& t) { return t.layer == tensor; });
  if (found == transfers.end()) return std::nullopt;
  if (found->collective == Collective::all_reduce) return found->bytes;
  const Layer& layer = graph[tensor];
  return as_whole_buffer(found->bytes, layer.output.channels() / layer.grain, parts);
}

}  // namespace

Plan plan_of(const Network& network, const Case& printed, std::string_view axis,
             const Chooses& chosen) {
  const std::string outer = "data:" + std::to_string(printed.groups()) + ',';
  const std::string inner = ':' + std::to_string(printed.inner);
  const std::string text = names_of(network, chosen) + '=' + outer + std::string(axis) + inner +
                           "; *=" + outer + "whole" + inner + std::string(kOptions);
  return oracle::plan_of(network.graph, text, printed.batch);
}

Bytes as_whole_buffer(Bytes padded, std::int64_t extent, std::int64_t parts) {
  const std::int64_t largest = (extent + parts - 1) / parts;
  return padded * static_cast<double>(extent) / static_cast<double>(parts * largest);
}

std::vector<Transfer> transfers_of(const Plan& plan, Collective collective, Payload payload) {
  std::vector<Transfer> found;
  for (const Item& item : plan.stages.front().items) {
    const auto* transfer = std::get_if<Transfer>(&item.what);
    if (transfer == nullptr || transfer->collective != collective) continue;
    if (transfer->payload == payload) found.push_back(*transfer);
  }
  return found;
}

std::vector<SplitLayer> split_layers(const Network& network, const Plan& plan,
                                     const Chooses& chosen, Collective forward,
                                     Collective backward) {
  const auto outputs = transfers_of(plan, forward, Payload::activation);
  const auto gradients = transfers_of(plan, backward, Payload::activation_gradient);
  std::vector<SplitLayer> layers;
  for (const Operation& operation : network.operations) {
    if (operation.layer == 0 || !chosen(operation)) continue;
    const LayerId input = network.graph[operation.layer].inputs.front();
    const std::int64_t parts = plan.degrees.back();
    layers.push_back({&operation, whole_size_of(outputs, network.graph, operation.layer, parts),
                      whole_size_of(gradients, network.graph, input, parts)});
  }
  return layers;
}

std::vector<Bytes> as_outputs_before(const std::vector<SplitLayer>& layers, Bytes last_output) {
  std::vector<Bytes> sizes;
  for (std::size_t i = 1; i < layers.size(); ++i) {
    const double outputs = static_cast<double>(layers[i - 1].operation->outputs());
    const double inputs = static_cast<double>(layers[i].operation->inputs());
    sizes.push_back(layers[i].backward.value_or(Bytes{}) * (outputs / inputs));
  }
  sizes.push_back(last_output);
  return sizes;
}

Bytes group_bytes(const Case& printed, std::int64_t elements) {
  return Bytes{4.0 * static_cast<double>(printed.batch / printed.groups() * elements)};
}

double seconds_per_sample(const Network& network, const Chooses& chosen, std::int64_t parts) {
  double seconds = 0;
  for (const Operation& operation : network.operations) {
    seconds += operation.seconds_per_sample / static_cast<double>(chosen(operation) ? parts : 1);
  }
  return seconds;
}

}  // namespace oracle::paradl
