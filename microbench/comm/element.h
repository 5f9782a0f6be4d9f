#pragma once
// How large is an element, and what is the sum of two?
//
// fp32 adds in fp32. bf16 and fp16 add in fp32 and round to nearest, ties to even, at each
// addition.
//
// Worked: fp16 0x3C00 (1) + 0x1000 (2^-11) = 0x3C00, a tie that goes to the even neighbour.
//                                                        tests/microbench/comm/element_test.cpp

#include <cstddef>
#include <cstdint>

#include "microbench/comm/communicator.h"

namespace oracle {

std::size_t element_bytes(Element type);

/// "fp32"
const char* element_name(Element type);

/// into[i] += from[i]
void add_elements(Element type, void* into, const void* from, std::int64_t count);

float bf16_to_float(std::uint16_t bits);
std::uint16_t float_to_bf16(float value);
float fp16_to_float(std::uint16_t bits);
std::uint16_t float_to_fp16(float value);

}  // namespace oracle
