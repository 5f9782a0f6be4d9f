#pragma once
// In which formats are values kept and exchanged, how large is one, and what is the sum of two?
//
// fp32 adds in fp32. bf16 and fp16 add in fp32 and round to nearest, ties to even, at each
// addition.
//
// Worked: fp16 0x3C00 (1) + 0x1000 (2^-11) = 0x3C00, a tie that goes to the even neighbour.
//                                                        tests/microbench/elements/element_test.cpp

#include <cstddef>
#include <cstdint>

namespace oracle {

enum class Element : std::uint8_t { fp32, bf16, fp16 };

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
