#pragma once
// Where does a pass of a plan find what it works on?
//
// Where its neighbours leave it (graph/neighbours.h), if no message comes between. What stands
// beside its halos was copied just now, and is in caches. What other ranks have sent or summed up
// they have written, and a core's own caches hold none of it. Nor do they hold what a layer keeps
// of its output, where its readers read a copy, or where the gradient was copied since.
//
// Worked: of convolution → batch norm → relu → convolution by height, the gradient of the first
// convolution comes with halos and is in caches; the relu's output was read with halos, and what it
// kept is in memory. By channel the batch norm reads what all have summed up
//                                                                     tests/plan/copies_test.cpp

#include <cstdint>
#include <vector>

#include "oracle/plan/plan.h"

namespace oracle {

enum class Copied : std::uint8_t { never, with_halos, from_others };

/// How the transfers of a stage copy tensors, by layer.
struct Copies {
  std::vector<Copied> outputs, gradients;
};

Copies copies_of(const Graph& graph, const Stage& stage);

/// Whether the pass finds in memory, and in no cache, what it works on.
bool finds_memory(const Graph& graph, const Work& work, const Copies& copies);

}  // namespace oracle
