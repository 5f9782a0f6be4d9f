#include "oracle/plan/key_ring.h"

#include <algorithm>
#include <array>

namespace oracle {
namespace {

using Tensors = KeyRing::Tensors;

/// `reads` with others' keys and values in place of the rank's own, which begin there, and with
/// what is added to.
Tensors reads_with(Tensors reads, std::size_t begin, const Tensors& round, const Tensors& sums) {
  std::copy(round.begin(), round.end(), reads.begin() + static_cast<std::ptrdiff_t>(begin));
  reads.insert(reads.end(), sums.begin(), sums.end());
  return reads;
}

/// Of the inputs after the first, which stands at `first`.
Tensors others(const Tensors& reads, std::size_t first, std::size_t inputs) {
  const auto begin = reads.begin() + static_cast<std::ptrdiff_t>(first);
  return {begin + 1, begin + static_cast<std::ptrdiff_t>(inputs)};
}

}  // namespace

void KeyRing::forward(LayerId id, Phase phase, const Tensors& reads, const Tensors& writes) {
  const AxisSet axis = axis_of(id);
  Tensors round = others(reads, 0, graph_[id].inputs.size()), sums;
  for (std::int64_t left = plan_.group_size(axis); left-- > 0;) {
    const Tensors step = reads_with(reads, 1, round, sums);
    if (left > 0) pass_on(axis, phase, Payload::activation, round);
    sums = writes;
    for (TensorId& made : sums) made = left > 0 ? in_place_of(made) : made;
    writer_.add_item(Work{id, Pass::forward}, phase, step, sums);
  }
}

/// The first step finds the gradients of the rank's own keys and values, which stay.
void KeyRing::backward(LayerId id, const Tensors& reads, const Tensors& writes,
                       Gradients& gradients) {
  const AxisSet axis = axis_of(id);
  const std::int64_t steps = plan_.group_size(axis);
  Tensors round = others(reads, 1, graph_[id].inputs.size()), sums, travelling;
  for (std::int64_t s = 0; s < steps; ++s) {
    const Tensors step = reads_with(reads, 2, round, sums);
    if (s + 1 < steps) pass_on(axis, Phase::backward, Payload::activation, round);
    Tensors made = writes, found;
    sums.clear();
    for (std::size_t g = 0; g < gradients.size(); ++g) {
      const bool of_queries = gradients[g].first == 0;
      if (of_queries && s + 1 < steps) made[g] = in_place_of(writes[g]);
      if (of_queries) sums.push_back(made[g]);
      if (of_queries || s == 0) continue;
      made[g] = like(writes[g]);
      found.push_back(made[g]);
    }
    writer_.add_item(Work{id, Pass::backward_data}, Phase::backward, step, made);
    if (found.empty()) continue;
    for (std::size_t i = 0; i < travelling.size(); ++i) {
      const std::array<TensorId, 2> terms = {found[i], travelling[i]};
      const TensorId sum = like(found[i]);
      writer_.add_item(Work{writer_.tensor(sum).layer, Pass::gradient_sum}, Phase::backward, terms,
                       StageWriter::Tensors(&sum, 1));
      found[i] = sum;
    }
    travelling = std::move(found);
    pass_on(axis, Phase::backward, Payload::activation_gradient, travelling);
  }
  const std::size_t own = gradients.size();
  for (std::size_t g = 0, next = 0; g < own; ++g) {
    const std::size_t input = gradients[g].first;
    if (input > 0) gradients.emplace_back(input, travelling[next++]);
  }
}

void KeyRing::pass_on(AxisSet axis, Phase phase, Payload payload, Tensors& tensors) {
  Bytes bytes;
  Tensors arriving;
  for (const TensorId id : tensors) {
    const PlanTensor held = writer_.tensor(id);
    const std::int64_t elements =
        local_elements(graph_[held.layer].output, plan_.micro_batch_samples(), held.layout,
                       plan_.degrees, graph_[held.layer].grain);
    bytes += Bytes{writer_.element_bytes(held.layer) * static_cast<double>(elements)};
    arriving.push_back(like(id));
  }
  writer_.add_item(
      Transfer{Collective::ring_pass, axis, bytes, payload, writer_.tensor(tensors[0]).layer},
      phase, tensors, arriving);
  tensors = std::move(arriving);
}

TensorId KeyRing::in_place_of(TensorId tensor) {
  const TensorId made = like(tensor);
  writer_.tensor(made).storage = writer_.tensor(tensor).storage;
  return made;
}

TensorId KeyRing::like(TensorId tensor) {
  PlanTensor made = writer_.tensor(tensor);
  made.made_by = kNoItem;
  made.part_of = kNoTensor;
  return writer_.add_tensor(made);
}

}  // namespace oracle
