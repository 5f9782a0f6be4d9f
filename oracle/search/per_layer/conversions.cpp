#include "oracle/search/per_layer/conversions.h"

#include <algorithm>
#include <utility>

#include "oracle/cost/price.h"

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
  tables_.assign(shapes.size(), std::vector<double>(mesh.codes.size() * mesh.codes.size(), -1.0));
}

double Conversions::priced(LayerId tensor, Code from, Code to) {
  double sum = 0;
  for (const Conversion& step :
       convert(mesh_.codes.decode(from), mesh_.codes.decode(to), mesh_.graph[tensor].output,
               samples_, mesh_.plan.degrees, mesh_.graph[tensor].grain)) {
    const auto key = static_cast<std::uint64_t>(step.elements) << 16 |
                     static_cast<std::uint64_t>(step.axes) << 8 |
                     static_cast<std::uint64_t>(step.collective);
    const auto [price, is_new] = prices_.try_emplace(key, 0.0);
    if (is_new) {
      const double element = mesh_.plan.training.precision.activation_bytes;
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
