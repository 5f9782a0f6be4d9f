#pragma once
// Where does the stack end on which a primitive of oneDNN runs?
//
// Kernels of functions' gradients keep vectors on it from wherever it ends. Linux begins a
// process's stack at any multiple of 16, and who calls from another depth ends elsewhere: where the
// vectors straddle cache lines each costs twice, where they straddle pages four times as much. So
// every primitive is run with the stack ending at one place within a page, the same wherever and in
// whichever process it is called: one that was measured to be fast. Only the caller's: OpenMP's
// other threads have stacks of their own.
//
//   Worked: a rectifier's gradient of 1.3 million values in 0.30, 0.52, 0.66 or 1.34 ms, a process
//           each, on a Zen 4; 0.30 in all with this
//                                        tests/microbench/kernels/cpu/stack_place_test.cpp

#include <cstddef>
#include <functional>
#include <oneapi/dnnl/dnnl.hpp>
#include <unordered_map>

namespace oracle {

/// Calls `work` with the stack ending at `place` within a page of 4096 bytes, but for what the call
/// itself takes, which is the same each time.
void on_stack_at(std::size_t place, const std::function<void()>& work);

/// Runs a primitive so. Where it comes to lie hangs on what this function itself takes as well.
void run_at(std::size_t place, const dnnl::primitive& primitive, const dnnl::stream& stream,
            const std::unordered_map<int, dnnl::memory>& arguments);

/// The place at which `run_at` of this process computes a gradient fastest; measured once, in some
/// milliseconds.
std::size_t fast_stack_place(const dnnl::engine& engine, const dnnl::stream& stream);

}  // namespace oracle
