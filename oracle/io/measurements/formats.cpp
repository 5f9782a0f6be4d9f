#include <array>

#include "oracle/io/measurements/google_benchmark.h"
#include "oracle/io/measurements/measurements.h"
#include "oracle/io/measurements/nccl_json.h"
#include "oracle/io/measurements/nccl_text.h"
#include "oracle/io/measurements/osu.h"

namespace oracle {
namespace {

constexpr std::array<MeasurementFormat, 4> kFormats = {{
    {"nccl-tests JSON", "the JSON of nccl-tests (-J)", is_nccl_json, read_nccl_json},
    {"Google Benchmark", "the JSON of Google Benchmark", is_google_benchmark,
     read_google_benchmark},
    {"OSU", "the text of the OSU micro-benchmarks", is_osu, read_osu},
    {"nccl-tests", "the text of nccl-tests", is_nccl_text, read_nccl_text},
}};

}  // namespace

std::span<const MeasurementFormat> all_measurement_formats() { return kFormats; }

}  // namespace oracle
