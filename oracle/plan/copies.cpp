#include "oracle/plan/copies.h"

namespace oracle {

Copies copies_of(const Graph& graph, const Stage& stage) {
  Copies copies{std::vector<Copied>(graph.size()), std::vector<Copied>(graph.size())};
  for (const Item& item : stage.items) {
    const auto* transfer = std::get_if<Transfer>(&item.what);
    if (transfer == nullptr) continue;
    const bool halo = transfer->collective == Collective::halo_exchange;
    const Copied how = halo ? Copied::with_halos : Copied::from_others;
    if (transfer->payload == Payload::activation) copies.outputs[transfer->layer] = how;
    if (transfer->payload == Payload::activation_gradient) copies.gradients[transfer->layer] = how;
  }
  return copies;
}

bool finds_memory(const Graph& graph, const Work& work, const Copies& copies) {
  const Layer& layer = graph[work.layer];
  const auto found = [](Copied copied, bool left_in_memory) {
    return copied == Copied::never ? left_in_memory : copied == Copied::from_others;
  };
  if (work.pass == Pass::forward && !layer.inputs.empty()) {
    return found(copies.outputs[layer.inputs.front()], layer.past_caches[0]);
  }
  if (work.pass != Pass::backward_data) return false;
  const Copied gradient = copies.gradients[work.layer];
  const bool read_since = gradient == Copied::never && copies.outputs[work.layer] == Copied::never;
  if (layer.keeps_output && !read_since) return true;
  return found(gradient, layer.past_caches[1]);
}

}  // namespace oracle
