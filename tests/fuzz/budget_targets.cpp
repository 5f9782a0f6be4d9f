#include <cmath>

#include "oracle/budget/run_cost.h"
#include "oracle/evaluate/reading.h"
#include "oracle/io/budget/convergence_reader.h"
#include "oracle/io/budget/data_set_reader.h"
#include "oracle/io/budget/price_list_reader.h"
#include "oracle/io/clusters/storage_reader.h"
#include "tests/fuzz/promises.h"
#include "tests/fuzz/targets.h"

namespace oracle::fuzz {
namespace {

/// A law that some batch needs a finite amount of data by, with an interval.
void check_law(const Convergence& convergence) {
  const ConvergenceLaw law = fit_law(convergence.points);
  for (const std::int64_t batch : {law.first, law.last, std::int64_t{1'000'000'000}}) {
    const DataToTarget data = data_to_target(law, batch);
    ensure(data.amount >= 0 && std::isfinite(data.amount), "a target that takes no data");
    ensure(data.uncertainty >= 0, "data without an interval");
  }
}

}  // namespace

void budget_file(std::string_view text) {
  json::Document document;
  if (!reads([&] { document = json::parse(text, "seed.json"); })) return;
  reads([&] { check_law(read_convergence(document)); });
  reads([&] {
    const DataSet data = read_data_set(document);
    ensure(data.samples_of(1) >= 1 && data.samples_of(1 << 26) >= 1, "a data set of nothing");
  });
  reads([&] {
    const StorageSystem storage = read_storage(document);
    const SampleReading reading{storage, Bytes{1e5}, 1, 0.5, 100};
    for (const std::int64_t ranks : {1, 3, 1 << 20}) {
      const ReadingTime time = reading_time(reading, 64, ranks, 8, 4);
      ensure(time.storage.value > 0 && std::isfinite(time.storage.value), "samples for nothing");
      ensure(time.workers.value > 0 && std::isfinite(time.workers.value), "workers for nothing");
    }
    ensure(write_time(storage, Bytes{1e9}).value > 0, "a checkpoint for nothing");
  });
  reads([&] {
    for (const Offer& offer : read_price_list(document).offers) {
      ensure(offer.price_per_device() > 0, "a device for nothing");
    }
  });
}

}  // namespace oracle::fuzz
