#include "oracle/io/traces/kineto_reader.h"

#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

#include "oracle/base/error.h"
#include "oracle/record/traced_step.h"

namespace oracle {
namespace kineto_reader_test {

constexpr const char* kFolder = ORACLE_SOURCE_DIR "/tests/data/traces/";

std::string text_of(const std::string& name) {
  std::ostringstream text;
  text << std::ifstream(kFolder + name).rdbuf();
  return text.str();
}

Trace read(const std::string& text) {
  std::istringstream stream(text);
  return read_kineto(stream, "trace.json");
}

std::string events(const std::string& list) { return "{\"traceEvents\": [" + list + "]}"; }

constexpr const char* kKernel =
    R"({"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":10.5,"dur":2.001,)"
    R"("args":{"device":0,"stream":7,"correlation":3}})";

std::string refusal(const std::string& text) {
  try {
    read(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "taken";
}

TEST(KinetoReader, TorchTwo) {
  const Trace trace = load_kineto(std::string(kFolder) + "torch-2.3.json");
  EXPECT_EQ(trace.device, "Tesla V100-SXM2-16GB");
  EXPECT_EQ(trace.devices, 4);
  EXPECT_EQ(trace.rank, 0);
  EXPECT_EQ(trace.ranks, 4);
  EXPECT_EQ(trace.backend, "nccl");
  EXPECT_EQ(trace.steps.size(), 3U);
  EXPECT_EQ(trace.updates.size(), 3U);
  EXPECT_EQ(trace.operations.size(), 33U);
  EXPECT_EQ(trace.most_allocated, Bytes{1.2e9});  // 5 GB are the host's
  EXPECT_EQ(trace.most_reserved, Bytes{1.6e9});
  const TracedOperation& convolution = trace.operations[1];
  EXPECT_EQ(convolution.time.end - convolution.time.begin, 2'000'000);
  EXPECT_EQ(convolution.time.begin - convolution.launched, 800'000);
  const TracedCall& call = trace.calls[trace.host[convolution.host].call];
  EXPECT_EQ(call.name, "aten::cudnn_convolution");
  EXPECT_EQ(call.dims, "[[16,3,32,32],[64,3,3,3],[],[],[],[],[],[],[]]");
  EXPECT_EQ(call.values, R"(["","","[1,1]","[1,1]","[1,1]","1","False","False","True"])");
  ASSERT_EQ(trace.collectives.size(), 1U);
  EXPECT_EQ(trace.collectives[0],
            (TracedCollective{"allreduce", "Float", 2'500'000, 2'500'000, 4}));
}

TEST(KinetoReader, StepOfTorchTwoByHand) {
  const TracedStep step = traced_step(load_kineto(std::string(kFolder) + "torch-2.3.json"));
  EXPECT_EQ(step.steps, 2U);
  EXPECT_NEAR(step.step.value, 0.012, 1e-9);
  EXPECT_NEAR(step.compute.value, 0.0085, 1e-9);
  EXPECT_NEAR(step.exposed_communication.value, 0.001, 1e-9);
  EXPECT_NEAR(step.exposed_copies.value, 0.0005, 1e-9);
  EXPECT_NEAR(step.idle.value, 0.002, 1e-9);
  EXPECT_NEAR(step.of(KernelClass::convolution).time.value, 0.0045, 1e-9);
  EXPECT_NEAR(step.of(KernelClass::product).time.value, 0.0028, 1e-9);
  EXPECT_EQ(step.linked, 1);
  EXPECT_TRUE(step.unknown.empty());
}

TEST(KinetoReader, TorchOne) {
  const Trace trace = load_kineto(std::string(kFolder) + "torch-1.8.json");
  EXPECT_EQ(trace.device, "Tesla V100-DGXS-32GB");
  EXPECT_EQ(trace.ranks, 0);
  EXPECT_EQ(trace.calls[trace.host[trace.operations[0].host].call].dims, "[[8,16],[16,4]]");
  const TracedStep step = traced_step(trace);
  EXPECT_EQ(step.marks, StepMarks::optimizer);
  EXPECT_NEAR(step.step.value, 0.01, 1e-9);
  EXPECT_NEAR(step.compute.value, 0.004, 1e-9);
  EXPECT_NEAR(step.of(KernelClass::optimizer).time.value, 0.001, 1e-9);
  EXPECT_NEAR(step.exposed_copies.value, 0.0001, 1e-9);
}

TEST(KinetoReader, TimesKeepTheirNanoseconds) {
  const auto begin_of = [](const std::string& time) {
    std::string kernel = kKernel;
    kernel.replace(kernel.find("10.5"), 4, time);
    return read(events(kernel)).operations[0].time.begin;
  };
  EXPECT_EQ(begin_of("10.5"), 10'500);
  EXPECT_EQ(begin_of("10"), 10'000);
  EXPECT_EQ(begin_of("1621401187223197.123"), 1'621'401'187'223'197'123);
  EXPECT_EQ(begin_of("8.8511388e10"), 88'511'388'000'000);
  EXPECT_EQ(read(events(kKernel)).operations[0].time.end, 12'501);
}

TEST(KinetoReader, ALaunchLinksWhereTheKernelDoesNot) {
  const Trace trace = read(events(
      std::string(R"({"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":1,"dur":5,)"
                  R"("args":{"External id":9}},)"
                  R"({"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,)"
                  R"("ts":2,"dur":1,"args":{"External id":9,"correlation":3}},)") +
      kKernel));
  ASSERT_EQ(trace.host.size(), 1U);
  EXPECT_EQ(trace.operations[0].host, 0U);
  EXPECT_EQ(trace.operations[0].launched, 2'000);
}

TEST(KinetoReader, EventsWithoutATimeAndOtherListsArePassedOver) {
  const Trace trace =
      read(events(std::string(R"({"ph":"X","cat":"kernel","name":"a","ts":1},)"
                              R"({"ph":"X","cat":"kernel","name":"b","ts":1,"dur":-4},)"
                              R"({"ph":"B","cat":"kernel","name":"c","ts":1,"dur":4},)"
                              R"({"ph":"X","cat":"kernel","name":"d","ts":"soon","dur":4,)"
                              R"("args":{"Input Dims":7},"more":[[1,{"a":[2]}]]},)") +
                  kKernel));
  EXPECT_EQ(trace.operations.size(), 1U);
}

TEST(KinetoReader, WhatIsNoRecordingOfAGpuIsRefused) {
  const std::string whole = text_of("torch-2.3.json");
  const std::string cut = refusal(whole.substr(0, whole.size() / 2));
  EXPECT_TRUE(cut.starts_with("trace.json: byte 1")) << cut;
  EXPECT_NE(cut.find("wait until the profiler has written it"), std::string::npos) << cut;
  EXPECT_NE(refusal("{}").find("holds no \"traceEvents\""), std::string::npos);
  EXPECT_NE(refusal("{\"traceEvents\": {}}").find("holds no \"traceEvents\""), std::string::npos);
  EXPECT_NE(refusal(events("")).find("holds no kernel of a GPU; record"), std::string::npos);
  EXPECT_NE(refusal(events(R"({"ph":"X","cat":"cpu_op","name":"aten::mm","ts":1,"dur":2,)"
                           R"("args":{"External id":1}})"))
                .find("only operations of the host"),
            std::string::npos);
  EXPECT_NE(refusal(R"([{"name":"aten::zeros","ph":"X","ts":1,"dur":2}])").find("without Kineto"),
            std::string::npos);
  EXPECT_NE(refusal("\x1f\x8b\x08").find("gunzip -k trace.json"), std::string::npos);
  std::string instant = kKernel;
  instant.replace(instant.find("2.001"), 5, "0");
  EXPECT_NE(refusal(events(instant)).find("took no time"), std::string::npos);
  std::string other = kKernel;
  other.replace(other.find("\"device\":0"), 10, "\"device\":1");
  EXPECT_NE(refusal(events(std::string(kKernel) + "," + other)).find("kernels on 2 GPUs"),
            std::string::npos);
}

TEST(KinetoReader, ATraceIsKnownByItsHead) {
  EXPECT_TRUE(is_kineto_trace(std::string(kFolder) + "torch-2.3.json"));
  EXPECT_TRUE(is_kineto_trace(std::string(kFolder) + "torch-1.8.json"));
  EXPECT_FALSE(is_kineto_trace(std::string(kFolder) + "prediction.json"));
  EXPECT_FALSE(is_kineto_trace(ORACLE_SOURCE_DIR "/tests/data/calibration/samples.json"));
  EXPECT_FALSE(is_kineto_trace(ORACLE_SOURCE_DIR "/tests/data/measurements/README.md"));
  EXPECT_THROW(is_kineto_trace(std::string(kFolder) + "absent.json"), EnvironmentError);
  EXPECT_THROW(load_kineto(kFolder), EnvironmentError);
}

}  // namespace kineto_reader_test
}  // namespace oracle
