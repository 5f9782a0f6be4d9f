#pragma once
// Does a pass find what it works on in a processor's caches, or in memory?
//
// Its neighbours decide. Batch norms write past the caches. What a layer keeps of its output, the
// gradient of its reader's weights has read just before it is needed; other readers (joins, pools)
// have not, and it is where forward left it.
//
//   pass            in memory
//   forward         where all inputs come of batch norms
//   backward_data   where a batch norm alone reads the output; or where the output is kept, and no
//                   reader has weights to multiply it with
//
// Worked: of convolution → batch norm → relu → convolution, the relu's forward and the first
// convolution's backward                                        tests/graph/neighbours_test.cpp

#include "oracle/graph/graph.h"

namespace oracle {

/// Sets Layer::past_caches of every layer.
void note_neighbours(Graph& graph);

}  // namespace oracle
