#include <algorithm>
#include <array>
#include <optional>

#include "oracle/base/in_quotes.h"
#include "oracle/base/suggest.h"
#include "oracle/io/calibration/calibration_samples.h"
#include "oracle/io/calibration/fields.h"
#include "oracle/io/file_bytes.h"

namespace oracle {
namespace {

constexpr std::int64_t kMostThreads = 1'000'000;

class SamplesReader {
 public:
  explicit SamplesReader(const json::Document& document)
      : problems_(document.name), object_(document.root, "", problems_) {}

  CalibrationSamples read() {
    object_.schema("oracle/samples/1", "a file of samples");
    read_context();
    each("compute", [&](json::ObjectReader& row) { read_kernel(row); });
    each("compressions", [&](json::ObjectReader& row) { read_compression(row); });
    each("crowd", [&](json::ObjectReader& row) { read_crowded(row); });
    each("copies", [&](json::ObjectReader& row) { read_copy(row); });
    each("links", [&](json::ObjectReader& row) { read_link(row); });
    each("interference", [&](json::ObjectReader& row) { read_interference(row); });
    each("storage", [&](json::ObjectReader& row) { read_storage(row); });
    each("failures", [&](json::ObjectReader& row) {
      out_.failures.push_back(row.string("layer") + ": " + row.string("error"));
    });
    object_.finish();
    problems_.raise();
    return std::move(out_);
  }

 private:
  void read_context() {
    const json::Node* context = object_.object("context", true);
    if (context == nullptr) return;
    auto& values = out_.contexts.emplace_back();
    for (const json::Member& member : context->members) {
      values.emplace_back(member.name, member.value.string);
      if (member.value.type == json::Type::string) continue;
      problems_.add(member.value.line, "/context/" + json::pointer_step(member.name), "is not text",
                    "write it in quotes");
    }
  }

  /// Calls `read` for each object of a list that may be absent.
  template <typename Read>
  void each(std::string_view key, Read read) {
    const json::Node* list = object_.array(key, false);
    if (list == nullptr) return;
    for (std::size_t i = 0; i < list->items.size() && !problems_.full(); ++i) {
      json::ObjectReader row(list->items[i], object_.pointer_to(key) + "/" + std::to_string(i),
                             problems_);
      read(row);
      row.finish();
    }
  }

  MeasuredTime read_time(json::ObjectReader& row) {
    MeasuredTime time{fields::seconds(row, "median"), fields::seconds(row, "low"),
                      fields::seconds(row, "high"), row.integer("count", 1, fields::kMostCount, 1)};
    if (time.low > time.median || time.median > time.high) {
      row.problem("median", "does not lie between low and high", "order the three");
    }
    if (row.has("mean")) time.mean = fields::seconds(row, "mean");
    // What the median was taken of is kept for other readers.
    row.has("values");
    row.has("precise");
    return time;
  }

  KernelSample read_case(json::ObjectReader& row) {
    KernelSample sample;
    if (const std::string layer = row.string("layer"); !layer.empty()) {
      try {
        sample.layer = parse_layer_case(layer);
        static_cast<void>(layer_of(sample.layer));
      } catch (const InputError& error) {
        row.problem("layer", error.problems().front().message, error.problems().front().remedy);
      }
    } else if (row.has("layer")) {
      row.problem("layer", "is empty", "write a layer on samples");
    }
    sample.pass = fields::pass(row);
    sample.type = fields::type(row);
    sample.optimizer = row.string("optimizer", "");
    if ((sample.pass == Pass::update) == sample.optimizer.empty()) {
      row.problem("optimizer", "goes with the pass \"update\", and it alone",
                  "name the optimizer of an update");
    }
    return sample;
  }

  void read_kernel(json::ObjectReader& row) {
    KernelSample sample = read_case(row);
    sample.time = read_time(row);
    out_.kernels.push_back(std::move(sample));
  }

  void read_compression(json::ObjectReader& row) {
    static const std::array<std::string, 3> kSteps = {"compress", "reduce", "restore"};
    CompressionSample sample;
    sample.step = row.string("step");
    if (row.has("step") && std::find(kSteps.begin(), kSteps.end(), sample.step) == kSteps.end()) {
      row.problem("step", in_quotes(sample.step) + " is none", suggestion(sample.step, kSteps));
    }
    sample.exchange = row.string("exchange");
    if (row.has("exchange") && sample.exchange.empty()) {
      row.problem("exchange", "is empty", "name the exchange, such as topk");
    }
    sample.type = fields::type(row);
    sample.inputs = row.integer("inputs", 1, fields::kMostCount);
    sample.input = row.integer("input", 1, fields::kMostCount);
    sample.output = row.integer("output", 1, fields::kMostCount);
    sample.time = read_time(row);
    out_.compressions.push_back(std::move(sample));
  }

  void read_crowded(json::ObjectReader& row) {
    CrowdedKernel crowded;
    crowded.alone = read_case(row);
    crowded.ranks = row.integer("ranks", 2, fields::kMostCount);
    const Seconds alone = fields::seconds(row, "alone");
    crowded.alone.time = {alone, alone, alone, row.integer("count", 1, fields::kMostCount, 1)};
    crowded.beside = fields::seconds(row, "beside");
    crowded.sharing = read_sharing(row);
    out_.crowd.push_back(std::move(crowded));
  }

  static double read_sharing(json::ObjectReader& row) {
    const double sharing = row.number("sharing", 0, 1);
    if (sharing > 1) row.problem("sharing", "is more than all", "write a number from 0 to 1");
    return sharing;
  }

  void read_copy(json::ObjectReader& row) {
    CopyRate copy;
    copy.threads = row.integer("threads", 1, kMostThreads);
    copy.bytes = fields::bytes(row, "bytes");
    copy.time = read_time(row);
    copy.pack = copy.unpack = copy.time.mean;
    if (row.has("pack") || row.has("unpack")) {
      copy.pack = fields::seconds(row, "pack");
      copy.unpack = fields::seconds(row, "unpack");
    }
    out_.copies.push_back(copy);
  }

  LinkOperation read_operation(json::ObjectReader& row) {
    const std::string name = row.string("operation");
    const auto operation = link_operation_named(name);
    if (operation) return *operation;
    std::vector<std::string> known;
    for (std::size_t i = 0; i < kLinkOperationCount; ++i) {
      known.emplace_back(name_of(static_cast<LinkOperation>(i)));
    }
    if (row.has("operation")) {
      row.problem("operation", in_quotes(name) + " is none", suggestion(name, known));
    }
    return LinkOperation::message;
  }

  void read_link(json::ObjectReader& row) {
    LinkSample sample;
    sample.level = row.string("level", "");
    sample.operation = read_operation(row);
    sample.ranks = row.integer("ranks", 2, fields::kMostCount, 2);
    sample.per_unit = row.integer("per_unit", 1, fields::kMostCount, 1);
    sample.flows = row.integer("flows", 1, fields::kMostCount, 1);
    sample.bytes = fields::bytes(row, "bytes");
    const MeasuredTime time = read_time(row);
    sample.median = time.median;
    sample.low = time.low;
    sample.high = time.high;
    sample.count = time.count;
    sample.source = row.string("source", "");
    out_.links.push_back(std::move(sample));
  }

  void read_interference(json::ObjectReader& row) {
    Interference found;
    found.level = row.string("level", "");
    found.operation = read_operation(row);
    found.bytes = fields::bytes(row, "bytes");
    found.compute_alone = fields::seconds(row, "compute_alone");
    found.compute_beside = fields::seconds(row, "compute_beside");
    found.transfer_alone = fields::seconds(row, "transfer_alone");
    found.transfer_beside = fields::seconds(row, "transfer_beside");
    out_.interference.push_back(std::move(found));
  }

  void read_storage(json::ObjectReader& row) {
    StorageSample sample;
    sample.operation = fields::storage_operation(row);
    sample.workers = row.integer("workers", 1, kMostThreads, 1);
    sample.cached = row.boolean("cached", false);
    sample.bytes = fields::bytes(row, "bytes");
    sample.time = read_time(row);
    out_.storage.push_back(sample);
  }

  json::Problems problems_;
  json::ObjectReader object_;
  CalibrationSamples out_;
};

template <typename Value>
void append(std::vector<Value>& to, std::vector<Value>&& from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

}  // namespace

CalibrationSamples read_calibration_samples(const json::Document& document) {
  return SamplesReader(document).read();
}

CalibrationSamples load_calibration_samples(std::span<const std::filesystem::path> files) {
  CalibrationSamples all;
  std::vector<Problem> problems;
  for (const std::filesystem::path& file : files) {
    try {
      CalibrationSamples one = read_calibration_samples(json::read(file));
      append(all.contexts, std::move(one.contexts));
      append(all.kernels, std::move(one.kernels));
      append(all.compressions, std::move(one.compressions));
      append(all.copies, std::move(one.copies));
      append(all.crowd, std::move(one.crowd));
      append(all.links, std::move(one.links));
      append(all.interference, std::move(one.interference));
      append(all.storage, std::move(one.storage));
      append(all.failures, std::move(one.failures));
    } catch (const InputError& error) {
      problems.insert(problems.end(), error.problems().begin(), error.problems().end());
    }
  }
  if (!problems.empty()) throw InputError(std::move(problems));
  return all;
}

bool is_samples_file(const std::filesystem::path& file) {
  // The form stands at the head of the file.
  constexpr std::size_t kHead = 1000;
  return read_bytes(file, kHead).substr(0, kHead).find("\"oracle/samples/") != std::string::npos;
}

std::string context_value(const CalibrationSamples& samples, std::string_view name) {
  for (const auto& context : samples.contexts) {
    for (const auto& [key, value] : context) {
      if (key == name) return value;
    }
  }
  return {};
}

}  // namespace oracle
