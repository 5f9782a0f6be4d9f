#include <array>

#include "microbench/compression/codec.h"
#include "microbench/compression/quantized.h"
#include "microbench/compression/sketch.h"
#include "microbench/compression/top_k.h"
#include "oracle/base/error.h"

namespace oracle {
namespace {

constexpr std::array kCodecs = {
    Codec{"fp16", Element::fp16},
    Codec{"bf16", Element::bf16},
    Codec{"int8", Element::fp32, compress_int8, write_int8, add_int8},
    Codec{"onebit", Element::fp32, compress_onebit, write_onebit, add_onebit},
    Codec{"topk", Element::fp32, compress_topk, write_topk, add_topk},
    Codec{"gtopk", Element::fp32, compress_topk, write_topk, add_topk, merge_topk, take_back_topk},
    Codec{"sketch", Element::fp32, compress_sketch, nullptr, nullptr, nullptr, nullptr,
          places_in_sketch},
};

}  // namespace

const Codec& codec_named(std::string_view name) {
  for (const Codec& row : kCodecs) {
    if (row.name == name) return row;
  }
  throw Defect("no codec compresses gradients by " + std::string(name));
}

}  // namespace oracle
