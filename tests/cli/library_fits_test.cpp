#include "oracle/cli/library_fits.h"

#include <gtest/gtest.h>

namespace oracle::cli {
namespace library_fits_test {

PublishedKernels kernels(bool fitted, double slower) {
  PublishedKernels out;
  out.device = "v100-sxm2-16gb";
  out.precision = "fp32";
  out.fitted = fitted;
  for (const std::int64_t side : {512, 1024, 2048}) {
    out.products.push_back({side, side, side,
                            Seconds{slower * 2e-13 * 1e-3 * static_cast<double>(side * side) *
                                    static_cast<double>(side)}});
  }
  return out;
}

/// What judges says nothing to a fit, however far off it is.
TEST(LibraryFits, KernelsThatJudgeAreNeverFittedOn) {
  const std::vector<PublishedKernels> judging = {kernels(false, 100)};
  EXPECT_TRUE(fit_libraries(judging).empty());
  const std::vector<PublishedKernels> alone = {kernels(true, 1)};
  const std::vector<PublishedKernels> both = {kernels(false, 100), kernels(true, 1)};
  ASSERT_EQ(fit_libraries(both).size(), 1U);
  EXPECT_EQ(fit_libraries(both)[0].loss_fitted, fit_libraries(alone)[0].loss_fitted);
  EXPECT_EQ(fit_libraries(both)[0].fitted.ceiling, fit_libraries(alone)[0].fitted.ceiling);
}

/// The constants in use are those that the published kernels ask for: no fit gains much.
TEST(LibraryFits, TheConstantsInUseAreFitted) {
  for (const report::LibraryFit& fit : fit_libraries(load_published_kernels())) {
    EXPECT_LT(fit.loss_in_use, fit.loss_fitted + 0.03) << fit.device << " " << fit.precision;
  }
}

}  // namespace library_fits_test
}  // namespace oracle::cli
