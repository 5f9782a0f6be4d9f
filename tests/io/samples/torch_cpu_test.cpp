// Every kind of case of tests/data/torch-cpu, against values copied from its files by hand.

#include <gtest/gtest.h>

#include "oracle/io/samples/samples_reader.h"

namespace oracle::samples {
namespace torch_cpu_test {

const Samples& torch_cpu() {
  static const Samples samples = load_samples(ORACLE_SOURCE_DIR "/tests/data/torch-cpu");
  return samples;
}

const Run& run_of_part(const std::string& part) {
  for (const Run& run : torch_cpu().runs) {
    if (run.part == part) return run;
  }
  throw Defect("no such part");
}

void expect_spread(const Spread& spread, double unit, double median, double p10, double p90) {
  EXPECT_NEAR(spread.median.value, median * unit, 1e-9 * median * unit);
  EXPECT_NEAR(spread.p10.value, p10 * unit, 1e-9 * median * unit);
  EXPECT_NEAR(spread.p90.value, p90 * unit, 1e-9 * median * unit);
}

void expect_timing(const Timing& timing, double median, double p10, double p90, double host) {
  expect_spread(timing.device, 1e-6, median, p10, p90);
  EXPECT_NEAR(timing.host.value, host * 1e-6, 1e-15 * host);
}

TEST(TorchCpu, EveryCaseIsThereOnce) {
  const Samples& all = torch_cpu();
  EXPECT_EQ(all.copies.size(), 1U);
  EXPECT_EQ(all.products.size(), 4U);
  EXPECT_EQ(all.sustained.size(), 1U);
  EXPECT_EQ(all.launches.size(), 1U);
  EXPECT_EQ(all.steps.size(), 10U + 4U);
  EXPECT_EQ(all.dense.size(), 4U);
  EXPECT_EQ(all.operations.size() + all.attention.size() + all.updates.size(), 44U);
  EXPECT_EQ(all.attention.size(), 2U);
  EXPECT_EQ(all.updates.size(), 12U);
  EXPECT_EQ(all.layers.size(), 6U);
  EXPECT_TRUE(all.kernels.empty());
  EXPECT_EQ(all.setups.size(), 1U);
  EXPECT_EQ(all.exchanges.size(), 2U);
  EXPECT_EQ(all.shared_steps.size(), 2U);
  EXPECT_TRUE(all.ignored.empty());
  ASSERT_EQ(all.parts.size(), 8U);
  EXPECT_EQ(all.parts[1].name, "cnn_train");
  EXPECT_FALSE(all.parts[1].complete);
  EXPECT_TRUE(all.parts[2].complete);
}

TEST(TorchCpu, TheContextOfARunIsKept) {
  const samples::Run& run = run_of_part("cnn_train");
  EXPECT_EQ(run.started, "2026-11-21T08:13:20+00:00");
  EXPECT_EQ(run.device, "cpu");
  EXPECT_TRUE(run.tiny);
  EXPECT_EQ(run.torch, "1.13.0a0");
  EXPECT_EQ(run.torchvision, "0.14.1a0");
  EXPECT_EQ(run.python, "3.11.2");
  EXPECT_EQ(run.cpu, "AMD EPYC");
  EXPECT_EQ(run.cores, 2);
  EXPECT_EQ(run.budget, Seconds{68.3});
  EXPECT_EQ(run.duration, Seconds{77.8});
  EXPECT_EQ(run.capability, "");
  EXPECT_FALSE(run.memory);
  EXPECT_FALSE(run.multiprocessors);
  EXPECT_TRUE(run.clocks_before.empty());
  EXPECT_EQ(torch_cpu().runs[torch_cpu().layers[0].run].part, "layers");
}

TEST(TorchCpu, Ceilings) {
  const auto& copy = torch_cpu().copies[0];
  EXPECT_EQ(copy.asked.way, Way::on_device);
  EXPECT_EQ(copy.asked.size, Bytes{1048576});
  expect_timing(copy.found->time, 23.11, 22.99, 24.57, 22.95);
  EXPECT_NEAR(copy.found->rate.value, 90.75e9, 1);
  EXPECT_EQ(copy.effort, Seconds{0.0237});
  EXPECT_EQ(copy.line, 3);

  const auto& product = torch_cpu().products[1];
  EXPECT_EQ(product.asked.format, Format::tf32);
  EXPECT_EQ(product.asked.n, 256);
  expect_timing(product.found->time, 9555, 8104, 9606, 5479);
  EXPECT_NEAR(product.found->rate.value, 0.003512e12, 1);
  EXPECT_FALSE(product.found->sm_mhz);

  const auto& sustained = torch_cpu().sustained[0];
  EXPECT_EQ(sustained.asked.format, Format::bf16);
  ASSERT_EQ(sustained.found->points.size(), 30U);
  EXPECT_NEAR(sustained.found->points[1].rate.value, 0.05177e12, 1);
  EXPECT_FALSE(sustained.found->points[1].sm_mhz);

  const auto& launch = torch_cpu().launches[0];
  EXPECT_EQ(launch.asked.how, How::eager);
  expect_spread(launch.found->host, 1e-6, 3.27, 2.332, 7.39);
  expect_spread(launch.found->total, 1e-6, 3.276, 2.333, 7.398);
  expect_timing(launch.found->queued, 2.274, 2.227, 2.459, 2.21);
}

TEST(TorchCpu, AFailureKeepsItsTextAndHasNoNumbers) {
  const auto& product = torch_cpu().products[2];
  EXPECT_EQ(product.asked.format, Format::fp16);
  EXPECT_FALSE(product.found);
  ASSERT_TRUE(product.failure);
  EXPECT_EQ(product.failure->error, "RuntimeError: \"addmm_impl_cpu_\" not implemented for 'Half'");
  EXPECT_FALSE(product.failure->out_of_memory);
  EXPECT_FALSE(product.failure->fatal);
  EXPECT_EQ(product.effort, Seconds{0.00671});
}

TEST(TorchCpu, TrainingSteps) {
  const auto& step = torch_cpu().steps[2];
  EXPECT_EQ(step.asked.net, "resnet50");
  EXPECT_EQ(step.asked.batch, 2);
  EXPECT_EQ(step.asked.mode, Mode::fp32);
  EXPECT_EQ(step.asked.how, How::eager);
  EXPECT_FALSE(step.asked.language);
  const StepFound& found = *step.found;
  expect_spread(found.phases.step, 1e-3, 963.2, 904.9, 1022);
  expect_spread(*found.phases.forward, 1e-3, 326.6, 307.4, 345.7);
  expect_spread(*found.phases.backward, 1e-3, 583.4, 508.9, 657.8);
  expect_spread(*found.phases.optimizer, 1e-3, 53.05, 50.3, 55.81);
  EXPECT_NEAR(found.wall.value, 0.9634, 1e-12);
  EXPECT_EQ(found.items_per_second, 2.076);
  EXPECT_EQ(found.steps, 2);
  EXPECT_FALSE(found.sm_mhz);
  EXPECT_EQ(found.warm_up, Seconds{2.39});
  EXPECT_EQ(found.parameters, 25557032);
  EXPECT_EQ(found.parameter_bytes, Bytes{102228128});
  EXPECT_EQ(found.buffer_bytes, Bytes{212904});
  EXPECT_FALSE(found.memory);
  EXPECT_EQ(found.loss, 0.4239);
}

TEST(TorchCpu, LanguageModelsSayWhichPartOfThemWasTrained) {
  const auto& step = torch_cpu().steps[11];
  EXPECT_EQ(step.asked.net, "tiny-gpt");
  EXPECT_EQ(step.asked.mode, Mode::amp);
  ASSERT_TRUE(step.asked.language);
  EXPECT_EQ(step.asked.language->layers, 2);
  EXPECT_EQ(step.asked.language->of_layers, 2);
  EXPECT_EQ(step.asked.language->sequence, 16);
  EXPECT_TRUE(step.asked.language->recompute);
  EXPECT_EQ(step.found->items_per_second, 2278);
}

TEST(TorchCpu, ConvolutionsAndDenseProducts) {
  const auto& conv = torch_cpu().convolutions[0];
  EXPECT_EQ(conv.asked.batch, 2);
  EXPECT_EQ(conv.asked.channels, 3);
  EXPECT_EQ(conv.asked.filters, 64);
  EXPECT_EQ(conv.asked.groups, 1);
  EXPECT_EQ(conv.asked.space, (std::vector<std::int64_t>{64, 64}));
  EXPECT_EQ(conv.asked.kernel, (std::vector<std::int64_t>{7, 7}));
  EXPECT_EQ(conv.asked.stride, (std::vector<std::int64_t>{2, 2}));
  EXPECT_EQ(conv.asked.pad, (std::vector<std::int64_t>{3, 3}));
  EXPECT_EQ(conv.asked.format, Format::bf16);
  EXPECT_EQ(conv.asked.order, Order::nhwc);
  EXPECT_EQ(conv.found->of, "resnet18 whole/1");
  expect_timing(conv.found->forward, 252.6, 250.6, 267.3, 250.4);
  expect_timing(conv.found->backward_data, 915.5, 910, 5053, 910);
  expect_timing(conv.found->backward_weights, 230.9, 229.1, 331.9, 228.5);

  const auto& dense = torch_cpu().dense[3];
  EXPECT_EQ(dense.asked.m, 8);
  EXPECT_EQ(dense.asked.n, 100);
  EXPECT_EQ(dense.asked.k, 64);
  EXPECT_EQ(dense.asked.format, Format::tf32);
  expect_timing(dense.found->forward, 27.88, 27.8, 30.82, 27.78);
  expect_timing(dense.found->backward_data, 17.88, 17.84, 17.98, 17.82);
  expect_timing(dense.found->backward_weights, 18.85, 18.83, 18.93, 18.78);
}

TEST(TorchCpu, Operations) {
  const auto& relu = torch_cpu().operations[0];
  EXPECT_EQ(relu.asked.op, "relu");
  EXPECT_EQ(relu.asked.shape, (std::vector<std::int64_t>{1024}));
  EXPECT_FALSE(relu.asked.order);
  expect_timing(relu.found->forward, 2.045, 2.02, 2.106, 2.012);
  expect_timing(*relu.found->backward, 7.869, 7.782, 8.235, 7.768);

  const auto& add = torch_cpu().operations[4];
  EXPECT_EQ(add.asked.op, "add");
  EXPECT_FALSE(add.found->backward);

  const auto& norm = torch_cpu().operations[5];
  EXPECT_EQ(norm.asked.op, "batch_norm");
  EXPECT_EQ(norm.asked.shape, (std::vector<std::int64_t>{2, 8, 8, 8}));
  EXPECT_EQ(norm.asked.order, Order::nhwc);

  const auto& embedding = torch_cpu().operations[14];
  EXPECT_EQ(embedding.asked.op, "embedding");
  EXPECT_EQ(embedding.asked.tokens, 16);

  const auto& attention = torch_cpu().attention[0];
  EXPECT_EQ(attention.asked.batch, 1);
  EXPECT_EQ(attention.asked.heads, 4);
  EXPECT_EQ(attention.asked.kv_heads, 2);
  EXPECT_EQ(attention.asked.sequence, 32);
  EXPECT_EQ(attention.asked.head_size, 8);
  EXPECT_TRUE(attention.asked.causal);
  EXPECT_EQ(attention.asked.backend, "default");
  EXPECT_EQ(attention.asked.format, Format::bf16);
  expect_timing(*attention.found->backward, 138.8, 134.5, 209.7, 133.9);

  const auto& update = torch_cpu().updates[1];
  EXPECT_EQ(update.asked.optimizer, "adam");
  EXPECT_EQ(update.asked.how, "foreach");
  EXPECT_EQ(update.asked.parameters, 1000);
  EXPECT_EQ(update.asked.tensors, 160);
  EXPECT_EQ(update.asked.format, Format::bf16);
  expect_timing(update.found->step, 3217, 2978, 11430, 2978);
}

TEST(TorchCpu, LayersOfAStep) {
  const auto& layers = torch_cpu().layers[0];
  EXPECT_EQ(layers.asked.net, "resnet18");
  EXPECT_EQ(layers.asked.batch, 2);
  EXPECT_EQ(layers.asked.mode, Mode::fp32);
  const LayersFound& found = *layers.found;
  expect_spread(found.phases.step, 1e-3, 153.2, 147.4, 158.9);
  expect_spread(*found.phases.backward, 1e-3, 78.87, 66.87, 90.87);
  ASSERT_EQ(found.layers.size(), 52U);
  EXPECT_EQ(found.layers[3].name, "maxpool");
  EXPECT_EQ(found.layers[3].kind, "MaxPool2d");
  EXPECT_EQ(found.layers[3].output, (std::vector<std::int64_t>{2, 64, 16, 16}));
  EXPECT_NEAR(found.layers[3].forward->value, 916.4e-6, 1e-12);
  EXPECT_NEAR(found.layers[3].backward->value, 161.8e-6, 1e-12);
  EXPECT_NEAR(found.forward.value, 39200e-6, 1e-12);
  EXPECT_NEAR(found.backward.value, 75880e-6, 1e-12);
}

TEST(TorchCpu, SeveralRanks) {
  const auto& setup = torch_cpu().setups[0];
  EXPECT_EQ(setup.asked.backend, "gloo");
  EXPECT_EQ(setup.asked.ranks, 2);
  EXPECT_FALSE(setup.asked.mps);
  EXPECT_TRUE(setup.found->works);
  EXPECT_EQ(setup.found->rows, 4);
  EXPECT_EQ(setup.found->exit_codes, (std::vector<std::optional<std::int64_t>>{0, 0}));
  EXPECT_EQ(setup.found->rank_errors.at("1"),
            "RuntimeError: no support for _allgather_base in Gloo process group");
  EXPECT_FALSE(setup.failure);

  const auto& exchange = torch_cpu().exchanges[1];
  EXPECT_EQ(exchange.asked.what, "all_reduce");
  EXPECT_EQ(exchange.asked.size, Bytes{4096});
  EXPECT_EQ(exchange.asked.setup.backend, "gloo");
  expect_spread(exchange.found->time, 1e-6, 256.5, 208.8, 345.3);
  EXPECT_NEAR(exchange.found->first.value, 341.4e-6, 1e-12);
  EXPECT_FALSE(exchange.effort);

  const auto& step = torch_cpu().shared_steps[1];
  EXPECT_EQ(step.asked.net, "resnet18");
  EXPECT_EQ(step.asked.batch_per_rank, 2);
  EXPECT_EQ(step.asked.mode, Mode::amp);
  EXPECT_FALSE(step.asked.exchange);
  expect_spread(step.found->phases.step, 1e-3, 238.1, 226.2, 250);
  EXPECT_NEAR(step.found->wall.value, 0.2382, 1e-12);
  EXPECT_EQ(step.found->images_per_second, 16.79);
}

}  // namespace torch_cpu_test
}  // namespace oracle::samples
