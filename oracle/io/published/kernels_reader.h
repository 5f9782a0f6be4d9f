#pragma once
// Which kernels did others time alone, on which GPU?
//
// A file of data/published/kernels holds those of one device in one number format: products of
// m x k by k x n, and convolutions of one group with their three passes.
//                                                    tests/io/published/kernels_reader_test.cpp

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "oracle/base/units.h"
#include "oracle/io/json/document.h"

namespace oracle {

struct PublishedProduct {
  std::int64_t m = 1, n = 1, k = 1;
  Seconds time;
};

struct PublishedConvolution {
  std::int64_t samples = 1, channels = 1, features = 1;
  std::array<std::int64_t, 2> map{1, 1}, kernel{1, 1}, stride{1, 1}, pad{0, 0};  ///< height, width
  /// Of forward, gradient of the input, gradient of the weights.
  std::array<std::optional<Seconds>, 3> times{};
};

struct PublishedKernels {
  std::string id;         ///< file name
  std::string device;     ///< as --cluster 1x1xDEVICE takes it
  std::string precision;  ///< "fp32", "fp16"
  bool fitted = false;    ///< constants may be fitted on these: they judge nothing
  std::string source;
  std::vector<PublishedProduct> products;
  std::vector<PublishedConvolution> convolutions;
};

/// Throws InputError with every problem of the file.
PublishedKernels read_published_kernels(const json::Document& document);

/// All files of data/published/kernels, in the order of their names.
std::vector<PublishedKernels> load_published_kernels();

}  // namespace oracle
