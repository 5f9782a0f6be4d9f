#pragma once
// What do samples of a machine become?
//
// A profile: the table of its kernels and the fits of their families, the fits of its links and of
// its storage, and
// the machine's description, in which figures that were measured replace those assumed:
//
//   memory_bandwidth  what all threads that copied move together: 2·bytes·threads/seconds
//   launch_overhead   the shortest kernel of all
//                                                        tests/calibrate/calibrate_test.cpp

#include <cstddef>
#include <map>
#include <span>
#include <string>

#include "oracle/io/calibration/calibration_samples.h"
#include "oracle/io/calibration/profile_file.h"

namespace oracle {

struct Calibration {
  ProfileFile file;
  std::map<std::string, std::size_t> left_out;  ///< why, and of how many samples
};

/// `described` is the machine as its description has it.
Calibration calibrate(const CalibrationSamples& samples, const Cluster& described,
                      const std::string& name);

/// Kernels, links and storage of all; of equal ones the last counts, and kernels are fitted anew.
/// The machine is the first one's. At least one profile.
Calibration merge(std::span<const ProfileFile> files, const std::string& name);

}  // namespace oracle
