#include "oracle/report/model_report.h"

#include <algorithm>
#include <array>
#include <string>

#include "oracle/cost/compute/kernel.h"
#include "oracle/graph/kinds/kind.h"
#include "oracle/report/text.h"

namespace oracle::report {
namespace {

constexpr std::array<Pass, 3> kPasses = {Pass::forward, Pass::backward_data,
                                         Pass::backward_weights};

/// The whole layer as one rank holds it.
Piece whole(const Layer& layer, std::int64_t samples) {
  Piece piece;
  piece.samples = samples;
  piece.input = layer.input;
  piece.output = layer.output;
  piece.reduction = layer.reduction;
  piece.groups = layer.groups;
  for (const Weight& weight : layer.weights) piece.weights += weight.elements;
  return piece;
}

struct PassDemand {
  Flops flops;
  Bytes traffic;
};

/// The input layer computes nothing, and a layer without weights has no gradient of them.
PassDemand demand_of(const Layer& layer, Pass pass, const Training& training) {
  const bool idle = layer.inputs.empty() || (pass == Pass::backward_weights && !layer.learns());
  if (idle) return {};
  const KernelDemand kernel = demand(layer, whole(layer, training.batch), pass, training);
  return {kernel.flops, kernel.traffic};
}

Table layer_table(const Graph& graph, const Training& training) {
  Column backward = number_column({}, "backward");
  backward.audience = Audience::people;
  Table table{.key = "layers",
              .columns = {text_column("layer", "layer"), left_out(text_column("kind", "kind"), 2),
                          data_column("input"), text_column("output", "output"),
                          number_column("parameters", "parameters"),
                          number_column("forward_flops", "forward", "FLOP"),
                          data_column("backward_data_flops", "FLOP"),
                          data_column("backward_weights_flops", "FLOP"), backward,
                          left_out(number_column("forward_bytes", "moves", "B"), 1),
                          data_column("backward_data_bytes", "B"),
                          data_column("backward_weights_bytes", "B")}};
  for (const Layer& layer : graph.layers) {
    std::array<PassDemand, 3> pass;
    std::transform(kPasses.begin(), kPasses.end(), pass.begin(),
                   [&](Pass p) { return demand_of(layer, p, training); });
    table.rows.push_back(
        {{words(layer.name), words(layer.kind->name), words(to_text(layer.input)),
          words(to_text(layer.output)), count(layer.parameters()), work(pass[0].flops),
          work(pass[1].flops), work(pass[2].flops), work(pass[1].flops + pass[2].flops),
          size(pass[0].traffic), size(pass[1].traffic), size(pass[2].traffic)}});
  }
  return table;
}

/// One row per pass: the sums that a serial step does.
Table pass_table(const Graph& graph, const Training& training) {
  Table table{.key = "passes",
              .title = "whole network, " + number_of(training.batch, "sample") + ", " +
                       std::string(training.precision.name),
              .columns = {text_column("pass", "pass"), number_column("flops", "work", "FLOP"),
                          number_column("bytes", "bytes", "B")}};
  for (const Pass pass : kPasses) {
    PassDemand sum;
    for (const Layer& layer : graph.layers) {
      const PassDemand demand = demand_of(layer, pass, training);
      sum.flops += demand.flops;
      sum.traffic += demand.traffic;
    }
    table.rows.push_back({{named(name_of(pass)), work(sum.flops), size(sum.traffic)}});
  }
  return table;
}

Fields published_fields(const Published& published) {
  Fields fields{.key = "published", .title = "published"};
  if (published.parameters > 0) {
    fields.rows.push_back({"parameters", "parameters", count(published.parameters)});
  }
  if (published.multiply_adds > 0) {
    fields.rows.push_back(
        {"multiply_adds", "multiply-adds", multiply_adds(published.multiply_adds)});
  }
  if (!fields.rows.empty()) fields.rows.push_back({"source", "source", words(published.source)});
  return fields;
}

Fields total_fields(const Graph& graph) {
  return {.rows = {{"model", {}, words(graph.name)},
                   {"description", {}, words(graph.description)},
                   {"parameters", {}, count(graph.parameters())},
                   {"learned_parameters", {}, count(graph.learned_parameters())},
                   {"multiply_adds", {}, multiply_adds(graph.multiply_adds())}},
          .shown = false};
}

}  // namespace

Document model_report(const Graph& graph, const Training& training) {
  Document document{.schema = "oracle/model-report/1",
                    .headline = graph.name + "   " + grouped(graph.parameters()) +
                                " parameters   " + multiply_adds(graph.multiply_adds()).text +
                                " MACs forward per sample   " + number_of(graph.size(), "layer"),
                    .subject = graph.description,
                    .main = "layers"};
  document.sections.emplace_back(total_fields(graph));
  document.sections.emplace_back(layer_table(graph, training));
  document.sections.emplace_back(pass_table(graph, training));
  document.sections.emplace_back(published_fields(graph.published));
  return document;
}

}  // namespace oracle::report
