#include "oracle/search/per_layer/conversions.h"

#include <algorithm>
#include <utility>

#include "oracle/cost/price.h"
#include "oracle/plan/promotion.h"

namespace oracle::per_layer {

Conversions::Conversions(const Mesh& mesh)
    : mesh_(mesh), samples_(mesh.plan.micro_batch_samples()) {
  std::vector<std::pair<Shape, std::int64_t>> shapes;  // with their grain
  for (const Layer& layer : mesh.graph.layers) {
    const std::pair own{layer.output, layer.grain};
    const auto known = std::find(shapes.begin(), shapes.end(), own);
    shape_of_.push_back(static_cast<std::size_t>(known - shapes.begin()));
    if (known == shapes.end()) shapes.push_back(own);
  }
  for (std::vector<std::vector<double>>& tables : tables_) {
    tables.assign(shapes.size(), std::vector<double>(mesh.codes.size() * mesh.codes.size(), -1.0));
  }
  const Precision& precision = mesh.plan.training.precision;
  for (const std::vector<LayerId>& readers : mesh.graph.consumers) {
    narrow_.push_back(std::all_of(readers.begin(), readers.end(), [&](LayerId reader) {
      return is_narrow(mesh.graph[reader], precision);
    }));
  }
}

bool Conversions::travels(LayerId tensor, Code from, Code to) const {
  const Layout& delivered = mesh_.codes.decode(from);
  const bool is_sum =
      std::find(delivered.begin(), delivered.end(), State::partial) != delivered.end();
  return narrow_[tensor] && !is_sum &&
         !convert(delivered, mesh_.codes.decode(to), mesh_.graph[tensor].output, samples_,
                  mesh_.plan.degrees, mesh_.graph[tensor].grain)
              .empty();
}

double Conversions::streaming(LayerId tensor, Code layout, double bytes_of_value) {
  const std::int64_t elements =
      local_elements(mesh_.graph[tensor].output, samples_, mesh_.codes.decode(layout),
                     mesh_.plan.degrees, mesh_.graph[tensor].grain);
  const double bytes = bytes_of_value * static_cast<double>(elements);
  const auto [price, is_new] = streams_.try_emplace(bytes, 0.0);
  if (is_new) {
    Plan plan = mesh_.plan;
    plan.pieces.resize(1);
    price->second = price_work(mesh_.graph, plan, {}, {0, Pass::quantize, Bytes{bytes}},
                               mesh_.cluster, mesh_.profile)
                        .time.value;
  }
  return price->second;
}

double Conversions::priced(LayerId tensor, Code from, Code to, Bits bits) {
  double sum = 0;
  for (const Conversion& step :
       convert(mesh_.codes.decode(from), mesh_.codes.decode(to), mesh_.graph[tensor].output,
               samples_, mesh_.plan.degrees, mesh_.graph[tensor].grain)) {
    const auto key = static_cast<std::uint64_t>(step.elements) << 16 |
                     static_cast<std::uint64_t>(step.axes) << 8 |
                     static_cast<std::uint64_t>(step.collective);
    const auto [price, is_new] = prices_[bits].try_emplace(key, 0.0);
    if (is_new) {
      const Precision& precision = mesh_.plan.training.precision;
      const double element = bits == kNarrow ? precision.narrow.value_bytes()
                                             : value_bytes(mesh_.graph, mesh_.plan, tensor);
      const Transfer transfer{step.collective, step.axes,
                              Bytes{element * static_cast<double>(step.elements)},
                              Payload::activation, tensor};
      price->second =
          price_transfer(mesh_.plan, transfer, mesh_.cluster, mesh_.profile).cost.time.value;
    }
    sum += price->second;
  }
  return sum;
}

}  // namespace oracle::per_layer
