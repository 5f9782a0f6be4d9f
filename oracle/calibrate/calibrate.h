#pragma once
// What do samples of a machine become?
//
// A profile: the table of its kernels and the fits of their families, the fits of its links and of
// its storage, and
// the machine's description, in which figures that were measured replace those assumed:
//
//   memory_bandwidth  what all threads that copied move together: 2·bytes·threads/seconds
//   launch_overhead   forward of an empty kernel (graph/layer_case.h); without it the description's
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

/// How far measuring came.
struct Coverage {
  std::size_t reached = 0, unreached = 0;  ///< layer shapes
  Seconds spent;

  /// In which all of them would be reached. Worked: 15 of 75 in 44 s → 220 s
  Seconds needed() const;
};

/// "60 of 75 shapes were not reached in 44 s; --seconds 220 would reach them"; empty where all
/// were.
std::string to_text(const Coverage& coverage);

/// Of samples that say how many cases the time did not suffice for.
Coverage coverage_of(const CalibrationSamples& samples);

/// Throws InputError where the kernels were measured on another class of device than described, or
/// on another model of GPU.
void require_same_device(const CalibrationSamples& samples, const Device& described);

/// `described` is the machine as its description has it. Throws as require_same_device().
Calibration calibrate(const CalibrationSamples& samples, const Cluster& described,
                      const std::string& name);

/// Kernels, links and storage of all; of equal ones the last counts, and kernels are fitted again.
/// The machine is the first one's. At least one profile. Throws InputError where they are of unlike
/// devices.
Calibration merge(std::span<const ProfileFile> files, const std::string& name);

}  // namespace oracle
