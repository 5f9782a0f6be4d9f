#pragma once
// What does a layer cost once it is cut one way?
//
// Layers that compute the same on the same shapes are one class (the blocks of a ResNet repeat a
// dozen classes fifty times), so each class is planned and priced once for each way to cut it: a
// plan of that one layer, by the same emit_stages() that plans a whole network, between stand-ins
// that hold its inputs in the layouts it asks for. Changes of layout are the edges' and come on top
// (problem.h).
//
// Worked: fc 64→24 without bias, batch 8, sample over 2 ranks: holds 1,536 weights, exchanges 6,144
// bytes of gradient over axis 0; filter over 2: 768 weights, exchanges nothing
//                                                 tests/search/per_layer/variants_test.cpp

#include <span>
#include <string>
#include <vector>

#include "oracle/cluster/profile.h"
#include "oracle/plan/assignment.h"
#include "oracle/plan/plan.h"
#include "oracle/search/per_layer/codes.h"

namespace oracle::per_layer {

/// One way in which a layer is cut. Times are those of one micro-batch on one rank [s].
struct Variant {
  Effects effects{};
  Code output = 0;                        ///< as delivered
  Code gradient = 0;                      ///< of the output, as backward demands it
  std::vector<Code> demanded, delivered;  ///< of each input, and of its gradient
  double forward = 0, backward_data = 0, backward_weights = 0;
  double gradient_sum = 0;        ///< of two gradients of the output
  double forward_transfers = 0;   ///< halos and statistics
  double backward_transfers = 0;  ///< the same, and halos of the input's gradient
  AxisSet exchange_axes = 0;
  Bytes exchange_bytes;  ///< of weight gradients
  double weights = 0;    ///< parameters held
  double kept = 0;       ///< elements of the output held
};

/// What all variants of a mesh have in common.
struct Mesh {
  const Graph& graph;
  const Cluster& cluster;
  const Profile& profile;
  Plan plan;  ///< strategy, training and degrees; neither pieces nor stages
  Codes codes;
};

/// Equal for layers that are priced alike: all that a layer is but its name, and the tensors it
/// reads.
std::string class_key(const Graph& graph, LayerId id, const std::vector<bool>& needs_gradient);

/// Prices the variants of one layer (and of all of its class).
class VariantPricer {
 public:
  VariantPricer(const Mesh& mesh, LayerId id, const std::vector<bool>& needs_gradient);

  /// The layer with `cuts`, reached over each axis by the states of `incoming`; false where it
  /// cannot be cut so.
  bool price(std::span<const Cut> cuts, const Layout& incoming, Variant& variant);

 private:
  void apply(const Effects& effects, Variant& variant);
  void add_item(const Item& item, const Stage& stage, bool forward, Variant& variant) const;

  const Mesh& mesh_;
  Graph graph_;  ///< the input, stand-ins for what the layer reads, and the layer
  LayerId layer_;
  Plan plan_;
};

}  // namespace oracle::per_layer
