#include "oracle/report/trace_report.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "oracle/io/predictions/prediction_reader.h"
#include "oracle/io/traces/kineto_reader.h"
#include "tests/report/rendered.h"

namespace oracle::report {
namespace trace_report_test {

constexpr const char* kFolder = ORACLE_SOURCE_DIR "/tests/data/traces/";

Document made(const Trace& trace) {
  const Prediction prediction =
      read_evaluation(json::read(std::string(kFolder) + "prediction.json"));
  return trace_report(compare(prediction, trace, "trace.json"), prediction, trace);
}

Trace recorded() { return load_kineto(std::string(kFolder) + "torch-2.3.json"); }

TEST(TraceReport, SaysErrorVerdictAndWhatRan) {
  const Document document = made(recorded());
  EXPECT_EQ(document.headline,
            "step recorded 12.0 ms, predicted 10.8 ms ± 20 %: -10 %, within the interval");
  EXPECT_EQ(document.subject,
            "small, 4 ranks, data:4, batch 64, fp32, momentum; recorded on rank 0, on Tesla "
            "V100-SXM2-16GB: mean of 2 steps by ProfilerStep annotations");
}

TEST(TraceReport, DataHoldsPartsAndClasses) {
  const auto json = nlohmann::json::parse(as_json(made(recorded())));
  EXPECT_EQ(json["schema"], "oracle/trace-comparison/1");
  EXPECT_EQ(json["inside_interval"], "yes");
  EXPECT_EQ(json["parts"][0]["part"], "compute");
  EXPECT_NEAR(json["parts"][0]["measured"]["value"], 0.0085, 1e-9);
  EXPECT_NEAR(json["parts"][0]["error"]["value"], 9.8 / 8.5 - 1, 1e-9);
  EXPECT_EQ(json["classes"].size(), 5U);
  EXPECT_EQ(json["classes"][0]["class"], "product");
  EXPECT_NEAR(json["classes"][0]["error"]["value"], 2.9 / 2.8 - 1, 1e-9);
  EXPECT_EQ(json["collectives"][0]["collective"], "all_reduce");
  EXPECT_NEAR(json["peak_memory"][0]["measured"]["value"], 1.2e9, 1);
  EXPECT_TRUE(json["unknown_kernels"].empty());
}

TEST(TraceReport, KernelsOfNoClassAreListed) {
  Trace trace = recorded();
  trace.calls[trace.host[trace.operations[3].host].call].name = "mylib::op";
  trace.names[trace.operations[3].name] = "strange\x1b[31m_kernel";
  const std::string text = as_table(made(trace));
  EXPECT_NE(text.find("kernels of no known class"), std::string::npos) << text;
  EXPECT_NE(text.find("_kernel"), std::string::npos) << text;
  EXPECT_EQ(text.find('\x1b'), std::string::npos) << text;
}

}  // namespace trace_report_test
}  // namespace oracle::report
