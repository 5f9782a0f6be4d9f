#include "oracle/io/samples/record.h"

namespace oracle::samples {
namespace {

std::optional<Timing> timing_if_any(Fields& found, std::string_view key) {
  return found.has(key) ? std::optional(found.timing(key)) : std::nullopt;
}

OperationTime read_time(Fields& found) {
  return {found.timing("fwd_us"), timing_if_any(found, "bwd_us")};
}

UpdateTime read_update_time(Fields& found) { return {found.timing("step_us")}; }

Attention read_attention(Fields& asked) {
  Attention out;
  out.format = read_format(asked);
  out.batch = asked.count("batch");
  out.heads = asked.count("heads");
  out.kv_heads = asked.count("kv_heads");
  out.sequence = asked.count("seq");
  out.head_size = asked.count("head_dim");
  out.causal = asked.flag("causal");
  out.backend = asked.text("backend");
  return out;
}

Operation read_plain(Fields& asked, std::string op) {
  Operation out;
  out.op = std::move(op);
  out.shape = asked.extents("shape");
  out.format = read_format(asked);
  if (asked.has("layout")) out.order = read_order(asked);
  if (asked.has("tokens")) out.tokens = asked.count("tokens");
  return out;
}

}  // namespace

void read_operation(Record& record, Samples& samples) {
  Fields& asked = record.asked;
  std::string op = asked.text("op");
  if (op == "attention") {
    keep(record, read_attention(asked), read_time, samples.attention);
  } else if (asked.has("tensors")) {
    keep(record,
         Update{std::move(op), asked.text("how"), asked.count("params"), asked.count("tensors"),
                read_format(asked)},
         read_update_time, samples.updates);
  } else {
    keep(record, read_plain(asked, std::move(op)), read_time, samples.operations);
  }
}

}  // namespace oracle::samples
