#pragma once
// What of a network is trained, where not all of it is?
//
// Layers whose weights stay as they are have no gradient of weights, no state of an optimizer and
// nothing to exchange; gradients of their inputs are made as far as something before them learns.
//
// An adapter learns beside a linear product that stays (Hu et al., "LoRA", arXiv 2106.09685):
//
//   y = W·x + α/r · B·(A·x)     A: r rows of the inputs, B: r columns of the outputs
//
// Four layers stand behind each product NAME: NAME.lora_a, .lora_b, .lora_scale and .lora_sum, as
// Hugging Face PEFT runs them; nothing is dropped out.
//
// Worked: rank 16 on all linears of llama3_8b: 41,943,040 parameters learn, 0.52 % of all
//                                                             tests/graph/adapters_test.cpp

#include <cstdint>
#include <string_view>

#include "oracle/graph/graph.h"

namespace oracle {

/// Of layers whose names match a pattern (base/pattern.h) those that are linear products; empty:
/// all but what makes scores (linears.h). Nothing else learns. Throws InputError where none does.
Graph with_adapters(const Graph& graph, std::int64_t rank, std::string_view layers = {});

/// Layers whose names match learn, no other does. Throws InputError where none has weights.
Graph training_only(Graph graph, std::string_view layers);

}  // namespace oracle
