// The allocator's peak is the plan's footprint: within 3 %, and more by no more than 1 %, for every
// way to cut and networks of different make-up, with the kernels that train, whose channels lie in
// blocks: cuts by feature leave parts of them.

#include <gtest/gtest.h>

#include "oracle/io/clusters/cluster_reader.h"
#include "oracle/io/models/model_reader.h"
#include "tests/plan/tiny_graphs.h"
#include "tests/validate/in_process.h"
#include "validate/train/outcome.h"
#include "validate/train/training.h"

namespace oracle {
namespace memory_memory_test {

struct Asked {
  const char* model;
  const char* input;  ///< "": the network's own
  std::int64_t batch;
  const char* strategy;
  std::int64_t classes = 10;
};

void PrintTo(const Asked& asked, std::ostream* out) {
  *out << asked.model << ' ' << asked.strategy;
}

/// Two steps: the optimizer's state is there from the first one's end.
Outcome run(const Asked& asked) {
  const std::string input = asked.input;
  const Graph graph = input.empty()
                          ? load_model(asked.model)
                          : load_model(asked.model, {parse_input_shape(input), asked.classes});
  Cluster cluster = flat_cluster();
  const Device here = load_cluster("here").device;
  cluster.device.channel_block = here.channel_block;
  cluster.device.fusions = here.fusions;
  const Plan plan =
      std::get<Plan>(partition(graph, parse_strategy(asked.strategy),
                               training_of(asked.batch, "fp32", "momentum"), cluster));
  TrainingRun run{.graph = graph, .plan = plan, .cluster = cluster, .steps = 2};
  run.options.optimizer = optimizer_step(plan.training.optimizer, 1e-3);
  const MakeBackend make_backend = [] { return all_backends().front().make(1); };
  std::vector<RankRecord> records(static_cast<std::size_t>(plan.ranks()));
  run_ranks(static_cast<int>(plan.ranks()), [&](Communicator& communicator) {
    records[static_cast<std::size_t>(communicator.rank())] = train(run, make_backend, communicator);
  });
  return outcome_of(graph, plan, cluster, records);
}

class PeakMemory : public testing::TestWithParam<Asked> {};

/// Without AVX-512 oneDNN takes kernels that lay tensors and weights out otherwise in each pass, so
/// that copies are held which the footprint does not know (validate/README.md).
bool kernels_are_known() { return load_cluster("here").device.channel_block == 16; }

TEST_P(PeakMemory, IsTheFootprint) {
  if (!kernels_are_known()) GTEST_SKIP() << "kernels of a processor without AVX-512";
  const Outcome outcome = run(GetParam());
  const auto peak = static_cast<double>(outcome.peak_memory);
  EXPECT_LE(peak, 1.01 * outcome.footprint) << peak << " of " << outcome.footprint;
  EXPECT_GE(peak, 0.97 * outcome.footprint) << peak << " of " << outcome.footprint;
}

/// The footprint holds every bucket that may be under way; one that was faster is gone before.
TEST(PeakMemory, OfExchangesUnderWayIsNoMoreThanTheFootprint) {
  if (!kernels_are_known()) GTEST_SKIP() << "kernels of a processor without AVX-512";
  const Outcome outcome = run({"resnet18", "3x64x64", 8, "data:2,pipeline:2; chunks=2"});
  EXPECT_LE(static_cast<double>(outcome.peak_memory), 1.01 * outcome.footprint);
}

constexpr std::array kResidual = {
    Asked{"resnet18", "3x64x64", 8, "serial"},
    Asked{"resnet18", "3x64x64", 8, "data:2"},
    Asked{"resnet18", "3x64x64", 8, "filter:2"},
    Asked{"resnet18", "3x64x64", 8, "channel:2"},
    Asked{"resnet18", "3x64x64", 8, "tensor:2"},
    Asked{"resnet18", "3x64x64", 8, "height:2"},
    Asked{"resnet18", "3x64x64", 8, "pipeline:2"},
    Asked{"resnet18", "3x64x64", 8, "pipeline:2; chunks=2"},
    Asked{"resnet18", "3x64x64", 8, "pipeline:2; chunks=3"},
    Asked{"resnet18", "3x64x64", 8, "pipeline:4; chunks=2"},
    Asked{"resnet18", "3x64x64", 8, "data:2,pipeline:2; chunks=2; overlap=off"},
    Asked{"resnet18", "3x64x64", 8, "pipeline:2; micro_batches=4; schedule=zb_h1"},
    Asked{"resnet18", "3x64x64", 8, "pipeline:2; micro_batches=4; schedule=zb_h2"},
    Asked{"resnet18", "3x64x64", 8, "data:2,filter:2"}};
/// Each rectifier within the kernel of what stands before it, and each in its own.
constexpr std::array kRectified = {Asked{"alexnet", "3x224x224", 4, "serial"},
                                   Asked{"alexnet", "3x224x224", 4, "serial; fusion=off"},
                                   Asked{"alexnet", "3x224x224", 4, "data:2"},
                                   Asked{"alexnet", "3x224x224", 4, "filter:2"},
                                   Asked{"alexnet", "3x224x224", 4, "tensor:2"},
                                   Asked{"alexnet", "3x224x224", 4, "pipeline:2"}};
constexpr std::array kInverted = {Asked{"mobilenet_v2", "3x64x64", 8, "serial"},
                                  Asked{"mobilenet_v2", "3x64x64", 8, "data:2"},
                                  Asked{"mobilenet_v2", "3x64x64", 8, "height:2"},
                                  Asked{"mobilenet_v2", "3x64x64", 8, "filter:2"},
                                  Asked{"mobilenet_v2", "3x64x64", 8, "tensor:2"}};
constexpr std::array kBranching = {
    Asked{"googlenet", "3x64x64", 8, "data:2"}, Asked{"googlenet", "3x64x64", 8, "pipeline:2"},
    Asked{"googlenet", "3x64x64", 8, "filter:2"}, Asked{"googlenet", "3x64x64", 8, "tensor:2"}};
constexpr std::array kDenselyConnected = {Asked{"densenet121", "3x64x64", 4, "serial"},
                                          Asked{"densenet121", "3x64x64", 4, "channel:2"},
                                          Asked{"densenet121", "3x64x64", 4, "tensor:2"}};
constexpr const char* kTransformer = ORACLE_SOURCE_DIR "/tests/validate/models/transformer.json";
constexpr const char* kDetector = ORACLE_SOURCE_DIR "/tests/validate/models/detector.json";
constexpr std::array kAttention = {
    Asked{kTransformer, "3x112x112", 4, "serial"},
    Asked{kTransformer, "3x112x112", 4, "data:2"},
    Asked{kTransformer, "3x112x112", 4, "filter:2"},
    Asked{kTransformer, "3x112x112", 4, "channel:2"},
    Asked{kTransformer, "3x112x112", 4, "tensor:2"},
    Asked{kTransformer, "3x112x112", 4, "width:2"},
    Asked{kTransformer, "3x112x112", 4, "pipeline:2"},
    Asked{kTransformer, "3x112x112", 4, "pipeline:2; chunks=2"},
    Asked{kTransformer, "3x112x112", 8, "pipeline:2; micro_batches=4; schedule=zb_h1"}};
constexpr std::array kDetection = {
    Asked{kDetector, "3x64x64", 4, "serial", 32},    Asked{kDetector, "3x64x64", 4, "serial", 5},
    Asked{kDetector, "3x64x64", 4, "data:2", 32},    Asked{kDetector, "3x64x64", 4, "filter:2", 32},
    Asked{kDetector, "3x64x64", 4, "tensor:2", 32},  Asked{kDetector, "3x64x64", 4, "height:2", 32},
    Asked{kDetector, "3x64x64", 4, "pipeline:2", 32}};
constexpr std::array kSharded = {
    Asked{kTransformer, "3x112x112", 4, "data:2; zero=1"},
    Asked{kTransformer, "3x112x112", 4, "data:2; zero=2"},
    Asked{kTransformer, "3x112x112", 4, "data:2; zero=3"},
    Asked{"resnet18", "3x64x64", 8, "data:2; zero=1; overlap=off"},
    Asked{"resnet18", "3x64x64", 8, "data:2; zero=2"},
    Asked{"resnet18", "3x64x64", 8, "data:2; zero=3"},
    Asked{"resnet18", "3x64x64", 8, "data:2; zero=3; micro_batches=2"},
    Asked{"resnet18", "3x64x64", 8, "data:2; zero=3; reshard=off"},
    Asked{"resnet18", "3x64x64", 8, "data:2,pipeline:2; chunks=2; zero=1; overlap=off"},
    Asked{"resnet18", "3x64x64", 8, "data:2,pipeline:2; chunks=2; zero=3"},
    Asked{"resnet18", "3x64x64", 8, "data:4; zero=3; shard=2"},
    Asked{kTransformer, "3x112x112", 4, "data:2; zero=3; reshard=off"},
    Asked{kTransformer, "3x112x112", 4, "data:2; zero=3; sync=step; micro_batches=2"}};
constexpr std::array kCompressed = {
    Asked{"resnet18", "3x64x64", 8, "data:2; exchange=bf16"},
    Asked{"resnet18", "3x64x64", 8, "data:2; exchange=int8"},
    Asked{"resnet18", "3x64x64", 8, "data:4; exchange=onebit; overlap=off"},
    Asked{"alexnet", "3x224x224", 4, "data:2; exchange=int8; bucket=1 MB"},
    Asked{"mobilenet_v2", "3x64x64", 8, "data:2; exchange=onebit"},
    Asked{"resnet18", "3x64x64", 8, "data:2; exchange=topk:1%"},
    Asked{"resnet18", "3x64x64", 8, "data:2,pipeline:2; chunks=2; exchange=topk:1%"},
    Asked{"resnet18", "3x64x64", 8, "data:2; exchange=local:2"},
    Asked{"resnet18", "3x64x64", 8, "data:2; exchange=servers:2"},
    Asked{"resnet18", "3x64x64", 8, "data:4; exchange=servers:1"},
    Asked{"alexnet", "3x224x224", 4, "data:2; exchange=servers:2; bucket=1 MB"},
    Asked{"resnet18", "3x64x64", 8, "data:4; exchange=topk:100%; overlap=off"}};
/// A head that uses the embedding's table.
/// Eight blocks of a text, whose head has a table of its own.
constexpr const char* kBlocks = ORACLE_SOURCE_DIR "/tests/validate/models/blocks.json";
constexpr std::array kChunks = {
    Asked{kBlocks, "", 8, "pipeline:2; chunks=2; micro_batches=4"},
    Asked{kBlocks, "", 8, "pipeline:2; chunks=4; micro_batches=8"},
    Asked{kBlocks, "", 8, "pipeline:4; chunks=2; micro_batches=4"},
    Asked{kBlocks, "", 8, "pipeline:2; chunks=2; micro_batches=4; recompute=full"},
    Asked{kBlocks, "", 8, "data:2,pipeline:2; chunks=2; micro_batches=4; zero=1"}};
constexpr std::array kWeightsLater = {
    Asked{kBlocks, "", 8, "pipeline:2; micro_batches=4; schedule=zb_h1"},
    Asked{kBlocks, "", 8, "pipeline:4; micro_batches=8; schedule=zb_h1"},
    Asked{kBlocks, "", 8, "pipeline:2; micro_batches=8; schedule=zb_h2"},
    Asked{kBlocks, "", 8, "pipeline:4; micro_batches=8; schedule=zb_h2"},
    Asked{kBlocks, "", 8, "pipeline:2; micro_batches=4; schedule=zb_h1; recompute=full"},
    Asked{kBlocks, "", 12, "pipeline:3; chunks=2; micro_batches=6; schedule=zb_h1"},
    Asked{kBlocks, "", 8, "data:2,pipeline:2; micro_batches=4; schedule=zb_h1; zero=1"},
    Asked{kBlocks, "", 8, "data:2,pipeline:2; micro_batches=4; schedule=zb_h2; zero=3"}};
constexpr std::array kTexts = {Asked{"gpt_tiny", "", 4, "serial"},
                               Asked{"gpt_tiny", "", 8, "data:2; recompute=full"},
                               Asked{"gpt_tiny", "", 4, "data:2; recompute=layers.0.*"},
                               Asked{"gpt_tiny", "", 4, "context:2; recompute=full; regather=on"},
                               Asked{"gpt_tiny", "", 8, "ulysses:2"},
                               Asked{"gpt_tiny", "", 4, "context:2"},
                               Asked{"gpt_tiny", "", 4, "context:4"},
                               Asked{"gpt_tiny", "", 4, "ring:2"},
                               Asked{"gpt_tiny", "", 4, "ring:4"},
                               Asked{"gpt_tiny", "", 4, "ring:2; recompute=full"},
                               Asked{"gpt_tiny", "", 4, "data:4; zero=2"},
                               Asked{"gpt_tiny", "", 8, "data:4; zero=3; micro_batches=2"},
                               Asked{"gpt_tiny", "", 8, "data:4; zero=3; recompute=full"}};
constexpr std::array kExperts = {Asked{"moe_tiny", "", 8, "serial"},
                                 Asked{"moe_tiny", "", 8, "data:2"},
                                 Asked{"moe_tiny", "", 8, "expert:2"},
                                 Asked{"moe_tiny", "", 8, "tensor:2; loss=whole:2"},
                                 Asked{"moe_tiny", "", 8, "data:2,expert:2"},
                                 Asked{"moe_tiny", "", 8, "data:2; zero=1"},
                                 Asked{"moe_tiny", "", 8, "serial; recompute=full"},
                                 Asked{"moe_tiny", "", 8, "expert:2; recompute=full"},
                                 Asked{"moe_tiny", "", 8, "tensor:2"},
                                 Asked{"moe_tiny", "", 8, "tensor:2; recompute=full"}};
constexpr const char* kTokenByToken = ORACLE_SOURCE_DIR "/tests/validate/models/recurrent.json";
constexpr std::array kRecurrent = {Asked{kTokenByToken, "", 64, "serial"},
                                   Asked{kTokenByToken, "", 64, "data:2"},
                                   Asked{kTokenByToken, "", 64, "data:2; micro_batches=2"}};
INSTANTIATE_TEST_SUITE_P(Recurrent, PeakMemory, testing::ValuesIn(kRecurrent));
INSTANTIATE_TEST_SUITE_P(Chunks, PeakMemory, testing::ValuesIn(kChunks));
INSTANTIATE_TEST_SUITE_P(WeightsLater, PeakMemory, testing::ValuesIn(kWeightsLater));
INSTANTIATE_TEST_SUITE_P(Texts, PeakMemory, testing::ValuesIn(kTexts));
INSTANTIATE_TEST_SUITE_P(Experts, PeakMemory, testing::ValuesIn(kExperts));
INSTANTIATE_TEST_SUITE_P(Compressed, PeakMemory, testing::ValuesIn(kCompressed));
INSTANTIATE_TEST_SUITE_P(Sharded, PeakMemory, testing::ValuesIn(kSharded));
INSTANTIATE_TEST_SUITE_P(Attention, PeakMemory, testing::ValuesIn(kAttention));
INSTANTIATE_TEST_SUITE_P(Detection, PeakMemory, testing::ValuesIn(kDetection));
INSTANTIATE_TEST_SUITE_P(Rectified, PeakMemory, testing::ValuesIn(kRectified));
INSTANTIATE_TEST_SUITE_P(Residual, PeakMemory, testing::ValuesIn(kResidual));
INSTANTIATE_TEST_SUITE_P(Inverted, PeakMemory, testing::ValuesIn(kInverted));
INSTANTIATE_TEST_SUITE_P(Branching, PeakMemory, testing::ValuesIn(kBranching));
INSTANTIATE_TEST_SUITE_P(DenselyConnected, PeakMemory, testing::ValuesIn(kDenselyConnected));

}  // namespace memory_memory_test
}  // namespace oracle
