#include "oracle/cost/compute/gpu_library.h"

namespace oracle {
namespace {

constexpr std::array<Tile, 11> kTiles = {{{256, 128},
                                          {128, 256},
                                          {128, 128},
                                          {128, 64},
                                          {64, 128},
                                          {64, 64},
                                          {128, 32},
                                          {32, 128},
                                          {64, 32},
                                          {32, 64},
                                          {32, 32}}};
constexpr std::array<Tile, 5> kPascalTiles = {
    {{128, 128}, {128, 64}, {64, 128}, {64, 64}, {128, 32}}};
constexpr std::array<Tile, 2> kMaxwellTiles = {{{128, 128}, {128, 64}}};

constexpr std::array<double, 3> kVectorPasses = {1, 1, 1};
constexpr std::array<double, 3> kMatrixPasses = {0.90, 0.80, 0.85};

//                          tiles   rate  ceiling beta  passes        hole  depth few  fused
//                          transforms maps misaligned
constexpr GpuLibrary kMaxwell{kMaxwellTiles, 0,   0.90, 24, kVectorPasses, 0.5,
                              400,           0.9, 0.85, 1,  false,         1};
constexpr GpuLibrary kPascal{kPascalTiles, 0,   1.15, 24,  kVectorPasses, 0.55,
                             450,          0.7, 0.78, 1.1, true,          1};
constexpr GpuLibrary kVoltaVector{kTiles, 0, 0.96, 7,   kVectorPasses, 0.21,
                                  340,    1, 0.70, 0.5, true,          1};
constexpr GpuLibrary kVoltaMatrix{kTiles, 512,  1.10, 24, kMatrixPasses, 0.1,
                                  150,    0.27, 0,    0,  false,         0.96};
constexpr GpuLibrary kAmpereMatrix{kTiles, 1024, 1.00, 10, kMatrixPasses, 0.1,
                                   150,    0.27, 0,    0,  false,         0.96};

struct Row {
  const GpuLibrary *vector, *matrix;
};

Row row_of(Generation generation) {
  switch (generation) {
    case Generation::kepler:
    case Generation::maxwell:
      return {&kMaxwell, &kVoltaMatrix};
    case Generation::pascal:
      return {&kPascal, &kVoltaMatrix};
    case Generation::volta:
    case Generation::turing:
      return {&kVoltaVector, &kVoltaMatrix};
    default:
      return {&kVoltaVector, &kAmpereMatrix};
  }
}

/// Part of a rate that is left where what slows it down costs `pace` times as many multiply-adds.
double left_at(double pace, double part) { return 1 / (1 + (1 / part - 1) * pace); }

GpuLibrary at_pace(double pace, GpuLibrary row) {
  row.beta *= pace;
  row.weight_depth *= pace;
  for (double& pass : row.passes) pass = left_at(pace, pass);
  row.few = left_at(pace, row.few);
  row.misaligned = left_at(pace, row.misaligned);
  return row;
}

}  // namespace

GpuLibrary gpu_library(const Device& device, DataType type) {
  const Row row = row_of(device.generation);
  if (!device.matrix_unit_for(type)) return *row.vector;
  if (device.matrix_rate == 0 || device.matrix_rate >= row.matrix->rate) return *row.matrix;
  return at_pace(device.matrix_rate / row.matrix->rate, *row.matrix);
}

}  // namespace oracle
