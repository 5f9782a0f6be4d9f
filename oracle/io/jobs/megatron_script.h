#pragma once
// Which arguments does a script give to Megatron-LM?
//
//   TP=4
//   GPT_ARGS=(--num-layers 32 --swiglu)
//   torchrun --nproc-per-node 8 --nnodes 2 pretrain_gpt.py ${GPT_ARGS[@]}
//            --tensor-model-parallel-size ${TP:-1}
//
// Variables that the script sets itself are put in, and arithmetic is done. All branches of an if
// count, and of one argument the last. Arguments that it leaves out are as Megatron-LM
// has them (megatron/training/arguments.py): four times the hidden size in an MLP, or of one with a
// gate two thirds of that in whole 64s; biases; dropout of 0.1; the words of GPT-2's or Llama 2's
// tokenizer, padded to whole 128s of each tensor parallel rank.
//
// Worked: --hidden-size 4096 --swiglu: ffn_hidden_size 10880
//                                                        tests/io/jobs/megatron_script_test.cpp

#include <string>
#include <string_view>

#include "oracle/io/jobs/megatron_log.h"

namespace oracle::megatron {

/// Has no steps. Names are those of a log: "tensor_model_parallel_size".
Log parse_script(std::string_view text, std::string name);

}  // namespace oracle::megatron
