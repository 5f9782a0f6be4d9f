#pragma once
// What does a rank train, and how are its gradients applied?

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "microbench/kernels/backend.h"
#include "validate/program/program.h"

namespace oracle {

/// The weights of a rank's stages, initialized by their place in the whole network. `noise` is
/// relative.
class TrainedLayers {
 public:
  TrainedLayers(const Graph& graph, const Program& program, Backend& backend, std::uint64_t seed,
                double noise);

  /// The layer's, or those that it shares; null for a layer that has none.
  Weights* find(LayerId id) const { return weights_[owner_[id]].get(); }
  /// Whose weights a layer uses: its own, or those of an earlier one.
  LayerId owner(LayerId id) const { return owner_[id]; }
  /// How many parameters that is.
  std::size_t parameters(LayerId id) const { return parameters_[owner_[id]]; }
  std::int64_t elements(LayerId id) const;
  /// The order in which each gradient is kept, a line "layer.parameter order" each.
  std::string kept_orders() const;
  void pack_as_kept();
  void begin_step();
  bool finite(Backend& backend) const;
  /// The sum of squares of a layer's gradients, as they stand in the host's memory.
  double gradient_square(LayerId id) const;
  /// Of the layers of a span, but those of which `elsewhere` holds.
  void update(Backend& backend, const OptimizerStep& step, const LayerSpan& layers,
              const std::function<bool(LayerId)>& elsewhere);

 private:
  std::vector<std::unique_ptr<Weights>> weights_;  ///< by layer
  std::vector<std::size_t> parameters_;            ///< by layer
  std::vector<LayerId> owner_;                     ///< whose weights a layer uses, by layer
};

}  // namespace oracle
