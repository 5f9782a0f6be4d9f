// How long is a training step of ResNet-50 on 64 GPUs of ABCI? The engine as a library.
#include <exception>
#include <iostream>

#include "oracle/evaluate/evaluation.h"
#include "oracle/io/clusters/cluster_reader.h"
#include "oracle/io/models/model_reader.h"
#include "oracle/plan/strategy/strategy.h"
#include "oracle/plan/training.h"

int main() {
  try {
    const oracle::Graph graph = oracle::load_model("resnet50");
    const oracle::Cluster cluster = oracle::load_cluster("abci");
    const oracle::Training training{2048, oracle::precision_named("fp32"),
                                    oracle::optimizer_named("momentum")};
    const oracle::Evaluation evaluation = oracle::evaluate(
        graph, cluster, oracle::Profile{}, oracle::parse_strategy("data:64"), training);
    const oracle::Fits* fits = evaluation.fits();
    if (!fits) {
      std::cout << "does not fit\n";
      return 1;
    }
    std::cout.precision(17);
    std::cout << fits->step.time.value << '\n';
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 2;
  }
}
