#include "oracle/io/models/model_reader.h"

#include <algorithm>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "oracle/base/in_quotes.h"
#include "oracle/base/quantity_text.h"
#include "oracle/graph/adapters.h"
#include "oracle/io/data_path.h"
#include "oracle/io/models/blocks.h"
#include "oracle/io/models/expander.h"
#include "oracle/io/models/transformers/config_reader.h"
#include "oracle/io/onnx/onnx_reader.h"

namespace oracle {
namespace {

constexpr std::string_view kModelSchema = "oracle/model/1";
constexpr std::int64_t kMostExtent = std::numeric_limits<std::int32_t>::max();

struct Input {
  Shape shape;
  std::size_t rank = 0;
  int line = 0;
};

/// `CxDxHxW` for a rank of 3, `C` for 0.
std::string form_of(std::size_t rank) {
  constexpr std::string_view kAxes = "DHW";
  std::string form = "C";
  for (const char axis : kAxes.substr(kAxes.size() - rank)) form += std::string("x") + axis;
  return form;
}

/// As it was written: "4x1x1", where the axes of size 1 are shown too.
std::string written(std::int64_t channels, std::span<const std::int64_t> sizes) {
  std::string text = std::to_string(channels);
  for (const std::int64_t size : sizes) text += "x" + std::to_string(size);
  return text;
}

/// What was probably meant by an input of the wrong form; empty: no one knows.
std::string meant(std::int64_t first, std::vector<std::int64_t> sizes, std::size_t rank,
                  std::int64_t channels) {
  if (channels == 0) return {};
  // Channels last.
  if (sizes.size() == rank) {
    sizes.insert(sizes.begin(), first);
    sizes.pop_back();
    return written(channels, sizes);
  }
  // All sizes, or the one that they share, without the channels.
  if (sizes.empty() && rank > 0) return written(channels, std::vector(rank, first));
  if (sizes.size() + 1 == rank) {
    sizes.insert(sizes.begin(), first);
    return written(channels, sizes);
  }
  return {};
}

Input read_input(json::ObjectReader reader) {
  Input input;
  if (reader.has("sequence")) {
    input.shape[Axis::sequence] = reader.integer("sequence", 1, kMostExtent);
  }
  input.shape[Axis::channel] = reader.integer("channels", 1, kMostExtent);
  for (std::size_t i = 0; i < kSpatialAxes.size(); ++i) {
    const Axis axis = kSpatialAxes[i];
    const std::string name(name_of(axis));
    if (input.rank == 0 && !reader.has(name)) continue;
    input.shape[axis] = reader.integer(name, 1, kMostExtent);
    if (input.rank == 0) input.rank = kSpatialAxes.size() - i;
  }
  reader.finish();
  return input;
}

Published read_published(json::ObjectReader& model, json::Problems& problems) {
  Published published;
  const json::Node* node = model.object("published", false);
  if (node == nullptr) return published;
  json::ObjectReader reader(*node, model.pointer_to("published"), problems);
  published.parameters = reader.integer("parameters", 0, std::int64_t{1} << 53, 0);
  published.multiply_adds = reader.number("multiply_adds", 0, 0);
  published.source = reader.string("source");
  reader.finish();
  return published;
}

/// The class count, from the file or the command line.
Attributes read_globals(json::ObjectReader& model, const ModelOverrides& overrides) {
  Attributes globals;
  const bool known = model.has("classes");
  std::int64_t classes = known ? model.integer("classes", 1, kMostExtent) : 0;
  if (overrides.classes) {
    if (!known) {
      throw InputError("--classes", "the network has no classes to choose", "leave the option out");
    }
    if (*overrides.classes < 1 || *overrides.classes > kMostExtent) {
      throw InputError("--classes", std::to_string(*overrides.classes) + " is out of range",
                       "write an integer from 1 to " + std::to_string(kMostExtent));
    }
    classes = *overrides.classes;
  }
  if (known) globals.set("classes", classes);
  return globals;
}

void require_sequence(const Shape& input) {
  if (input[Axis::sequence] > 1) return;
  throw InputError("--sequence", "the network reads no text", "leave the option out");
}

void refuse_sizes_of_images(const ModelOverrides& overrides) {
  if (overrides.input) {
    throw InputError("--input", "the network reads a text", "give its length: --sequence 2048");
  }
  if (overrides.classes) {
    throw InputError("--classes", "the network has no classes to choose", "leave the option out");
  }
}

/// Of a network that is no file of ours.
transformers::Sizes sizes_of(const json::Document& document, const ModelOverrides& overrides) {
  transformers::Sizes sizes{overrides.sequence, {}, overrides.classes};
  if (!transformers::reads_images(document)) {
    refuse_sizes_of_images(overrides);
    return sizes;
  }
  if (overrides.sequence) require_sequence({});
  constexpr std::size_t kImageRank = 2;
  if (overrides.input) {
    require_input(*overrides.input, kImageRank, 0);
    sizes.image = *overrides.input;
  }
  return sizes;
}

Graph read_config(const json::Document& document, std::string_view name,
                  const ModelOverrides& overrides) {
  Graph graph = transformers::read_transformer(document, name, sizes_of(document, overrides));
  json::Problems problems(document.name);
  json::ObjectReader ours(document.root, "", problems);
  graph.description = ours.string("description", graph.notes.empty() ? "" : graph.notes.back());
  graph.sources = ours.strings("sources");
  Published published = read_published(ours, problems);
  problems.raise();
  // Published figures hold for the published input and classes only.
  if (!overrides.input && !overrides.classes) graph.published = std::move(published);
  return graph;
}

void check_schema(json::ObjectReader& model) {
  const std::string schema = model.string("schema");
  if (!schema.empty() && schema != kModelSchema) {
    model.problem("schema", in_quotes(schema) + " is not a model this version reads",
                  "write " + in_quotes(kModelSchema));
  }
}

/// Builds the layers; throws InputError with everything recorded so far.
Graph build(const std::string& name, const Input& input, const Attributes& globals,
            const std::vector<Block>& blocks, const json::Node* layers, json::Problems& problems) {
  if (layers == nullptr) problems.raise();
  GraphBuilder builder(name);
  try {
    builder.input(input.shape, input.rank);
  } catch (const InputError& error) {
    problems.add(input.line, "/input", error.problems().front().message,
                 error.problems().front().remedy);
    problems.raise();
  }
  Expander expander(builder, blocks, problems);
  expander.expand(*layers, "/layers", globals);
  problems.raise();
  try {
    return builder.finish();
  } catch (const InputError& error) {
    expander.record(error);
    problems.raise();
    throw;
  }
}

/// "16:*.q|*.v": a rank, and the layers that have adapters.
Graph adapted(const Graph& graph, std::string_view text) {
  constexpr std::int64_t kHighestRank = 65536;
  const std::size_t colon = text.find(':');
  std::int64_t rank = 0;
  try {
    rank = parse_count(text.substr(0, colon), 1, kHighestRank);
  } catch (const QuantityError& error) {
    throw InputError("--lora", error.what(), "write a rank such as 16, or 16:*.q|*.v");
  }
  const bool named = colon != std::string_view::npos;
  return with_adapters(graph, rank, named ? text.substr(colon + 1) : std::string_view());
}

/// What of it is trained.
Graph tuned(Graph graph, const ModelOverrides& overrides) {
  if (overrides.lora.empty() && overrides.train.empty()) return graph;
  if (!overrides.lora.empty() && !overrides.train.empty()) {
    throw InputError("--train", "contradicts --lora, which trains adapters alone",
                     "give one of the two");
  }
  return overrides.lora.empty() ? training_only(std::move(graph), overrides.train)
                                : adapted(graph, overrides.lora);
}

}  // namespace

InputShape parse_input_shape(std::string_view text) {
  constexpr std::size_t kMostParts = 4;
  std::vector<std::int64_t> parts;
  try {
    for (std::size_t start = 0; start <= text.size() && parts.size() <= kMostParts;) {
      const std::size_t end = std::min(text.find('x', start), text.size());
      parts.push_back(parse_count(text.substr(start, end - start), 1, kMostExtent));
      start = end + 1;
    }
  } catch (const QuantityError& error) {
    throw InputError("--input", in_quotes(text) + ": " + error.what(),
                     "write channels and sizes such as 3x224x224");
  }
  if (parts.size() > kMostParts) {
    throw InputError("--input", in_quotes(text) + " has more than three spatial sizes",
                     "write channels and sizes such as 4x128x128x128");
  }
  const std::size_t rank = parts.size() - 1;
  InputShape shape;
  shape.rank = rank;
  shape[Axis::channel] = parts.front();
  for (std::size_t i = 0; i < rank; ++i) {
    shape[kSpatialAxes[kSpatialAxes.size() - rank + i]] = parts[i + 1];
  }
  return shape;
}

void require_input(const InputShape& input, std::size_t rank, std::int64_t channels) {
  std::vector<std::int64_t> sizes;
  for (std::size_t i = kSpatialAxes.size() - input.rank; i < kSpatialAxes.size(); ++i) {
    sizes.push_back(input[kSpatialAxes[i]]);
  }
  const bool channels_last =
      rank > 0 && sizes.size() == rank && sizes.back() == channels && input.channels() != channels;
  if (sizes.size() == rank && !channels_last) return;
  const std::string form =
      rank == 0 ? "write one number" : "write channels and " + std::to_string(rank) + " sizes";
  const std::string likely = meant(input.channels(), sizes, rank, channels);
  throw InputError("--input",
                   "the network takes " + form_of(rank) + " and not " +
                       written(input.channels(), sizes) + (channels_last ? ", channels last" : ""),
                   likely.empty() ? form : "did you mean " + likely + "?");
}

Graph read_model(const json::Document& document, const ModelOverrides& overrides) {
  json::Problems problems(document.name);
  json::ObjectReader model(document.root, "", problems);
  if (!problems.empty()) problems.raise();
  check_schema(model);
  const std::string name = model.string("name");
  std::string description = model.string("description", "");
  std::vector<std::string> sources = model.strings("sources");
  Published published = read_published(model, problems);
  const Attributes globals = read_globals(model, overrides);
  Input input;
  if (const json::Node* node = model.object("input", true)) {
    input = read_input({*node, model.pointer_to("input"), problems});
    input.line = node->line;
    if (overrides.sequence && problems.empty()) {
      require_sequence(input.shape);
      input.shape[Axis::sequence] = *overrides.sequence;
    }
    if (overrides.input && problems.empty()) {
      require_input(*overrides.input, input.rank, input.shape.channels());
      input.shape = *overrides.input;
    }
  }
  std::vector<Block> blocks;
  if (const json::Node* node = model.object("blocks", false)) {
    blocks = read_blocks(*node, model.pointer_to("blocks"), problems);
  }
  const json::Node* layers = model.array("layers", true);
  model.finish();

  Graph graph = build(name, input, globals, blocks, layers, problems);
  graph.description = std::move(description);
  graph.sources = std::move(sources);
  // Published figures hold for the published input and classes only.
  if (!overrides.input && !overrides.classes && !overrides.sequence) {
    graph.published = std::move(published);
  }
  return graph;
}

Graph read_model_of_either_form(const json::Document& document, std::string_view name,
                                const ModelOverrides& overrides) {
  return tuned(transformers::is_config(document.root) ? read_config(document, name, overrides)
                                                      : read_model(document, overrides),
               overrides);
}

Graph model_of(const JobNetwork& job, ModelOverrides overrides) {
  if (!job.reason.empty()) {
    throw InputError(job.name, "of its network: " + job.reason,
                     "name another model in its place (of oracle job: --model)");
  }
  if (!overrides.sequence) overrides.sequence = job.sequence;
  return read_model_of_either_form(json::parse(job.config, job.name), job.name, overrides);
}

Graph load_model(std::string_view name, const ModelOverrides& overrides) {
  if (is_log_name(name)) return model_of(load_job_network(name), overrides);
  if (name.ends_with(".onnx")) return tuned(load_onnx(name, overrides), overrides);
  return read_model_of_either_form(json::read(resolve("model", "models", name)), name, overrides);
}

}  // namespace oracle
