#pragma once
// How does attention read keys and values of ranks that have other positions, one after the other?
//
// Along the mesh axis `ring` a rank has queries, keys and values of its positions. In step s of c
// it computes with those of the rank s places before it, and hands them on meanwhile:
//
//   forward    c steps, and c−1 passes of keys and values
//   backward   the same again; what a step finds of the gradients of others' keys and values goes
//              the same way, each rank adds its part, and after c−1 passes they are where they
//              belong
//
// Output and the queries' gradient are added up in place. Steps are equal: all pairs of two parts,
// or of causal attention half of them, since its positions are dealt (layout/dealt.h). Liu et al.,
// "Ring attention", arXiv 2310.01889; Brandon et al., "Striped attention", arXiv 2311.09431, for
// the balance.
//
// Worked: 8 key-value heads of 128 and 32,768 positions over 4 ranks, in bf16: a pass of keys and
// values is 33.6 MB; there are 3 in forward, 6 in backward        tests/plan/key_ring_test.cpp

#include <utility>
#include <vector>

#include "oracle/plan/stage_writer.h"

namespace oracle {

class KeyRing {
 public:
  using Tensors = std::vector<TensorId>;
  /// By number of an input a gradient of it.
  using Gradients = std::vector<std::pair<std::size_t, TensorId>>;

  /// All must outlive it.
  KeyRing(const Graph& graph, const Plan& plan, StageWriter& writer)
      : graph_(graph), plan_(plan), writer_(writer) {}

  /// Whether keys and values of the layer are handed on at all.
  bool serves(LayerId id) const { return axis_of(id) != 0; }

  /// Writes the layer's forward; `reads` begins with its inputs.
  void forward(LayerId id, Phase phase, const Tensors& reads, const Tensors& writes);

  /// Writes its backward_data. `reads` begins with the gradient of its output and its inputs,
  /// `writes` with `gradients`, to which are added those that other ranks found.
  void backward(LayerId id, const Tensors& reads, const Tensors& writes, Gradients& gradients);

 private:
  AxisSet axis_of(LayerId id) const { return ring_axes(plan_.assignment.effects[id]); }
  /// Hands tensors on; those that come in their place stand there.
  void pass_on(AxisSet axis, Phase phase, Payload payload, Tensors& tensors);
  TensorId in_place_of(TensorId tensor);
  TensorId like(TensorId tensor);

  const Graph& graph_;
  const Plan& plan_;
  StageWriter& writer_;
};

}  // namespace oracle
