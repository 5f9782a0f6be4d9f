#include "oracle/io/samples/record.h"

namespace oracle::samples {
namespace {

StepMemory read_memory(Fields& found, const json::Node& node) {
  Fields memory(node, found.pointer_to("memory"), found.problems());
  StepMemory out;
  out.peak_allocated = memory.bytes("peak_allocated");
  out.peak_reserved = memory.bytes("peak_reserved");
  out.device_used = memory.bytes("device_used");
  out.resident = memory.bytes_if_any("resident");
  out.after_forward = memory.bytes_if_any("after_forward");
  out.peak_forward = memory.bytes_if_any("peak_forward");
  out.after_backward = memory.bytes_if_any("after_backward");
  out.peak_backward = memory.bytes_if_any("peak_backward");
  out.after_optimizer = memory.bytes_if_any("after_optimizer");
  out.peak_optimizer = memory.bytes_if_any("peak_optimizer");
  found.pass_over(memory, "memory");
  return out;
}

StepFound read_found(Fields& found) {
  StepFound out;
  out.phases = read_phases(found);
  out.wall = found.time("wall_ms", kMillisecond);
  out.items_per_second = found.positive("items_per_s");
  out.steps = found.count("steps");
  out.sm_mhz = found.count_if_any("sm_mhz");
  out.warm_up = found.time("warm_s", Seconds{1});
  out.parameters = found.count("params");
  out.parameter_bytes = found.bytes("param_bytes");
  out.buffer_bytes = found.bytes("buffer_bytes");
  if (found.has("memory")) {
    const json::Node* memory = found.object("memory");
    if (memory != nullptr) out.memory = read_memory(found, *memory);
  }
  out.loss = found.number_if_any("loss");
  return out;
}

Step read_step(Fields& asked) {
  Step step;
  step.net = asked.text("net");
  step.batch = asked.count("batch");
  step.mode = read_mode(asked);
  step.how = read_how(asked);
  return step;
}

}  // namespace

Phases read_phases(Fields& found) {
  return {found.spread("step_ms", kMillisecond), found.spread_if_any("forward_ms", kMillisecond),
          found.spread_if_any("backward_ms", kMillisecond),
          found.spread_if_any("optimizer_ms", kMillisecond)};
}

void read_cnn_step(Record& record, Samples& samples) {
  keep(record, read_step(record.asked), read_found, samples.steps);
}

void read_language_step(Record& record, Samples& samples) {
  Fields& asked = record.asked;
  Step step = read_step(asked);
  step.language = LanguageRun{asked.count("layers"), asked.count("of_layers"), asked.count("seq"),
                              asked.flag("recompute")};
  keep(record, std::move(step), read_found, samples.steps);
}

}  // namespace oracle::samples
