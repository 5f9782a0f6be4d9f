#pragma once
// What is gained when every contraction has cuts of its own?
//
// The strategies that have a name cut all layers alike. Here each convolution and each dense layer
// may be cut another way over each axis of the mesh; what contracts nothing follows. Krizhevsky's
// "one weird trick" (arXiv 1404.5997), convolutions by sample and dense layers by features, is such
// an assignment. Meshes: all ordered factorizations of N into `most_axes` factors, or as many as N
// has prime factors; those of fewer axes are contained, as neighbouring axes may be cut alike. All
// are searched quickly, the most promising thoroughly. No pipeline: stages are cut by another rule.
//
// Worked: 8 ranks have one mesh of three axes, 2·2·2; 64 ranks have ten
//                                                tests/search/per_layer/per_layer_test.cpp

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "oracle/search/per_layer/mesh_search.h"
#include "oracle/search/search.h"

namespace oracle {

/// A run of contractions, in the order of layers, that are cut alike.
struct CutRun {
  LayerId first = 0, last = 0;
  std::int64_t contractions = 0;
  std::vector<MeshAxis> mesh;  ///< neighbouring axes with equal cuts are one
};

struct PerLayerAnswer {
  Ranking named;  ///< the strategies that have a name, over the same ranks
  /// The best of all, by evaluate(); absent where nothing fits.
  std::optional<Strategy> best;
  Seconds step;
  std::vector<CutRun> runs;  ///< of the best
  /// No assignment without a pipeline has a shorter step; `proven`: the best has the shortest.
  Seconds bound;
  bool proven = false;
  /// By how much the best is faster than the best that has a name: step of that / step - 1.
  double gain = 0;
  /// By how much a better assignment could be faster at most: step / bound - 1.
  double gap = 0;
  std::int64_t meshes = 0;
  std::int64_t evaluations = 0;  ///< of assignments
};

/// `request` as for search(), whose strategies are considered too; its objective is the time.
PerLayerAnswer search_per_layer(const Graph& graph, const Cluster& cluster, const Profile& profile,
                                const SearchRequest& request);

namespace per_layer {

/// The finest meshes of `ranks` with at most `most_axes` axes, in a fixed order.
std::vector<std::vector<std::int64_t>> finest_meshes(std::int64_t ranks, std::size_t most_axes);

/// The cuts that contractions of the network can take.
std::vector<Cut> cuts_for(const Graph& graph);

/// The same strategy on a mesh whose neighbouring axes that every layer cuts alike are one.
Strategy coarsened(const Strategy& strategy);

}  // namespace per_layer
}  // namespace oracle
