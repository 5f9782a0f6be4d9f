#include "oracle/io/samples/record.h"

namespace oracle::samples {
namespace {

constexpr double kGiga = 1e9;
constexpr double kTera = 1e12;

enum class CeilingPart : std::uint8_t { on_device, to_device, to_host, product, sustained, launch };
constexpr std::array<std::pair<std::string_view, CeilingPart>, 6> kCeilingParts = {
    {{"copy_d2d", CeilingPart::on_device},
     {"copy_h2d_pinned", CeilingPart::to_device},
     {"copy_d2h_pinned", CeilingPart::to_host},
     {"matmul", CeilingPart::product},
     {"matmul_sustained", CeilingPart::sustained},
     {"launch", CeilingPart::launch}}};

CopyTime read_copy(Fields& found) {
  return {found.timing("us"), Bandwidth{kGiga * found.positive("gb_per_s")}};
}

ProductTime read_product(Fields& found) {
  return {found.timing("us"), FlopRate{kTera * found.positive("tflops")},
          found.count_if_any("sm_mhz")};
}

/// [TFLOP/s, MHz or null]
std::optional<SustainedPoint> read_point(const json::Node& point) {
  if (point.items.size() != 2) return std::nullopt;
  const json::Node& rate = point.items[0];
  const json::Node& clock = point.items[1];
  const bool number = rate.type == json::Type::integer || rate.type == json::Type::real;
  if (!number || rate.real <= 0 || rate.real > 1e15) return std::nullopt;
  SustainedPoint out{FlopRate{kTera * rate.real}, std::nullopt};
  if (clock.type == json::Type::null) return out;
  if (clock.type != json::Type::integer || clock.integer < 0) return std::nullopt;
  out.sm_mhz = clock.integer;
  return out;
}

SustainedProduct read_sustained(Fields& found) {
  SustainedProduct out;
  const json::Node* points = found.array("tflops_and_sm_mhz");
  if (points == nullptr) return out;
  for (const json::Node& point : points->items) {
    const std::optional<SustainedPoint> read = read_point(point);
    if (!read) {
      found.problem("tflops_and_sm_mhz", "holds something that is not a pair of TFLOP/s and MHz",
                    "write pairs such as [700.1, 1980], with null for an unknown clock");
      break;
    }
    out.points.push_back(*read);
  }
  return out;
}

LaunchTime read_launch(Fields& found) {
  return {found.spread("host_us", kMicrosecond), found.spread("total_us", kMicrosecond),
          found.timing("queued_us")};
}

Product read_square(Fields& asked) { return {read_format(asked), asked.count("n")}; }

}  // namespace

void read_ceiling(Record& record, Samples& samples) {
  Fields& asked = record.asked;
  const auto copy = [&](Way way) {
    keep(record, Copy{way, asked.bytes("bytes")}, read_copy, samples.copies);
  };
  switch (asked.choice("what", kCeilingParts)) {
    case CeilingPart::on_device:
      return copy(Way::on_device);
    case CeilingPart::to_device:
      return copy(Way::to_device);
    case CeilingPart::to_host:
      return copy(Way::to_host);
    case CeilingPart::product:
      return keep(record, read_square(asked), read_product, samples.products);
    case CeilingPart::sustained:
      return keep(record, read_square(asked), read_sustained, samples.sustained);
    case CeilingPart::launch:
      return keep(record, Launch{read_how(asked, "kind")}, read_launch, samples.launches);
  }
}

}  // namespace oracle::samples
