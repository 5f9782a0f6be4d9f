#include "oracle/io/samples/record.h"

namespace oracle::samples {
namespace {

constexpr std::size_t kMostSpatialAxes = 3;

Passes read_dense_passes(Fields& found) {
  return {found.timing("fwd_us"), found.timing("dgrad_us"), found.timing("wgrad_us"), {}};
}

Passes read_convolution_passes(Fields& found) {
  Passes passes = read_dense_passes(found);
  passes.of = found.text("of");
  return passes;
}

void check(const Convolution& conv, Fields& asked) {
  const std::size_t axes = conv.space.size();
  if (axes > kMostSpatialAxes || conv.kernel.size() != axes || conv.stride.size() != axes ||
      conv.pad.size() != axes) {
    asked.problem({}, "\"space\", \"kernel\", \"stride\" and \"pad\" differ in length",
                  "give each one to three sizes");
  }
  if (conv.channels % conv.groups != 0 || conv.filters % conv.groups != 0) {
    asked.problem("groups", "do not divide \"cin\" and \"cout\"");
  }
}

}  // namespace

void read_convolution(Record& record, Samples& samples) {
  Fields& asked = record.asked;
  Convolution conv;
  conv.batch = asked.count("batch");
  conv.channels = asked.count("cin");
  conv.filters = asked.count("cout");
  conv.groups = asked.count("groups");
  conv.space = asked.extents("space");
  conv.kernel = asked.extents("kernel");
  conv.stride = asked.extents("stride");
  conv.pad = asked.extents("pad", 0);
  conv.format = read_format(asked);
  conv.order = read_order(asked);
  check(conv, asked);
  keep(record, std::move(conv), read_convolution_passes, samples.convolutions);
}

void read_dense(Record& record, Samples& samples) {
  Fields& asked = record.asked;
  keep(record, Dense{asked.count("m"), asked.count("n"), asked.count("k"), read_format(asked)},
       read_dense_passes, samples.dense);
}

}  // namespace oracle::samples
