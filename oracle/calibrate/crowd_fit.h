#pragma once
// What do kernels measured alone and beside others of their kind say about a shared processor?
//
// While N ranks run the same kernel, one that takes t alone takes longer by
//
//   slowdown·t + sharing·min( slope·max(0, bytes − own), (N − 1 − slowdown)·t )
//
// with the sharing of that time (Contention in cluster/profile.h; bytes: traffic in
// cost/compute/kernel.h). Of all triples of a slowdown (in steps of 5 % and then, around the best
// of those, of 1 %), an `own` (nothing, or a power of two) and a slope through one of the points,
// the one of the least Σ |log(fitted / measured)|: a few wild points do not move it. The profile's
// sharing is the mean of all points'.
//
// A hypervisor moves a machine's processors, for seconds or for longer than a calibration takes,
// and what was seen in one spell says little of the next. There the points count as the n spells
// that they are, points in a row on one side of ½, beside two more: one that shares all, and one
// nothing (the rule of succession; Laplace 1774):
//
//   sharing = (n·mean + 1)/(n + 2)
//
// Worked: kernels of 1 ms that move 1, 2, 6.1, 8.1 and 10.1 MB and take 1, 1, 1.4, 1.6 and 1.8 ms
// beside another, one of 4 MB 1.9 ms: 2 MiB their own, 0.1 ns for each byte more; all of them but
// that one 0.1 ms longer: a slowdown of 0.1. Where all of the memory was shared each time: 1, and
// on a virtual machine 0.67 of it                               tests/calibrate/crowd_fit_test.cpp

#include <cstdint>
#include <span>

#include "oracle/cluster/profile.h"
#include "oracle/io/calibration/calibration_samples.h"

namespace oracle {

/// Whether a machine's processors stay where they are.
enum class Placement : std::uint8_t { stays, moves };

/// Of those that were measured with the most ranks, in the order they were; nothing of none.
Contention fit_contention(std::span<const CrowdedKernel> measured,
                          Placement placement = Placement::stays);

}  // namespace oracle
