#pragma once
// Which constants of GPU libraries do the published kernels ask for that may be fitted on?
//
// Kernels of "set": "judge" are passed over. Each row of gpu_library.cpp whose device was timed
// gets a fit of its own, next to the constants in use. Products with fewer than 32 rows or columns
// are left out: no rule of shape fits them on older GPUs.         tests/cli/library_fits_test.cpp

#include <span>
#include <string>
#include <vector>

#include "oracle/cost/compute/gpu_library.h"
#include "oracle/io/published/kernels_reader.h"
#include "oracle/report/document.h"

namespace oracle::cli {

struct LibraryFit {
  std::string device, precision;
  std::size_t kernels = 0;
  GpuLibrary in_use, fitted;
  double loss_in_use = 0, loss_fitted = 0;
};

std::vector<LibraryFit> fit_libraries(std::span<const PublishedKernels> published);

report::Document library_fit_report(std::span<const LibraryFit> fits);

}  // namespace oracle::cli
