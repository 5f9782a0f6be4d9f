// Which inputs are samples, which of them is the first, and where is the batch?

#include <algorithm>
#include <array>

#include "oracle/base/error.h"
#include "oracle/base/in_quotes.h"
#include "oracle/io/onnx/importer.h"

namespace oracle::onnx {
namespace {

/// Operands that are weights wherever an operator has them.
struct WeightOperand {
  std::string_view type;
  std::size_t first;  ///< and those behind it, to `last`
  std::size_t last;
};

constexpr std::array kWeightOperands = {
    WeightOperand{"Conv", 1, 2},
    WeightOperand{"ConvTranspose", 1, 2},
    WeightOperand{"Gemm", 1, 2},
    WeightOperand{"MatMul", 1, 1},
    WeightOperand{"BatchNormalization", 1, 4},
    WeightOperand{"InstanceNormalization", 1, 2},
    WeightOperand{"GroupNormalization", 1, 2},
    WeightOperand{"LayerNormalization", 1, 2},
    WeightOperand{"PRelu", 1, 1},
    WeightOperand{"Gather", 0, 0},
    WeightOperand{"LSTM", 1, 3},
    WeightOperand{"GRU", 1, 3},
    WeightOperand{"RNN", 1, 3},
};

bool is_text(const Input& input) { return !input.real && input.dims.size() == 2; }

bool is_open(const Input& input) {
  return std::any_of(input.dims.begin(), input.dims.end(),
                     [](const auto& extent) { return !extent.has_value(); });
}

bool is_recurrent(std::string_view type) {
  return type == "LSTM" || type == "GRU" || type == "RNN";
}

std::size_t spatial_axes_of(const Input& input) {
  if (is_text(input)) return 1;
  const std::size_t rank = input.dims.size();
  if (rank >= 1 && rank <= 2) return 0;
  if (rank >= 3 && rank <= 5) return rank - 2;
  throw InputError("input " + in_quotes(input.name),
                   "has " + std::to_string(rank) +
                       " axes, where the batch, the channels and up to 3 extents are read",
                   "export the network with an input such as batch x 3 x 224 x 224");
}

/// The axes of a sample, the batch first.
Axes axes_of_input(const Input& input, const Shape& shape, bool channels_are_last,
                   std::int64_t batch) {
  if (is_text(input)) return {{Axis::sample, batch}, {Axis::width, shape[Axis::width]}};
  return channels_are_last ? channels_last(shape, input.dims.size(), batch)
                           : channels_first(shape, input.dims.size(), batch);
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) {
    return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  });
  return text;
}

bool is_named_batch(const Input& input, std::size_t axis) {
  return axis < input.names.size() && lower(input.names[axis]).find("batch") != std::string::npos;
}

}  // namespace

bool Importer::is_weight_input(const Input& input, const Input& data) const {
  if (&input == &data || !input.real || is_open(input)) return false;
  const auto found = readers_.find(input.name);
  if (found == readers_.end()) return false;
  for (const Node* reader : found->second) {
    for (const WeightOperand& row : kWeightOperands) {
      if (reader->type != row.type) continue;
      for (std::size_t at = row.first; at <= row.last && at < reader->inputs.size(); ++at) {
        if (reader->inputs[at] == input.name) return true;
      }
    }
  }
  return is_open(data) || input.dims.empty() || input.dims.front() != batch_;
}

const Input& Importer::find_data() const {
  const auto is_read_by_any = [&](const Input& input) { return readers_.contains(input.name); };
  // The more it looks like samples, the better; of several that do, the first.
  const auto rank_of = [&](const Input& input) {
    if (input.dims.empty() || !is_read_by_any(input)) return 0;
    const bool weight = !is_open(input) && is_weight_input(input, model_.inputs.front());
    if (input.real && !weight && &input != &model_.inputs.front()) {
      return input.dims.size() > 2 && is_open(input) ? 5 : (is_open(input) ? 3 : 2);
    }
    if (input.real) return is_open(input) ? 5 : 3;
    if (is_text(input)) return 4;
    return input.dims.size() > 2 ? 4 : 1;
  };
  const Input* best = nullptr;
  int best_rank = 0;
  for (const Input& input : model_.inputs) {
    const int rank = rank_of(input);
    if (rank <= best_rank) continue;
    best = &input;
    best_rank = rank;
  }
  if (best != nullptr) return *best;
  if (!model_.inputs.empty() && !model_.inputs.front().dims.empty()) return model_.inputs.front();
  throw InputError("inputs", "none of them is an image, a volume, a vector or a text that is read",
                   "export the network with the samples as its input");
}

void Importer::place_inputs(const ModelOverrides& overrides) {
  if (overrides.classes) {
    throw InputError("--classes", "an ONNX file fixes its classes", "leave the option out");
  }
  const Input& data = find_data();
  place_data(data, overrides);
  for (const Input& input : model_.inputs) {
    if (&input == &data || !readers_.contains(input.name)) continue;
    if (!is_weight_input(input, data)) {
      place_further(input);
      continue;
    }
    Value value;
    value.constant = true;
    value.tensor.real = true;
    for (const auto& extent : input.dims) {
      if (*extent > kMostExtent) {
        throw InputError("input " + in_quotes(input.name), "has an extent that is out of range");
      }
      value.tensor.dims.push_back(*extent);
    }
    value.tensor.sources = {{input.name, value.tensor.elements()}};
    values_.emplace(input.name, std::move(value));
  }
}

/// Whether what reads the input takes its last axis for the channels.
bool Importer::has_channels_last(const Input& input) const {
  const auto found = readers_.find(input.name);
  if (found == readers_.end() || input.dims.size() < 3) return false;
  const Node& reader = *found->second.front();
  const auto last = static_cast<std::int64_t>(input.dims.size()) - 1;
  if (reader.type == "Transpose") {
    const Integers order = list_of(reader, "perm");
    return order.size() == input.dims.size() && order[1] == last;
  }
  if (is_recurrent(reader.type)) return true;
  const Integers axes = list_of(reader, "axes");
  const bool normalizes_last =
      reader.type == "ReduceMean" && (axes == Integers{-1} || axes == Integers{last});
  const bool multiplies =
      reader.type == "MatMul" && !reader.inputs.empty() && reader.inputs.front() == input.name;
  return normalizes_last || multiplies || reader.type == "LayerNormalization";
}

/// Which axis is the batch: the first, unless another is called so or a recurrent layer wants it
/// second.
std::size_t Importer::batch_axis_of(const Input& input) const {
  if (input.dims.size() < 3) return 0;
  const auto found = readers_.find(input.name);
  const Node* reader = found == readers_.end() ? nullptr : found->second.front();
  if (reader != nullptr && is_recurrent(reader->type)) {
    return integer_of(*reader, "layout", 0) == 0 ? 1 : 0;
  }
  return is_named_batch(input, 1) && !is_named_batch(input, 0) ? 1 : 0;
}

void Importer::place_data(const Input& input, const ModelOverrides& overrides) {
  const std::size_t rank = spatial_axes_of(input);
  spatial_rank_ = std::max(spatial_rank_, rank);
  const std::size_t batch_axis = batch_axis_of(input);
  const auto& batch = input.dims[batch_axis];
  if (batch && *batch <= kMostExtent) batch_ = *batch;
  const bool last = has_channels_last(input) || batch_axis == 1;
  const auto axes_of = [&](const Shape& shape) {
    Axes axes = axes_of_input(input, shape, last, batch_);
    if (batch_axis == 1) std::swap(axes[0], axes[1]);
    return axes;
  };
  Shape shape;
  if (overrides.input) {
    shape = *overrides.input;
    const bool fixed = !is_text(input) && rank + 2 == input.dims.size();
    const std::size_t channel_axis = last ? input.dims.size() - 1 : 1;
    require_input(*overrides.input, rank,
                  is_text(input) ? 1 : (fixed ? input.dims[channel_axis].value_or(0) : 0));
    if (is_text(input) && shape.channels() != 1) {
      throw InputError("--input", "the network reads one number at each position",
                       "write 1 and a length, such as 1x512");
    }
  } else {
    // An axis of extent 1 would not say which of a sample it is.
    Shape twos;
    twos.extent.fill(2);
    const Axes meanings = axes_of(twos);
    for (std::size_t i = 0; i < input.dims.size(); ++i) {
      if (i == batch_axis) continue;
      const Axis axis = meanings[i].meaning();
      if (!input.dims[i] || *input.dims[i] > kMostExtent) {
        throw InputError("input " + in_quotes(input.name),
                         "its " + std::string(name_of(axis)) + " is not known",
                         "give the extents with --input, such as 3x224x224");
      }
      shape[axis] = *input.dims[i];
    }
  }
  Axes axes = axes_of(shape);
  for (std::size_t i = 0; i < input.names.size() && i < axes.size(); ++i) {
    if (!input.names[i].empty()) symbols_.emplace(input.names[i], axes[i].extent());
  }
  Value value;
  value.layer = builder_.input(shape, spatial_rank_);
  value.axes = std::move(axes);
  names_.emplace("input", 1);
  values_.insert_or_assign(input.name, std::move(value));
}

/// An input beside the first: of samples where an axis is the batch, else the same for all.
void Importer::place_further(const Input& input) {
  Integers extents;
  for (std::size_t i = 0; i < input.dims.size(); ++i) {
    const auto named = i < input.names.size() ? symbols_.find(input.names[i]) : symbols_.end();
    if (input.dims[i]) {
      extents.push_back(*input.dims[i]);
    } else if (named != symbols_.end()) {
      extents.push_back(named->second);
    } else if (i == 0) {
      extents.push_back(batch_);
    } else {
      throw InputError("input " + in_quotes(input.name),
                       "its axis " + std::to_string(i + 1) + " is not known",
                       "export the network with its extents fixed");
    }
    if (extents.back() < 1 || extents.back() > kMostExtent) {
      throw InputError("input " + in_quotes(input.name), "has an extent that is out of range");
    }
  }
  const auto at = std::find(extents.begin(), extents.end(), batch_);
  Value value;
  if (at == extents.end()) {
    value.constant = true;
    value.tensor.dims = extents;
    value.tensor.real = input.real;
  } else {
    value.awaited = true;
    const auto batch_axis = static_cast<std::size_t>(at - extents.begin());
    const bool image = extents.size() > 3;
    for (std::size_t i = 0; i < extents.size(); ++i) {
      Axis axis = Axis::width;
      if (i == batch_axis) axis = Axis::sample;
      const bool channel = image ? i == 1 : i + 1 == extents.size() && !is_text(input);
      if (channel && i != batch_axis) axis = Axis::channel;
      value.axes.emplace_back(axis, extents[i]);
    }
  }
  values_.insert_or_assign(input.name, std::move(value));
}

}  // namespace oracle::onnx
