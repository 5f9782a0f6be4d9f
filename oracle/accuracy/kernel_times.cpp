#include "oracle/accuracy/kernel_times.h"

#include <limits>
#include <vector>

#include "oracle/cost/compute/roofline.h"

namespace oracle {
namespace {

constexpr std::int64_t kAlignment = 8;

Training training_of(const Precision& precision) {
  Training training;
  training.precision = precision;
  training.framework.workspace = Bytes{std::numeric_limits<double>::infinity()};
  return training;
}

std::vector<std::int64_t> listed(const std::array<std::int64_t, 2>& pair) {
  return {pair.begin(), pair.end()};
}

}  // namespace

KernelDemand product_demand(std::int64_t m, std::int64_t n, std::int64_t k,
                            const Precision& precision) {
  KernelDemand demand;
  demand.form = KernelForm::product;
  demand.m = m;
  demand.n = n;
  demand.k = k;
  demand.aligned = m % kAlignment == 0 && k % kAlignment == 0;
  const auto x = static_cast<double>(m), y = static_cast<double>(n), z = static_cast<double>(k);
  demand.flops = Flops{2 * x * y * z};
  demand.traffic = Bytes{(x * z + z * y + x * y) * precision.activation_bytes};
  return demand;
}

KernelDemand convolution_demand(const ConvolutionShape& shape, Pass pass,
                                const Precision& precision) {
  GraphBuilder net("kernel");
  Shape image;
  image[Axis::channel] = shape.channels;
  image[Axis::height] = shape.map[0];
  image[Axis::width] = shape.map[1];
  const LayerId input = net.input(image, 2);
  const LayerId layer = net.add("convolution", "convolution", {input},
                                {{"features", shape.features},
                                 {"kernel", listed(shape.kernel)},
                                 {"stride", listed(shape.stride)},
                                 {"pad", listed(shape.pad)},
                                 {"bias", false}});
  net.add("loss", "softmax_loss", {layer});
  const Graph graph = net.finish();
  Piece piece;
  piece.samples = shape.samples;
  piece.input = graph[layer].input;
  piece.output = graph[layer].output;
  piece.weights = graph[layer].parameters();
  piece.reduction = graph[layer].reduction;
  return demand(graph[layer], piece, pass, training_of(precision));
}

Seconds product_alone(std::int64_t m, std::int64_t n, std::int64_t k, const Precision& precision,
                      const Cluster& cluster) {
  return roofline_terms(product_demand(m, n, k, precision), precision.compute, cluster).total();
}

Seconds convolution_alone(const ConvolutionShape& shape, Pass pass, const Precision& precision,
                          const Cluster& cluster) {
  return roofline_terms(convolution_demand(shape, pass, precision), precision.compute, cluster)
      .total();
}

}  // namespace oracle
