#pragma once
// Which constants of GPU libraries do the published kernels ask for that may be fitted on?
//
// Kernels of "set": "judge" are passed over. Each row of gpu_library.cpp whose device was timed
// gets a fit of its own, next to the constants in use. Products with fewer than 32 rows or columns
// are left out: no rule of shape fits them on older GPUs.         tests/cli/library_fits_test.cpp

#include <span>
#include <vector>

#include "oracle/io/published/kernels_reader.h"
#include "oracle/report/library_fit_report.h"

namespace oracle::cli {

std::vector<report::LibraryFit> fit_libraries(std::span<const PublishedKernels> published);

}  // namespace oracle::cli
