#pragma once
// Which network do Megatron-LM's arguments describe, as a config.json of Hugging Face?
//
// | of Megatron-LM | "model_type" |
// | --- | --- |
// | gelu, LayerNorm, learned positions | gpt2 |
// | gelu, LayerNorm, rotary positions | gpt_neox, its parts one after the other |
// | swiglu, RMSNorm, rotary positions | llama; qwen3 with norms of heads; qwen2 with biases of Q,
// K, V | | the same with experts | qwen3_moe, mixtral, qwen2_moe | | latent attention, experts |
// deepseek_v3 |
//
// One with the other's norms or positions is priced as that one, and a note says so. The vocabulary
// is the padded one.                        tests/io/jobs/megatron_network_test.cpp

#include "oracle/io/jobs/job.h"
#include "oracle/io/jobs/megatron_log.h"

namespace oracle::megatron {

/// Numbers that are missing become problems of `arguments`.
JobNetwork network_of(const Log& log, JobArguments& arguments);

}  // namespace oracle::megatron
