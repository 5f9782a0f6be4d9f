#include "oracle/plan/quantizer.h"

#include <algorithm>

namespace oracle {

bool Quantizer::travels(LayerId producer, const Layout& layout) const {
  const Layout& delivered = plan_.pieces[producer].output_layout;
  const auto is_sum = [](State state) { return state == State::partial; };
  if (std::any_of(delivered.begin(), delivered.end(), is_sum)) return false;
  const std::vector<LayerId>& readers = graph_.consumers[producer];
  const bool alone =
      std::all_of(readers.begin(), readers.end(), [&](LayerId reader) { return serves(reader); });
  return alone && !convert(delivered, layout, graph_[producer].output, plan_.micro_batch_samples(),
                           plan_.degrees, graph_[producer].grain)
                       .empty();
}

Quantizer::Operand Quantizer::quantize(TensorId wide, LayerId reader, Phase phase, Makes makes) {
  const PlanTensor of = writer_.tensor(wide);
  Bytes streamed = of.bytes;
  std::vector<TensorId> writes;
  const auto add = [&] {
    writes.push_back(writer_.add_tensor(of.layer, of.role, of.layout,
                                        writer_.element_bytes(of.layer, Carried::narrow)));
    streamed += writer_.tensor(writes.back()).bytes;
    return writes.back();
  };
  Operand made;
  if (makes != Makes::turned) made.rows = add();
  if (makes != Makes::rows) made.turned = add();
  writer_.add_item(Work{reader, Pass::quantize, streamed}, phase, std::span(&wide, 1), writes);
  if (makes == Makes::both) turned_.emplace_back(made.rows, made.turned);
  return made;
}

Quantizer::Operand Quantizer::of_gradient(TensorId gradient, LayerId id, bool to_inputs) {
  if (!serves(id)) return {gradient, gradient};
  const bool learns = graph_[id].learns();
  return quantize(gradient, id, Phase::backward,
                  to_inputs && learns ? Makes::both
                  : to_inputs         ? Makes::rows
                                      : Makes::turned);
}

TensorId Quantizer::turned(TensorId rows, LayerId reader, Phase phase) {
  const auto known = std::find_if(turned_.begin(), turned_.end(),
                                  [&](const auto& pair) { return pair.first == rows; });
  if (known != turned_.end()) return known->second;
  const TensorId made = quantize(rows, reader, phase, Makes::turned).turned;
  turned_.emplace_back(rows, made);
  return made;
}

}  // namespace oracle
