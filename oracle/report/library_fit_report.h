#pragma once
// How do the constants of GPU libraries that fit published kernels differ from those in use?
//                                                       tests/report/library_fit_report_test.cpp

#include <cstddef>
#include <span>
#include <string>

#include "oracle/cost/compute/gpu_library.h"
#include "oracle/report/document.h"

namespace oracle::report {

/// The constants of one device in one number format.
struct LibraryFit {
  std::string device, precision;
  std::size_t kernels = 0;
  GpuLibrary in_use, fitted;
  double loss_in_use = 0, loss_fitted = 0;
};

/// Constants that are 0 in use are left out.
Document library_fit_report(std::span<const LibraryFit> fits);

}  // namespace oracle::report
