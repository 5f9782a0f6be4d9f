#include "oracle/plan/promotion.h"

#include <algorithm>

#include "oracle/graph/kinds/kind.h"

namespace oracle {
namespace {

bool multiplies(const Layer& layer) { return layer.reduction > 0 || layer.heads.keys > 0; }

bool is_softmax(const Layer& layer) {
  return layer.kind != nullptr && layer.kind->name == "softmax";
}

/// Of autocast's list of what runs in fp32 the kind whose inputs are cast in a kernel of their own.
bool reads_fp32(const Layer& layer) {
  return layer.kind != nullptr && layer.kind->name == "layer_norm";
}

bool promotes(const Training& training, int zero) {
  const Precision& precision = training.precision;
  return training.framework.promotes && precision.cast_bytes > 0 && zero < 3 &&
         precision.activation_bytes < kFp32Bytes;
}

}  // namespace

std::vector<bool> promoted_layers(const Graph& graph, const Training& training, int zero) {
  std::vector<bool> wide;
  if (!promotes(training, zero)) return wide;
  wide.resize(graph.size());
  for (LayerId id = 1; id < graph.size(); ++id) {
    const Layer& layer = graph[id];
    if (multiplies(layer)) continue;
    const bool meets_weights = layer.learns() && !layer.batch_statistics;
    wide[id] = reads_fp32(layer) || is_softmax(layer) || meets_weights ||
               runs_each_operation(layer, training.framework) ||
               std::any_of(layer.inputs.begin(), layer.inputs.end(),
                           [&](LayerId input) { return wide[input]; });
  }
  for (LayerId id = 1; training.framework.fuses && id < graph.size(); ++id) {
    const std::vector<LayerId>& readers = graph.consumers[id];
    const bool casts = std::all_of(readers.begin(), readers.end(),
                                   [&](LayerId reader) { return multiplies(graph[reader]); });
    if (casts) wide[id] = false;
  }
  if (std::find(wide.begin(), wide.end(), true) == wide.end()) wide.clear();
  return wide;
}

void find_promoted_pieces(const Graph& graph, Plan& plan) {
  if (plan.wide.empty()) return;
  for (LayerId id = 1; id < graph.size(); ++id) {
    Piece& piece = plan.pieces[id];
    const Layer& layer = graph[id];
    if (multiplies(layer)) continue;
    const auto wide =
        static_cast<double>(std::count_if(layer.inputs.begin(), layer.inputs.end(),
                                          [&](LayerId input) { return plan.is_wide(input); }));
    piece.wide_inputs = reads_fp32(layer) ? 1 : wide / static_cast<double>(layer.inputs.size());
    piece.wide_output = plan.wide[id];
  }
}

Values values_of(const Piece& piece, const Precision& precision) {
  const auto narrow = static_cast<double>(precision.activation_bytes);
  return {narrow + piece.wide_inputs * (kFp32Bytes - narrow),
          piece.wide_output ? kFp32Bytes : narrow};
}

double value_bytes(const Graph& graph, const Plan& plan, LayerId id) {
  return plan.is_wide(id) ? kFp32Bytes : value_bytes(graph, id, plan.training.precision);
}

double value_bytes_read(const Graph& graph, const Plan& plan, LayerId id, LayerId reader) {
  const Precision& precision = plan.training.precision;
  const double stored = value_bytes(graph, plan, id);
  const Layer& layer = graph[reader];
  if (plan.wide.empty() || is_narrow(layer, precision)) return stored;
  if (reads_fp32(layer)) return kFp32Bytes;
  return multiplies(layer) && plan.is_wide(id) ? precision.activation_bytes : stored;
}

double gradient_bytes_made(const Graph& graph, const Plan& plan, LayerId id, LayerId reader) {
  const double stored = value_bytes(graph, plan, id);
  if (plan.wide.empty()) return stored;
  if (multiplies(graph[reader])) return plan.training.precision.activation_bytes;
  const bool as_taken = plan.training.framework.fuses;
  return as_taken ? stored : value_bytes(graph, plan, reader);
}

}  // namespace oracle
