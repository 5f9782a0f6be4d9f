#include "oracle/io/onnx/onnx_reader.h"

#include "oracle/base/error.h"
#include "oracle/base/in_quotes.h"
#include "oracle/io/file_bytes.h"
#include "oracle/io/onnx/decode.h"
#include "oracle/io/onnx/functions.h"
#include "oracle/io/onnx/importer.h"

namespace oracle {
namespace {

/// Of what is not a regular file and has to be held.
constexpr std::size_t kMostPiped = std::size_t{64} << 20U;
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

std::string count_of(std::int64_t count, const std::string& one, const std::string& many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

/// "imported from ONNX; 2 outputs, of which "y" is trained"
std::string description_of(const onnx::Notes& notes, const Graph& graph) {
  std::string text = "imported from ONNX";
  if (notes.outputs > 1) {
    text += "; " + std::to_string(notes.outputs) + " outputs, of which " +
            in_quotes(notes.trained_output) + " is trained (--trained-output NAME for another)";
  }
  if (notes.masks > 0) {
    text += "; " + count_of(notes.masks, "stored constant is", "stored constants are") +
            " taken for masks, bounds or initial states and not counted as weights";
  }
  if (notes.of_input > 0) {
    text += "; " + count_of(notes.of_input, "constant", "constants") +
            " that the input is shifted or scaled by, as by its mean, counted as weights";
  }
  if (notes.constant_products > 0) {
    text += "; " + std::to_string(static_cast<std::int64_t>(notes.constant_products)) +
            " MACs of constants are done once for all samples and not counted";
  }
  if (notes.skipped > 0) {
    text += "; " + count_of(notes.skipped, "operator", "operators") +
            " priced by bytes, without operations, with " +
            std::to_string(notes.skipped_parameters) + " of " + std::to_string(graph.parameters()) +
            " parameters";
  }
  return text;
}

Graph imported(const onnx::Model& model, const std::string& name, const ModelOverrides& overrides) {
  std::size_t spatial_rank = 0;
  while (true) {
    try {
      onnx::Importer importer(model, name, overrides, spatial_rank);
      Graph graph = importer.run();
      graph.description = description_of(importer.notes(), graph);
      return graph;
    } catch (const onnx::MorePositions& more) {
      ensure(more.spatial_rank > spatial_rank, "a network whose spatial axes do not grow");
      spatial_rank = more.spatial_rank;
    }
  }
}

Graph read(onnx::ByteSource& bytes, const std::string& place, const ModelOverrides& overrides) {
  onnx::Model model = onnx::decode(bytes, place);
  try {
    onnx::inline_functions(model);
    return imported(model, std::filesystem::path(place).stem().string(), overrides);
  } catch (const InputError& error) {
    throw placed(error, place);
  }
}

}  // namespace

Graph read_onnx(std::string_view bytes, const std::string& place, const ModelOverrides& overrides) {
  onnx::ByteSource source(bytes);
  return read(source, place, overrides);
}

Graph load_onnx(const std::filesystem::path& file, const ModelOverrides& overrides) {
  std::error_code ignored;
  if (std::filesystem::is_regular_file(file, ignored)) {
    onnx::ByteSource source(file);
    return read(source, file.string(), overrides);
  }
  const std::string bytes = read_bytes(file, kMostPiped);
  if (bytes.size() > kMostPiped) {
    throw InputError(file.string(), "is not a regular file and larger than 64 MiB",
                     "save it in a file, which is read in pieces");
  }
  return read_onnx(bytes, file.string(), overrides);
}

}  // namespace oracle
