#include "oracle/io/onnx/onnx_reader.h"

#include "oracle/base/error.h"
#include "oracle/io/file_bytes.h"
#include "oracle/io/onnx/decode.h"
#include "oracle/io/onnx/importer.h"

namespace oracle {
namespace {

constexpr std::size_t kMostOnnxBytes = std::size_t{64} << 20U;
/// Options are their own place.
constexpr std::string_view kOption = "--";

InputError placed(const InputError& error, const std::string& place) {
  std::vector<Problem> problems = error.problems();
  for (Problem& problem : problems) {
    if (problem.place.starts_with(kOption)) continue;
    problem.place = problem.place.empty() ? place : place + ": " + problem.place;
  }
  return InputError(std::move(problems));
}

}  // namespace

Graph read_onnx(std::string_view bytes, const std::string& place, const ModelOverrides& overrides) {
  if (bytes.size() > kMostOnnxBytes) {
    throw InputError(place, "larger than 64 MiB",
                     "save it with its weights outside (save_as_external_data=True)");
  }
  const onnx::Model model = onnx::decode(bytes, place);
  try {
    onnx::Importer importer(model, std::filesystem::path(place).stem().string(), overrides);
    Graph graph = importer.run();
    graph.description = "imported from ONNX";
    return graph;
  } catch (const InputError& error) {
    throw placed(error, place);
  }
}

Graph load_onnx(const std::filesystem::path& file, const ModelOverrides& overrides) {
  return read_onnx(read_bytes(file, kMostOnnxBytes), file.string(), overrides);
}

}  // namespace oracle
