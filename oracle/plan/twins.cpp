#include "oracle/plan/twins.h"

#include <algorithm>

namespace oracle {
namespace {

/// Whether both stages consist of blocks of one run.
bool lie_in_one_run(const Graph& graph, const Stage& before, const Stage& stage) {
  const LayerId distance = stage.first - before.first;
  return std::any_of(graph.runs.begin(), graph.runs.end(), [&](const BlockRun& run) {
    return run.first <= before.first && stage.last <= run.end() && distance % run.size == 0;
  });
}

bool is_again_alike(const Recomputation& again, LayerId earlier, LayerId later) {
  if (again.covers(earlier) != again.covers(later)) return false;
  if (!again.covers(earlier)) return true;
  if (again.keeps(earlier) != again.keeps(later)) return false;
  const LayerId distance = later - earlier;
  const LayerSpan &one = again.of(earlier), &other = again.of(later);
  return one.first + distance == other.first && one.last + distance == other.last;
}

/// Whether what reads a layer lies as far behind it, within the stage or beyond.
bool is_read_alike(const Graph& graph, LayerId earlier, LayerId later, const Stage& stage) {
  const std::vector<LayerId>&one = graph.consumers[earlier], &other = graph.consumers[later];
  const LayerId distance = later - earlier;
  if (one.size() != other.size()) return false;
  for (std::size_t i = 0; i < one.size(); ++i) {
    const bool beyond = one[i] + distance >= stage.last && other[i] >= stage.last;
    if (one[i] + distance != other[i] && !beyond) return false;
  }
  return true;
}

bool is_planned_alike(const Graph& graph, const Plan& plan, LayerId earlier, LayerId later,
                      const Stage& stage) {
  return plan.treats_alike(earlier, later) &&
         plan.pieces[earlier].shared == plan.pieces[later].shared &&
         is_again_alike(plan.recomputation, earlier, later) &&
         is_read_alike(graph, earlier, later, stage);
}

/// Whether both stages receive the same, and pass nothing on that they received.
bool receive_alike(const Graph& graph, const Plan& plan, std::size_t s) {
  const Stage &stage = plan.stages[s], &before = plan.stages[s - 1];
  const std::vector<Transfer>&ours = before.to_next, &theirs = plan.stages[s - 2].to_next;
  if (ours.size() != theirs.size() || before.from_next.size() != theirs.size()) return false;
  const LayerId distance = stage.first - before.first;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    const LayerId own = ours[i].layer, other = theirs[i].layer;
    const Piece &piece = plan.pieces[own], &others = plan.pieces[other];
    const bool alike = other + distance == own && ours[i].bytes == theirs[i].bytes &&
                       piece.output_layout == others.output_layout &&
                       piece.gradient_layout == others.gradient_layout;
    const bool passes_on =
        graph.consumers[own].back() >= stage.last || graph.consumers[other].back() >= before.last;
    if (!alike || passes_on) return false;
  }
  return true;
}

bool has_copies(const Plan& plan, const Stage& stage) {
  return std::any_of(plan.copies.begin(), plan.copies.end(), [&](const WeightCopy& copy) {
    return stage.has(copy.user) || stage.has(copy.owner);
  });
}

void shift(LayerId distance, std::vector<Transfer>& transfers) {
  for (Transfer& transfer : transfers) transfer.layer += distance;
}

void shift(LayerId distance, Stage& stage) {
  for (Item& item : stage.items) {
    if (auto* transfer = std::get_if<Transfer>(&item.what)) transfer->layer += distance;
    if (auto* step = std::get_if<Compression>(&item.what)) step->layer += distance;
    if (auto* work = std::get_if<Work>(&item.what); work != nullptr && work->layer != kAllLayers) {
      work->layer += distance;
    }
  }
  for (PlanTensor& tensor : stage.tensors) {
    tensor.layer += distance;
    if (tensor.halos != 0) tensor.reader += distance;
  }
  for (Gradient& gradient : stage.backward_end.gradients) gradient.layer += distance;
  shift(distance, stage.backward_end.gathers);
}

}  // namespace

bool is_twin(const Graph& graph, const Plan& plan, std::size_t s) {
  if (s < 2) return false;
  const Stage &stage = plan.stages[s], &before = plan.stages[s - 1];
  if (stage.last - stage.first != before.last - before.first) return false;
  if (!lie_in_one_run(graph, before, stage)) return false;
  if (has_copies(plan, stage) || has_copies(plan, before)) return false;
  for (LayerId i = 0; i < stage.last - stage.first; ++i) {
    if (!is_planned_alike(graph, plan, before.first + i, stage.first + i, stage)) return false;
  }
  return receive_alike(graph, plan, s);
}

void make_twin(std::size_t of, bool whole, std::size_t s, Plan& plan) {
  const Stage& other = plan.stages[of];
  Stage& stage = plan.stages[s];
  const LayerId first = stage.first, last = stage.last, distance = first - other.first;
  if (whole) {
    stage = other;
    stage.first = first;
    stage.last = last;
    shift(distance, stage);
  } else {
    stage.to_next = other.to_next;
    stage.from_next = other.from_next;
  }
  stage.like = static_cast<std::uint32_t>(of);
  shift(distance, stage.to_next);
  shift(distance, stage.from_next);
}

}  // namespace oracle
