#pragma once
// Which layers does Megatron-Core compute again, where it is told by modules?
//
// "--recompute-modules" names them. Of norms, of the activation of experts and of what queries,
// keys and values become of latents it discards the outputs and computes these again; of an MLP or
// of experts it runs all again, from their input, and keeps their output
// (megatron/core/transformer/transformer_config.py).
//
// Worked: "layernorm moe_act": all is kept but norms and layers.*.experts.act
//                                                          tests/io/jobs/megatron_modules_test.cpp

#include <string>
#include <string_view>
#include <vector>

namespace oracle::megatron {

/// What the list says as the value of recompute=, "selective" where it is attention alone or empty:
/// "['core_attn', 'mlp']", "core_attn mlp". Names that are not known come into `unknown`.
std::string recomputation_of(std::string_view modules, std::vector<std::string>& unknown);

}  // namespace oracle::megatron
