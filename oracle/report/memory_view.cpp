#include "oracle/report/memory_view.h"

#include <algorithm>
#include <cmath>

#include "oracle/base/quantity_text.h"
#include "oracle/report/text.h"

namespace oracle::report {
namespace {

constexpr std::size_t kMostColumns = 80;

/// The largest value that falls into each column.
std::vector<double> columns_of(std::span<const Bytes> values) {
  const std::size_t columns = std::min(values.size(), kMostColumns);
  std::vector<double> tops(columns, 0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    double& top = tops[i * columns / values.size()];
    top = std::max(top, values[i].value);
  }
  return tops;
}

/// "18 B: weights 2, gradients 4, master copy 4, moments 8"; in fp4 "weights 2 (linears 1.12)".
Cell kept_of_a_parameter(const Training& training) {
  const Precision& precision = training.precision;
  const int each = bytes_per_parameter(training);
  Cell cell = memory_size(Bytes{static_cast<double>(each)});
  cell.text += ": weights " + std::to_string(precision.weight_bytes);
  const double linear = 2 * precision.narrow.weight_bytes();
  const bool differs = precision.narrow.bits > 0 && precision.cast_bytes == 0;
  if (differs && linear != precision.weight_bytes) {
    cell.text += " (linears " + significant(linear) + ")";
  }
  cell.text += ", gradients " + std::to_string(precision.gradient_bytes);
  if (precision.master_bytes > 0) {
    cell.text += ", master copy " + std::to_string(precision.master_bytes);
  }
  const int moments = training.optimizer.state_bytes;
  if (moments > 0) cell.text += ", moments " + std::to_string(moments);
  return cell;
}

/// What the allocator takes from the device, and whether that may be more than there is.
void add_reserved(const Footprint& memory, Fields& fields) {
  Cell most = memory_size(memory.most_reserved);
  if (memory.least_reserved < memory.most_reserved) {
    most.text = to_binary_text(memory.least_reserved) + " to " + most.text;
  }
  if (memory.most_reserved > memory.room()) {
    most.text += ", and there are " + to_binary_text(memory.room()) + ": it may run out";
  }
  fields.rows.push_back({"memory_least_reserved", {}, memory_size(memory.least_reserved)});
  fields.rows.push_back({"memory_reserved", "reserved by the allocator", most});
}

}  // namespace

Fields peak_fields(const Graph& graph, const Evaluation& evaluation) {
  Fields fields;
  const Fits* fits = evaluation.fits();
  if (!fits) return fields;
  const Footprint& memory = fits->memory;
  std::string text =
      prose(name_of(memory.peak_pass)) + " of " + layer_name(graph, memory.peak_layer);
  if (evaluation.plan && evaluation.plan->stages.size() > 1) {
    text += ", stage " + std::to_string(memory.stage);
  }
  fields.rows.push_back({"memory_peak", "the peak lies in", words(text)});
  fields.rows.push_back({"memory_largest", {}, named(name_of(memory.largest()))});
  fields.rows.push_back(
      {"state_per_parameter", "kept of a parameter", kept_of_a_parameter(evaluation.training)});
  fields.rows.push_back({"memory_allocated", "allocated", memory_size(memory.allocated())});
  if (memory.on_host.value > 0) {
    Cell held = memory_size(memory.on_host);
    held.text += " of " + to_binary_text(memory.host_available);
    fields.rows.push_back({"memory_on_host", "in the host's memory", held});
  }
  if (memory.most_reserved > memory.allocated()) add_reserved(memory, fields);
  return fields;
}

Figure memory_course(std::span<const Bytes> after_each_item, std::size_t rows) {
  Figure figure{"activations over forward and backward of one micro-batch", {}};
  const std::vector<double> tops = columns_of(after_each_item);
  const double highest = tops.empty() ? 0 : *std::max_element(tops.begin(), tops.end());
  if (highest <= 0) return figure;
  const std::string top_label = to_binary_text(Bytes{highest});
  const std::size_t width = display_width(top_label);
  for (std::size_t row = rows; row > 0; --row) {
    const double floor = highest * (static_cast<double>(row) - 0.5) / static_cast<double>(rows);
    std::string line = padded(row == rows ? top_label : "", width, true) + " |";
    for (const double top : tops) line += top >= floor ? '#' : ' ';
    figure.lines.push_back(line);
  }
  figure.lines.push_back(padded("0", width, true) + " +" + std::string(tops.size(), '-'));
  return figure;
}

}  // namespace oracle::report
