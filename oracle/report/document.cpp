#include "oracle/report/document.h"

#include <utility>

#include "oracle/base/quantity_text.h"
#include "oracle/report/text.h"

namespace oracle::report {

Cell words(std::string_view text) { return {.text = std::string(text)}; }

Cell named(std::string_view name) { return {.text = prose(name), .name = identifier(name)}; }

Cell count(std::int64_t number) {
  return {.text = grouped(number), .value = static_cast<double>(number)};
}

Cell share(double fraction) { return {.text = percent(fraction), .value = fraction, .unit = "1"}; }

Cell multiply_adds(double number) {
  // The prefix of FLOPs, without their name.
  std::string text = to_text(Flops{number});
  text.erase(text.find("FLOP"));
  text.erase(text.find_last_not_of(' ') + 1);
  return {.text = text, .value = number};
}

Cell time(Seconds time) { return {.text = to_text(time), .value = time.value, .unit = "s"}; }

Cell cost(const Cost& cost) {
  return {.text = to_text(cost.time),
          .value = cost.time.value,
          .unit = "s",
          .source = cost.source,
          .uncertainty = cost.uncertainty};
}

Cell size(Bytes size) { return {.text = to_text(size), .value = size.value, .unit = "B"}; }

Cell memory_size(Bytes size) {
  return {.text = to_binary_text(size), .value = size.value, .unit = "B"};
}

Cell work(Flops work) { return {.text = to_text(work), .value = work.value, .unit = "FLOP"}; }

Cell rate(FlopRate rate) { return {.text = to_text(rate), .value = rate.value, .unit = "FLOP/s"}; }

Cell bandwidth(Bandwidth bandwidth) {
  return {.text = to_text(bandwidth), .value = bandwidth.value, .unit = "B/s"};
}

Cell samples(double per_second) {
  return {.text = significant(per_second), .value = per_second, .unit = "samples/s"};
}

Cell throughput(double samples_per_second) {
  Cell cell = samples(samples_per_second);
  cell.text += " samples/s";
  return cell;
}

Column text_column(std::string key, std::string heading) {
  return {.key = std::move(key), .heading = std::move(heading), .unit = {}};
}

Column number_column(std::string key, std::string heading, std::string unit) {
  return {.key = std::move(key),
          .heading = std::move(heading),
          .unit = std::move(unit),
          .align = Align::right};
}

Column label_column(std::string heading) {
  return {.key = {}, .heading = std::move(heading), .unit = {}, .audience = Audience::people};
}

Column data_column(std::string key, std::string unit) {
  return {.key = std::move(key),
          .heading = {},
          .unit = std::move(unit),
          .audience = Audience::programs};
}

Column left_out(Column column, std::uint8_t nth) {
  column.left_out = nth;
  return column;
}

}  // namespace oracle::report
