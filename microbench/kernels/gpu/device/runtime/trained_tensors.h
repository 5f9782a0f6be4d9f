#pragma once
// What is done with trained tensors that are no weights of a contraction: sums and products with
// one that is repeated to fit a sample, and rows of a table? Gradients are sums with the same bits
// in every run: no two threads write one value.
//                                             tests/microbench/kernels/imported_kinds_test.cpp

#include "microbench/kernels/gpu/device/reductions/reductions.h"
#include "microbench/kernels/gpu/device/runtime/fault.h"

namespace oracle::gpu {

/// How a trained tensor of `elements` goes with the values of a piece. Where each channel has as
/// many, `each` of them, they are repeated along its positions; else `each` is 0, and all are
/// repeated along the whole sample, channels outermost.
struct Repeated {
  Extents own, begin, whole;                          ///< the piece, and where it lies in what
  std::int64_t channels = 0, elements = 0, each = 0;  ///< of the whole network; elements: held
};

enum class Joined : std::uint8_t { sum, product };

/// y = x + w or y = x·w; y may be x.
template <class T>
void join_repeated(Stream stream, const Repeated& repeated, Joined how, const T* x, const T* w,
                   T* y);
/// A segment, a row for each sample and repetition, a column for each element.
Reduction repetitions(const Repeated& repeated);
/// to = Σdy or, of a product, Σdy·x over what goes with each element; or adds it to what is there.
template <class T>
void repeated_sums(Stream stream, void* scratch, const Repeated& repeated, Joined how, const T* x,
                   const T* dy, T* to, bool accumulate);

/// A number of the table for each row of a tensor. Of a table in parts rows [first, first + held)
/// of `entries` are here.
struct Lookup {
  std::int64_t rows = 0, entries = 0, features = 0, first = 0, held = 0;
};
/// y = the rows of the table, zeros for those that are not here. Where a number is none of its
/// rows, `fault` gets it, and y is what it was.
template <class T>
void look_up(Stream stream, const Lookup& lookup, const float* numbers, const T* table, T* y,
             Fault* fault);
/// Of the order that look_up_backward wants.
std::int64_t order_bytes(const Lookup& lookup);
/// Adds dy to the rows of `to` that were read, those of one number in the order of their places.
/// What is no row that is here has no gradient.
template <class T>
void look_up_backward(Stream stream, void* order, const Lookup& lookup, const float* numbers,
                      const T* dy, T* to);

}  // namespace oracle::gpu
