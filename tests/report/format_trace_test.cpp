#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>

#include "oracle/report/format/format.h"

namespace oracle::report {
namespace format_trace_test {

using Json = nlohmann::ordered_json;

Json trace_of(const Document& document) {
  std::ostringstream out;
  write_trace(document, {}, out);
  return Json::parse(out.str());
}

Row event(std::int64_t stage, const char* stream, const char* item, double start, double end) {
  return {{count(stage), count(3), words(stream), words("forward"), words(item),
           time(Seconds{start}), time(Seconds{end})}};
}

TEST(TraceFormat, StagesAreProcessesAndStreamsAreTracks) {
  Document document{.headline = "h", .subject = "s"};
  document.sections.emplace_back(
      Table{.key = "events",
            .columns = {data_column("stage"), data_column("micro_batch"), data_column("stream"),
                        data_column("phase"), data_column("item"), data_column("start", "s"),
                        data_column("end", "s")},
            .rows = {event(0, "compute", "conv forward", 0, 1.5e-6),
                     event(0, "exchange", "conv all_reduce", 1.5e-6, 2e-6),
                     event(1, "exchange", "fc all_reduce", 2e-6, 2.0004e-6)}});
  document.sections.emplace_back(Table{
      .key = "memory_course",
      .columns = {data_column("stage"), data_column("time", "s"), data_column("transient", "B")},
      .rows = {{{count(1), time(Seconds{1e-6}), size(Bytes{640})}}}});
  EXPECT_EQ(trace_of(document), Json::parse(R"({
    "displayTimeUnit": "ms", "otherData": {"headline": "h", "subject": "s"},
    "traceEvents": [
      {"name": "process_name", "ph": "M", "pid": 1, "tid": 0, "args": {"name": "stage 0"}},
      {"name": "process_name", "ph": "M", "pid": 2, "tid": 0, "args": {"name": "stage 1"}},
      {"name": "thread_name", "ph": "M", "pid": 1, "tid": 1, "args": {"name": "compute"}},
      {"name": "thread_name", "ph": "M", "pid": 1, "tid": 2, "args": {"name": "exchange"}},
      {"name": "thread_name", "ph": "M", "pid": 2, "tid": 2, "args": {"name": "exchange"}},
      {"name": "conv forward", "cat": "forward", "ph": "X", "pid": 1, "tid": 1,
       "ts": 0.0, "dur": 1.5, "args": {"micro_batch": 3}},
      {"name": "conv all_reduce", "cat": "forward", "ph": "X", "pid": 1, "tid": 2,
       "ts": 1.5, "dur": 0.5, "args": {"micro_batch": 3}},
      {"name": "fc all_reduce", "cat": "forward", "ph": "X", "pid": 2, "tid": 2,
       "ts": 2.0, "dur": 0.0, "args": {"micro_batch": 3}},
      {"name": "transient memory", "ph": "C", "pid": 2, "tid": 0, "ts": 1.0,
       "args": {"bytes": 640.0}}]})"));
}

TEST(TraceFormat, WithoutATimelineIsEmpty) {
  EXPECT_TRUE(trace_of(Document{})["traceEvents"].empty());
}

}  // namespace format_trace_test
}  // namespace oracle::report
