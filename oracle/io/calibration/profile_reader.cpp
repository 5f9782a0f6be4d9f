#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "oracle/base/in_quotes.h"
#include "oracle/io/calibration/fields.h"
#include "oracle/io/calibration/profile_file.h"
#include "oracle/io/clusters/cluster_line.h"
#include "oracle/io/clusters/cluster_reader.h"
#include "oracle/io/data_path.h"

namespace oracle {
namespace {

constexpr std::string_view kProfileSchema = "oracle/profile/1";
constexpr double kMostNumber = 1e30;
/// Slowest and fastest links and disks in bytes a second, and longest latencies in seconds.
constexpr double kLeastRate = 1e-7, kMostRate = 1e18, kMostLatency = 1e7;
constexpr double kMostMean = 20;  ///< of a logarithm
/// Of a fit's weights together: kriging's own are within points · (deviation / noise)².
constexpr double kMostPull = 1e6;

/// Kernels are points of the fits of their family.
using Family = std::tuple<std::string, std::uint8_t, DataType>;

class ProfileReader {
 public:
  explicit ProfileReader(const json::Document& document)
      : document_(document), problems_(document.name), object_(document.root, "", problems_) {}

  ProfileFile read() {
    object_.schema(kProfileSchema, "a profile");
    out_.profile.name = object_.string("name", "");
    read_measured();
    Overlap& overlap = out_.profile.overlap;
    overlap = Overlap::alike(number(object_, "overlap_slowdown", 0, 1e3));
    if (object_.has("exchange_slowdown")) {
      overlap.exchange = number(object_, "exchange_slowdown", 0, 1e3);
    }
    read_contention();
    read_staging();
    each("kernels", [&](json::ObjectReader& row) { read_kernel(row); });
    each("fits", [&](json::ObjectReader& row) { read_fit(row); });
    each("links", [&](json::ObjectReader& row) { read_link(row); });
    each("storage", [&](json::ObjectReader& row) { read_storage(row); });
    const json::Node* cluster = object_.object("cluster", true);
    object_.finish();
    problems_.raise();
    out_.cluster = read_cluster({document_.name, *cluster});
    return std::move(out_);
  }

 private:
  void read_measured() {
    const json::Node* measured = object_.object("measured", false);
    if (measured == nullptr) return;
    for (const json::Member& member : measured->members) {
      out_.measured.emplace_back(member.name, member.value.string);
      if (member.value.type == json::Type::string) continue;
      problems_.add(member.value.line, "/measured/" + json::pointer_step(member.name),
                    "is not text", "write it in quotes");
    }
  }

  void read_contention() {
    const json::Node* node = object_.object("contention", false);
    if (node == nullptr) return;
    json::ObjectReader row(*node, "/contention", problems_);
    Contention& contention = out_.profile.contention;
    contention.ranks = row.integer("ranks", 2, fields::kMostCount);
    contention.own = Bytes{number(row, "own", 0, 1e18)};
    contention.slope = number(row, "slope", 0, 1);
    contention.residual = number(row, "residual", 0, kMostMean);
    contention.slowdown = number(row, "slowdown", 0, kMostMean);
    if (row.has("sharing")) contention.sharing = number(row, "sharing", 0, 1);
    row.finish();
  }

  /// One rate for all, or one for each of some sizes; of both ways, or of each.
  void read_staging() {
    const json::Node* node = document_.root.find("staging");
    std::vector<CopySpeed>& staging = out_.profile.staging;
    if (node == nullptr || node->type != json::Type::array) {
      const double rate = number(object_, "staging", 0, 1e18);
      if (rate > 0) staging = {{Bytes{1}, Bandwidth{rate}, Bandwidth{rate}}};
      return;
    }
    each("staging", [&](json::ObjectReader& row) {
      const bool one = row.has("rate");
      const CopySpeed speed{Bytes{number(row, "bytes", 0, 1e18)},
                            Bandwidth{number(row, one ? "rate" : "pack", 0, 1e18)},
                            Bandwidth{number(row, one ? "rate" : "unpack", 0, 1e18)}};
      if (speed.bytes.value <= 0 || speed.pack.value <= 0 || speed.unpack.value <= 0) {
        row.problem("bytes", "or a rate is nothing", "write numbers above 0");
      }
      if (!staging.empty() && speed.bytes <= staging.back().bytes) {
        row.problem("bytes", "are no more than those before", "sort the sizes");
      }
      staging.push_back(speed);
    });
  }

  template <typename Read>
  void each(std::string_view key, Read read) {
    const json::Node* list = object_.array(key, false);
    if (list == nullptr) return;
    read_rows(*list, object_.pointer_to(key), read);
  }

  template <typename Read>
  void read_rows(const json::Node& list, const std::string& pointer, Read read) {
    for (std::size_t i = 0; i < list.items.size() && !problems_.full(); ++i) {
      json::ObjectReader row(list.items[i], pointer + "/" + std::to_string(i), problems_);
      read(row);
      row.finish();
    }
  }

  /// Within bounds; the least where it is absent.
  static double number(json::ObjectReader& row, std::string_view key, double least, double most) {
    const double value = row.number(key, least, least);
    if (value <= most) return value;
    row.problem(key, "is out of range", "write a smaller number");
    return least;
  }

  static Bandwidth read_rate(json::ObjectReader& row, std::string_view key) {
    const double rate = number(row, key, 0, kMostRate);
    if (rate <= 0) {
      row.problem(key, "is nothing", "write a number above 0");
    } else if (rate < kLeastRate) {
      row.problem(key, "is slower than any link or disk", "write bytes a second");
    }
    return Bandwidth{std::max(rate, kLeastRate)};
  }

  /// Of as many extents, each from 1; left as they are where the member is absent.
  template <std::size_t N>
  void read_extents(json::ObjectReader& row, std::string_view key,
                    std::array<std::int64_t, N>& extents) {
    const json::Node* list = row.array(key, false);
    if (list == nullptr) return;
    bool good = list->items.size() == N;
    for (std::size_t i = 0; good && i < N; ++i) {
      const json::Node& item = list->items[i];
      good = item.type == json::Type::integer && item.integer >= 1 &&
             item.integer <= fields::kMostCount;
      if (good) extents[i] = item.integer;
    }
    if (good) return;
    row.problem(key, "is not a list of " + std::to_string(N) + " integers from 1", "write as many");
  }

  void read_kernel(json::ObjectReader& row) {
    KernelTime kernel;
    KernelKey& key = kernel.key;
    key.kind = row.string("kind");
    key.variant = row.string("variant", "");
    key.pass = static_cast<std::uint8_t>(fields::pass(row));
    key.type = fields::type(row);
    key.samples = row.integer("samples", 1, fields::kMostCount);
    key.inputs = row.integer("inputs", 1, fields::kMostCount, 1);
    read_extents(row, "input", key.input);
    read_extents(row, "output", key.output);
    read_extents(row, "kernel", key.kernel);
    read_extents(row, "stride", key.stride);
    read_extents(row, "dilation", key.dilation);
    key.groups = row.integer("groups", 1, fields::kMostCount, 1);
    key.contraction = row.boolean("contraction", false);
    key.entries = row.integer("entries", 1, fields::kMostCount, 1);
    key.others = row.integer("others", 0, fields::kMostCount, 0);
    kernel.cost = {fields::seconds(row, "seconds"), Source::measured,
                   number(row, "uncertainty", 0, kMostNumber)};
    if (!out_.profile.kernels.empty() && !(out_.profile.kernels.back().key < key)) {
      row.problem("", "does not come after the kernel before it",
                  "sort kernels, or write the file by oracle calibrate --merge");
    }
    families_[{family_of(key), key.pass, key.type}].push_back(features_of(key));
    out_.profile.kernels.push_back(std::move(kernel));
  }

  std::vector<double> read_numbers(json::ObjectReader& row, std::string_view key) {
    std::vector<double> numbers;
    const json::Node* list = row.array(key, true);
    if (list == nullptr) return numbers;
    for (const json::Node& item : list->items) {
      const bool number = item.type == json::Type::integer || item.type == json::Type::real;
      if (!number || std::abs(item.real) > kMostNumber) {
        row.problem(key, "holds something that is not a number", "write numbers");
        break;
      }
      numbers.push_back(item.real);
    }
    return numbers;
  }

  void read_fit(json::ObjectReader& row) {
    KernelFit fit;
    fit.family = row.string("family");
    fit.pass = static_cast<std::uint8_t>(fields::pass(row));
    fit.type = fields::type(row);
    read_plain_model(row, fit.plain);
    fit.mean = number(row, "mean", -kMostMean, kMostMean);
    fit.deviation = number(row, "deviation", 0, 10);
    fit.noise = number(row, "noise", 0, 10);
    fit.spread = number(row, "spread", 0, 1e3);
    fit.median_error = number(row, "median_error", 0, kMostNumber);
    fit.high_error = number(row, "high_error", 0, kMostNumber);
    fit.outliers = row.integer("outliers", 0, fields::kMostCount, 0);
    fit.lengths.fill(1);
    read_features(row, "lengths", 1e-6, kMostNumber, fit.lengths);
    read_features(row, "center", -kMostMean * 10, kMostMean * 10, fit.center);
    read_features(row, "slopes", -kMostMean, kMostMean, fit.slopes);
    read_weights(row, fit);
    out_.profile.fits.push_back(std::move(fit));
  }

  void read_plain_model(json::ObjectReader& row, PlainModel& plain) {
    plain.launch = Seconds{number(row, "launch", 0, kMostNumber)};
    plain.per_operation = number(row, "per_operation", 0, kMostNumber);
    plain.per_element = number(row, "per_element", 0, kMostNumber);
    if (plain.launch.value + plain.per_operation + plain.per_element <= 0) {
      row.problem("launch", "and the times per operation and element are all 0",
                  "write one above 0");
    }
    const json::Node* full_caches = row.array("full_caches", false);
    if (full_caches == nullptr) return;
    read_rows(*full_caches, row.pointer_to("full_caches"), [&](json::ObjectReader& full) {
      plain.full_caches.push_back(
          {number(full, "elements", 0, kMostNumber), number(full, "per_element", 0, kMostNumber)});
    });
  }

  /// A number for each feature, within bounds; left as they are where they are not.
  void read_features(json::ObjectReader& row, std::string_view key, double least, double most,
                     KernelFeatures& features) {
    const std::vector<double> numbers = read_numbers(row, key);
    const bool good = numbers.size() == kKernelFeatures &&
                      std::all_of(numbers.begin(), numbers.end(),
                                  [&](double number) { return number >= least && number <= most; });
    if (good) return static_cast<void>(std::copy(numbers.begin(), numbers.end(), features.begin()));
    row.problem(key, "is not a list of " + std::to_string(kKernelFeatures) + " numbers in range",
                "fit again with oracle calibrate --merge");
  }

  void read_weights(json::ObjectReader& row, KernelFit& fit) {
    const std::vector<double> weights = read_numbers(row, "weights");
    const auto& points = families_[{fit.family, fit.pass, fit.type}];
    double sum = 0;
    for (const double weight : weights) sum += std::abs(weight);
    if (weights.size() != points.size()) {
      row.problem("weights",
                  "has " + std::to_string(weights.size()) + " numbers for the " +
                      std::to_string(points.size()) + " kernels of its family",
                  "fit again with oracle calibrate --merge");
      return;
    }
    if (sum > kMostPull) {
      row.problem("weights", "are too large for any fit",
                  "fit again with oracle calibrate --merge");
      return;
    }
    for (std::size_t i = 0; i < weights.size(); ++i) fit.points.push_back({points[i], weights[i]});
  }

  void read_link(json::ObjectReader& row) {
    LinkFit fit;
    fit.level = row.string("level");
    fit.operation = row.string("operation", "");
    fit.algorithm = row.string("algorithm", "");
    fit.ranks = row.integer("ranks", 0, fields::kMostCount, 0);
    fit.per_unit = row.integer("per_unit", 1, fields::kMostCount, 1);
    if (fit.per_unit > 1 && fit.per_unit >= fit.ranks) {
      row.problem("per_unit", "is no less than the ranks of a group", "give ranks a larger number");
    }
    fit.least = Bytes{number(row, "least", 0, kMostNumber)};
    fit.most = Bytes{number(row, "most", 0, kMostNumber)};
    fit.together = number(row, "together", 0, kMostNumber);
    fit.residual = number(row, "residual", 0, kMostNumber);
    fit.leave_one_out = number(row, "leave_one_out", 0, kMostNumber);
    fit.tabulated = row.boolean("tabulated", false);
    if (const json::Node* pieces = row.array("pieces", true)) {
      read_rows(*pieces, row.pointer_to("pieces"),
                [&](json::ObjectReader& piece) { read_piece(piece, fit); });
      if (pieces->items.empty()) row.problem("pieces", "is empty", "leave the fit out");
    }
    if (const json::Node* table = row.array("table", false)) {
      read_rows(*table, row.pointer_to("table"), [&](json::ObjectReader& point) {
        LinkPoint& to = fit.table.emplace_back();
        to.message = Bytes{number(point, "message", 0, kMostNumber)};
        to.time = fields::seconds(point, "median");
        to.low = fields::seconds(point, "low");
        to.high = fields::seconds(point, "high");
        to.samples = point.integer("count", 1, fields::kMostCount, 1);
      });
    }
    out_.profile.links.push_back(std::move(fit));
  }

  void read_storage(json::ObjectReader& row) {
    StorageRate rate;
    rate.operation = fields::storage_operation(row);
    rate.workers = row.integer("workers", 1, fields::kMostCount, 1);
    rate.cached = row.boolean("cached", false);
    rate.latency = Seconds{number(row, "latency", 0, kMostLatency)};
    rate.rate = read_rate(row, "rate");
    rate.uncertainty = number(row, "uncertainty", 0, kMostNumber);
    rate.least = Bytes{number(row, "least", 0, kMostNumber)};
    rate.most = Bytes{number(row, "most", 0, kMostNumber)};
    rate.samples = row.integer("count", 1, fields::kMostCount, 1);
    out_.profile.storage.push_back(rate);
  }

  static void read_piece(json::ObjectReader& row, LinkFit& fit) {
    LinkPiece piece;
    piece.from = Bytes{number(row, "from", 0, kMostNumber)};
    piece.latency = Seconds{number(row, "latency", 0, kMostLatency)};
    piece.bandwidth = read_rate(row, "bandwidth");
    piece.uncertainty = number(row, "uncertainty", 0, kMostNumber);
    if (!fit.pieces.empty() && !(fit.pieces.back().from < piece.from)) {
      row.problem("from", "is not above that of the piece before", "sort the segments");
    }
    fit.pieces.push_back(piece);
  }

  const json::Document& document_;
  json::Problems problems_;
  json::ObjectReader object_;
  std::map<Family, std::vector<KernelFeatures>> families_;
  ProfileFile out_;
};

}  // namespace

ProfileFile read_profile(const json::Document& document) { return ProfileReader(document).read(); }

bool is_profile(const json::Document& document) {
  const json::Node* schema = document.root.find("schema");
  return schema != nullptr && schema->string == kProfileSchema;
}

Profile load_profile(std::string_view name) {
  if (name == "here" || is_cluster_line(name)) return {};
  const json::Document document = json::read(resolve("cluster", "data/clusters", name));
  return is_profile(document) ? read_profile(document).profile : Profile{};
}

}  // namespace oracle
