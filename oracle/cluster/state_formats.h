#pragma once
// In which formats does mixed precision keep gradients and the optimizer's copy of the weights?
//
//   option     takes                             bytes         known as
//   gradients  fp32, bf16, fp16                  4, 2, 2       main gradients (Megatron's
//                                                              accumulate-allreduce-grads-in-fp32),
//                                                              grad_accum_dtype (DeepSpeed)
//   reduce     fp32, bf16, fp16                  4, 2, 2       reduce_dtype (FSDP),
//                                                              communication_data_type (DeepSpeed)
//   master     fp32, fp32+gradients, bf16, none  4, 8, 2, 0    main parameters; with a copy of the
//                                                              gradients as Megatron keeps in fp16
//   frozen     8bit, 4bit                        8, 4 bits     load_in_8bit, load_in_4bit: linears'
//                                                              weights that are not trained
//
// One row each: the command line and files of frameworks read the same table. What is not said is
// as the precision has it (plan/training.h).
//
// Worked: bf16 with gradients=fp32 keeps 2 + 4 + 4 bytes of weights, gradients and master copy
//                                                              tests/cluster/state_formats_test.cpp

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace oracle {

/// Bytes of an element, where said; of `frozen` bits.
struct StateFormats {
  std::optional<int> gradients{}, reduce{}, master{}, frozen{};

  bool any() const { return gradients || reduce || master || frozen; }
  bool operator==(const StateFormats&) const = default;
};

struct StateOption {
  struct Choice {
    std::string_view name;
    int bytes;
  };
  std::string_view name;
  std::span<const Choice> choices;
  std::optional<int> StateFormats::*member;

  /// Throws InputError with a suggestion, its place "--" and the name.
  void read(std::string_view value, StateFormats& formats) const;
};

std::span<const StateOption> all_state_options();

/// `own` where it says something, else `usual`.
StateFormats joined(const StateFormats& own, const StateFormats& usual);

}  // namespace oracle
