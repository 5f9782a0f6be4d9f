#pragma once
// Which products are computed while a message of tensor parallelism is on its way?
//
// With tensor_overlap=on, next to layers that tensor_sequence cuts (Megatron-LM's
// --tp-comm-overlap, Transformer Engine's userbuffers; asynchronous tensor parallelism of PyTorch
// is kin):
//
// | message | goes |
// | --- | --- |
// | gather of inputs, before products | in t pieces: a product of one while the next comes |
// | sum of outputs, behind a product | in t pieces: one goes while the next is computed |
// | gather of gradients, before backward_data | in t pieces |
// | gather of kept inputs, before backward | whole, beside backward_data |
// | sum of input gradients, behind backward_data | whole, beside backward_weights |
//
// In formats with a scale for a block of values backward_weights reads the gradient along the other
// dimension, and it is gathered once more for that, beside nothing (Transformer Engine, pull
// request 1711): its gather counts as one that nothing hides.
//
// Inputs are gathered in backward with regather=on; the last line needs a schedule in which
// backward is one turn. All products that read one gathered tensor (queries, keys and values)
// count.
//
// Worked: of norm → fc1 → fc2 → sum over 4 ranks the gather before fc1 goes beside fc1 in 4 pieces,
// and the sum of the gradients of its inputs beside fc1's backward_weights
//                                                              tests/plan/beside_products_test.cpp

#include "oracle/plan/plan.h"

namespace oracle {

/// Lists them for a written stage: Stage::beside_products. Comes after offloading. With
/// expert_overlap=on also Stage::expert_messages: the rows that experts are sent and send back, and
/// their gradients.
void list_messages_beside(const Graph& graph, const Plan& plan, Stage& stage);

}  // namespace oracle
