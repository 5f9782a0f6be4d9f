#pragma once
// What was measured of a machine, kernel by kernel and link by link?
//
// The samples of oracle-bench, oracle-bench-links and oracle-bench-input, "oracle/samples/1":
// medians of many calls with their 10th and 90th percentile. Several files become one value: a
// machine may be measured in parts. tests/io/calibration/samples_reader_test.cpp

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "oracle/base/units.h"
#include "oracle/cluster/device.h"
#include "oracle/cluster/storage.h"
#include "oracle/graph/layer_case.h"
#include "oracle/io/json/document.h"
#include "oracle/io/measurements/link_sample.h"

namespace oracle {

/// How long one thing took.
struct MeasuredTime {
  Seconds median, low, high;  ///< low and high: 10th and 90th percentile
  std::int64_t count = 1;     ///< of calls
  Seconds mean = median;      ///< of those that nothing disturbed
};

/// One pass of a layer on some samples.
struct KernelSample {
  LayerCase layer;
  Pass pass = Pass::forward;
  DataType type = DataType::fp32;
  std::string optimizer;  ///< of an update
  MeasuredTime time;
};

/// A step of a compressed exchange, of so many inputs of so many words each, and its output.
struct CompressionSample {
  std::string step, exchange;  ///< "compress", "topk"
  DataType type = DataType::fp32;
  std::int64_t inputs = 1, input = 1, output = 1;
  MeasuredTime time;
};

/// A kernel alone, and while as many ranks in all ran the same, each on a core of its own.
struct CrowdedKernel {
  KernelSample alone;
  std::int64_t ranks = 2;
  Seconds beside;
  double sharing = 1;  ///< meanwhile, of 0 to 1 (Contention in cluster/profile.h)
};

/// Copying of what has just been written, by some threads at the same time, to where messages are
/// made, and from there to where nothing has been for long.
struct CopyRate {
  std::int64_t threads = 1;
  Bytes bytes;        ///< by each thread at a time
  MeasuredTime time;  ///< of one of the two, in their mean
  Seconds pack;       ///< as `time`, where samples have no more
  Seconds unpack;
};

/// Reading, decoding or writing so many bytes.
struct StorageSample {
  StorageOperation operation = StorageOperation::read_random;
  std::int64_t workers = 1;  ///< of a decode
  bool cached = false;       ///< of a read
  Bytes bytes;
  MeasuredTime time;
};

struct CalibrationSamples {
  /// Of each file, names and values: "device", "date", "command", …
  std::vector<std::vector<std::pair<std::string, std::string>>> contexts;
  std::vector<KernelSample> kernels;
  std::vector<CompressionSample> compressions;
  std::vector<CrowdedKernel> crowd;
  std::vector<CopyRate> copies;
  std::vector<LinkSample> links;
  std::vector<Interference> interference;
  std::vector<StorageSample> storage;
  std::vector<std::string> failures;  ///< "LAYER: error" of cases that could not run
};

/// Throws InputError with every problem of the file.
CalibrationSamples read_calibration_samples(const json::Document& document);

/// Those of several files; the later of equal kernels counts. Throws InputError, EnvironmentError.
CalibrationSamples load_calibration_samples(std::span<const std::filesystem::path> files);

/// Whether a file calls itself one of samples. Throws EnvironmentError where it cannot be read.
bool is_samples_file(const std::filesystem::path& file);

/// The value of a context's name; empty where no file says it.
std::string context_value(const CalibrationSamples& samples, std::string_view name);

}  // namespace oracle
