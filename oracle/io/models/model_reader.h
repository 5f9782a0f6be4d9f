#pragma once
// Which network does a model file describe?
//
// The format is `data/schema/model.schema.json`, explained in models/README.md; expander.h says how
// blocks become layers. A config.json of Hugging Face is read as well (transformers/). Everything
// wrong with a file is reported at once.
//
// Worked: load_model("resnet50").parameters() is 25,557,032            tests/io/models/zoo_test.cpp

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "oracle/graph/graph.h"
#include "oracle/io/jobs/job.h"
#include "oracle/io/json/document.h"

namespace oracle {

/// A shape as `--input` gives it, and how many spatial sizes were written: 4x1x1 is an image.
struct InputShape : Shape {
  std::size_t rank = 0;
};

/// What the user may change about a model without editing its file.
struct ModelOverrides {
  std::optional<InputShape> input;      ///< `--input 3x226x226`
  std::optional<std::int64_t> classes;  ///< `--classes 10`
  bool skip_unknown = false;  ///< `--skip-unknown`: price unknown operators of ONNX by bytes
  std::string output{};  ///< `--trained-output`: of an ONNX file with several, the one to train
  std::optional<std::int64_t> sequence{};  ///< `--sequence 8192`: tokens of a text
  std::string lora{};                      ///< `--lora 16:*.q|*.v`: adapters alone are trained
  std::string train{};  ///< `--train *.head`: the layers that are trained; empty: all
};

/// Parses `--input`: channels, then up to 3 sizes (`429`, `3x224x224`, `4x128x128x128`). Throws
/// InputError.
InputShape parse_input_shape(std::string_view text);

/// Throws InputError unless a network with `rank` spatial axes and `channels` (0: not known) takes
/// the input: `--input: the network takes CxHxW and not 224; did you mean 3x224x224?`
void require_input(const InputShape& input, std::size_t rank, std::int64_t channels);

/// Reads a model file's document. Throws InputError with every problem of the file. With overrides
/// the graph carries no published figures: they are those of the file as it stands.
Graph read_model(const json::Document& document, const ModelOverrides& overrides = {});

/// The same of a document that may be a config.json, whose network is called `name`.
Graph read_model_of_either_form(const json::Document& document, std::string_view name,
                                const ModelOverrides& overrides = {});

/// The network that a job trained, on texts of its length. Throws InputError where none is known.
Graph model_of(const JobNetwork& job, ModelOverrides overrides = {});

/// Finds a model by name (models/NAME.json) or path and reads it: JSON, ONNX, the log of a job.
Graph load_model(std::string_view name, const ModelOverrides& overrides = {});

}  // namespace oracle
