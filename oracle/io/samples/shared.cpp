#include "oracle/io/samples/record.h"

namespace oracle::samples {
namespace {

enum class SharedPart : std::uint8_t { setup, exchange, step };
constexpr std::array<std::pair<std::string_view, SharedPart>, 5> kSharedParts = {
    {{"setup", SharedPart::setup},
     {"all_reduce", SharedPart::exchange},
     {"all_gather", SharedPart::exchange},
     {"reduce_scatter", SharedPart::exchange},
     {"ddp_step", SharedPart::step}}};

/// null stands for a rank that had to be ended.
std::vector<std::optional<std::int64_t>> read_exit_codes(Fields& found) {
  std::vector<std::optional<std::int64_t>> codes;
  if (!found.has("exit_codes")) return codes;
  const json::Node* list = found.array("exit_codes");
  if (list == nullptr) return codes;
  for (const json::Node& item : list->items) {
    if (item.type == json::Type::integer) {
      codes.emplace_back(item.integer);
    } else if (item.type == json::Type::null) {
      codes.emplace_back();
    } else {
      found.problem("exit_codes", "holds something that is not an exit code");
    }
  }
  return codes;
}

SetupFound read_setup_found(Fields& found) {
  SetupFound out;
  out.works = found.flag("works");
  out.rows = found.count_if_any("rows").value_or(0);
  out.exit_codes = read_exit_codes(found);
  out.rank_errors = found.texts("rank_errors");
  out.logs = found.list_of_texts("logs");
  return out;
}

ExchangeTime read_exchange(Fields& found) {
  return {found.spread("us", kMicrosecond), found.time("first_us", kMicrosecond)};
}

SharedStepFound read_shared_step(Fields& found) {
  return {read_phases(found), found.time("wall_ms", kMillisecond),
          found.positive("images_per_s_all_ranks")};
}

Setup read_setup(Fields& asked) {
  return {asked.text("backend"), asked.count("ranks"), asked.flag("mps")};
}

/// A set-up says what became of it even where it did not work.
void keep_setup(Record& record, Setup setup, Samples& samples) {
  const std::optional<Failure> failure = record.failure;
  if (record.found.has("works")) record.failure.reset();
  keep(record, std::move(setup), read_setup_found, samples.setups);
  samples.setups.back().failure = failure;
}

}  // namespace

void read_shared(Record& record, Samples& samples) {
  Fields& asked = record.asked;
  const SharedPart what = asked.choice("what", kSharedParts);
  Setup setup = read_setup(asked);
  if (what == SharedPart::setup) {
    keep_setup(record, std::move(setup), samples);
  } else if (what == SharedPart::exchange) {
    keep(record, Exchange{std::move(setup), asked.text("what"), asked.bytes("bytes")},
         read_exchange, samples.exchanges);
  } else {
    keep(record,
         SharedStep{std::move(setup), asked.text("net"), asked.count("batch_per_rank"),
                    read_mode(asked), asked.flag("exchange")},
         read_shared_step, samples.shared_steps);
  }
}

}  // namespace oracle::samples
