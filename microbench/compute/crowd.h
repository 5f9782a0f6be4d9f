#pragma once
// How much longer does a pass take while every other core runs the same?
//
// Ranks of one processor share its memory and its last cache, and in a training step they are at
// the same layer at about the same time. As many threads as ranks, each with a back end and
// operands of its own, prepare a call, wait for each other and run it; before and after that the
// first of them runs it alone, so that a drift of the clock falls on both. A virtual machine's
// processors are now neighbours and now not: cases are measured a few at a time, all through a
// session, and with each goes how much the cores shared meanwhile (sharing_probe.h).
//                                                   tests/microbench/compute/crowd_test.cpp

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "microbench/compute/case_bench.h"

namespace oracle {

struct CrowdPlan {
  int ranks = 2;
  int calls = 6;  ///< of each pass in a row: alone, together, alone again
  Clock clock = Clock::processor;
  Rotation rotation;
  /// How much cores share at the moment; all, where no one looks.
  std::function<double()> sharing = [] { return 1.0; };
};

struct CrowdSample {
  std::string layer;  ///< the case, as text
  std::string type;   ///< the back end's precision
  BenchPass pass;
  int ranks = 2;
  Series alone, beside;
  double sharing = 1;  ///< mean of before and after they ran together
};

class CrowdBench {
 public:
  using Make = std::function<std::unique_ptr<Backend>()>;

  /// Cases come in an order drawn, always the same, so that the first of them are of all kinds.
  /// `make` makes a back end, one for each thread.
  CrowdBench(Make make, std::span<const LayerCase> cases, const CrowdPlan& plan);

  /// Goes on until so many seconds were spent in all, or no case is left. Cases that cannot run are
  /// left out.
  void run_up_to(double seconds);

  /// Of what was measured.
  std::vector<CrowdSample> take() { return std::move(samples_); }

 private:
  void measure_case(const LayerCase& of);

  Make make_;
  std::span<const LayerCase> cases_;
  CrowdPlan plan_;
  std::vector<std::size_t> order_;
  std::size_t next_ = 0;
  double spent_ = 0;  ///< seconds
  std::vector<CrowdSample> samples_;
};

}  // namespace oracle
