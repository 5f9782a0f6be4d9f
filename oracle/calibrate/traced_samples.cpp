#include "oracle/calibrate/traced_samples.h"

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "oracle/base/error.h"
#include "oracle/base/in_quotes.h"
#include "oracle/base/statistics.h"
#include "oracle/calibrate/traced_call.h"
#include "oracle/record/kernel_class.h"

namespace oracle {
namespace {

constexpr double kNanosecond = 1e-9;

bool has_part(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// What ran for one operation of the host.
struct Ran {
  double all = 0, data = 0, weights = 0;  ///< [ns]; of a convolution's gradients
  std::size_t kernels = 0;
  bool tf32 = false;
};

class TraceCollector {
 public:
  TraceCollector(const Trace& trace, std::string source, const MeasurementHints& hints)
      : trace_(trace), source_(std::move(source)), hints_(hints) {}

  TracedSamples collect() {
    add_up();
    std::map<std::uint32_t, std::vector<std::uint32_t>> products;  // by node of the backward pass
    for (std::uint32_t i = 0; i < trace_.host.size(); ++i) {
      if (ran_[i].kernels == 0) continue;
      if (is_product(i) && is_product_node(i)) {
        products[trace_.host[i].backward].push_back(i);
      } else {
        leave_out(take(i));
      }
    }
    for (const auto& [node, pair] : products) leave_out(take_gradients(pair), pair.size());
    finish_kernels();
    finish_links();
    add_context();
    return std::move(out_);
  }

 private:
  using Key = std::tuple<std::string, Pass, DataType>;

  const TracedCall& call(std::uint32_t host) const { return trace_.calls[trace_.host[host].call]; }

  void leave_out(const std::string& why, std::size_t count = 1) {
    if (!why.empty()) out_.left_out[why] += count;
  }

  void add_up() {
    ran_.resize(trace_.host.size());
    for (const TracedOperation& one : trace_.operations) {
      if (one.kind != TracedKind::kernel) continue;
      const std::string& name = trace_.names[one.name];
      if (class_of_kernel(name, {}, false) == KernelClass::communication) {
        add_call(one);
        continue;
      }
      if (one.host == kNothing) {
        leave_out("kernels without the operation that launched them");
        continue;
      }
      const auto time = static_cast<double>(one.time.end - one.time.begin);
      Ran& ran = ran_[one.host];
      ran.all += time;
      ran.kernels += 1;
      if (has_part(name, "dgrad")) ran.data += time;
      if (has_part(name, "wgrad")) ran.weights += time;
      // Names of cuBLAS and CUTLASS; s1688 is the matrix unit's TF32 instruction of Ampere.
      ran.tf32 = ran.tf32 || has_part(name, "tf32") || has_part(name, "s1688");
    }
  }

  bool is_product(std::uint32_t host) const {
    return call(host).name == "aten::mm" || call(host).name == "aten::addmm";
  }
  std::string_view node_of(std::uint32_t host) const {
    const std::uint32_t node = trace_.host[host].backward;
    return node == kNothing ? std::string_view() : trace_.names[trace_.backward[node]];
  }
  bool is_product_node(std::uint32_t host) const {
    return has_part(node_of(host), "AddmmBackward") || has_part(node_of(host), "MmBackward");
  }

  /// Types that a sample counts for: of what the first tensor holds.
  std::vector<DataType> types_of(std::uint32_t host, bool contracts) const {
    const std::vector<std::string> types = texts_of(call(host).types);
    const std::string type = types.empty() ? std::string() : types.front();
    if (type == "c10::Half") return {DataType::fp16};
    if (type == "c10::BFloat16") return {DataType::bf16};
    if (type != "float") return {};
    if (!contracts) return {DataType::fp32, DataType::tf32};
    return {ran_[host].tf32 ? DataType::tf32 : DataType::fp32};
  }

  /// Returns why not, or nothing.
  std::string keep(std::uint32_t host, const LayerCase& layer, Pass pass, double nanoseconds,
                   bool contracts = true) {
    const std::vector<DataType> types = types_of(host, contracts);
    if (types.empty()) return "numbers of a type that no layer has";
    if (nanoseconds <= 0) return "kernels that took no time";
    static_cast<void>(layer_of(layer));
    const std::string text = to_text(layer);
    for (const DataType type : types) {
      times_[{text, pass, type}].push_back(nanoseconds * kNanosecond);
    }
    return {};
  }

  std::string take(std::uint32_t host) {
    const TracedCall& of = call(host);
    if (of.dims.empty()) return "operations without their shapes: record_shapes=True";
    try {
      return take_call(host, of, ran_[host]);
    } catch (const InputError&) {
      return "shapes that no layer has";
    }
  }

  std::string take_call(std::uint32_t host, const TracedCall& of, const Ran& ran) {
    const auto dims = dims_of(of.dims);
    if (is_product(host)) {
      const std::size_t first = of.name == "aten::addmm" ? 1 : 0;
      if (!dims || dims->size() < first + 2) return "shapes that no layer has";
      if (!node_of(host).empty() && !has_part(node_of(host), "CheckpointFunction")) {
        return "products inside of another function's backward";
      }
      return keep(host, product_case((*dims)[first], (*dims)[first + 1]), Pass::forward, ran.all);
    }
    if (has_part(of.name, "convolution")) return take_convolution(host, of, ran);
    if (!dims || dims->empty()) return on_one_line(of.name) + " is no layer of its own";
    const bool backward = has_part(of.name, "backward");
    if (has_part(of.name, "batch_norm")) {
      return keep(host, batch_norm_case(dims->front()),
                  backward ? Pass::backward_data : Pass::forward, ran.all, false);
    }
    if (of.name == "aten::native_layer_norm") {
      return keep(host, layer_norm_case(dims->front()), Pass::forward, ran.all, false);
    }
    return on_one_line(of.name) + " is no layer of its own";
  }

  std::string take_convolution(std::uint32_t host, const TracedCall& of, const Ran& ran) {
    const bool backward = has_part(of.name, "backward");
    const auto layer = convolution_case(of, backward);
    if (!layer) return "convolutions whose strides are not said: PyTorch before 2.1, or transposed";
    if (!backward) return keep(host, *layer, Pass::forward, ran.all);
    if (ran.data + ran.weights < ran.all) {
      return "gradients of convolutions whose kernels do not name their pass";
    }
    std::string why;
    if (ran.data > 0) why = keep(host, *layer, Pass::backward_data, ran.data);
    if (ran.weights > 0) why = keep(host, *layer, Pass::backward_weights, ran.weights);
    return why;
  }

  /// Two products of one node: grad · Wᵀ of [m, n] and [n, k], then xᵀ · grad over m.
  std::string take_gradients(std::vector<std::uint32_t> pair) {
    constexpr const char* kUnclear = "products in backward whose pass is not clear";
    if (pair.size() != 2) return kUnclear;
    std::sort(pair.begin(), pair.end(), [&](std::uint32_t a, std::uint32_t b) {
      return trace_.host[a].time.begin < trace_.host[b].time.begin;
    });
    const auto data = dims_of(call(pair[0]).dims), weights = dims_of(call(pair[1]).dims);
    const auto is_pair = [](const auto& dims) {
      return dims && dims->size() >= 2 && dims->front().size() == 2 && (*dims)[1].size() == 2;
    };
    if (!is_pair(data) || !is_pair(weights)) return kUnclear;
    const std::int64_t m = (*data)[0][0], n = (*data)[0][1], k = (*data)[1][1];
    const Dims& left = (*weights)[0];
    const Dims& right = (*weights)[1];
    const bool summed = left[1] == m && right[0] == m;
    const bool matrix = (left[0] == n && right[1] == k) || (left[0] == k && right[1] == n);
    if ((*data)[1][0] != n || !summed || !matrix) return kUnclear;
    try {
      const LayerCase layer = product_case({m, k}, {k, n});
      const std::string why = keep(pair[0], layer, Pass::backward_data, ran_[pair[0]].all);
      return why.empty() ? keep(pair[1], layer, Pass::backward_weights, ran_[pair[1]].all) : why;
    } catch (const InputError&) {
      return "shapes that no layer has";
    }
  }

  void finish_kernels() {
    for (auto& [key, times] : times_) {
      KernelSample sample;
      sample.layer = parse_layer_case(std::get<0>(key));
      sample.pass = std::get<1>(key);
      sample.type = std::get<2>(key);
      sample.time.count = static_cast<std::int64_t>(times.size());
      sample.time.low = Seconds{quantile(times, 0.1)};
      sample.time.high = Seconds{quantile(times, 0.9)};
      sample.time.median = sample.time.mean = Seconds{median(std::move(times))};
      out_.samples.kernels.push_back(std::move(sample));
    }
  }

  static std::optional<double> bytes_of(const std::string& type) {
    constexpr std::array<std::pair<std::string_view, double>, 12> kTypes = {{{"Float", 4},
                                                                             {"BFloat16", 2},
                                                                             {"Half", 2},
                                                                             {"Double", 8},
                                                                             {"Int", 4},
                                                                             {"Long", 8},
                                                                             {"Byte", 1},
                                                                             {"Char", 1},
                                                                             {"Bool", 1},
                                                                             {"Short", 2},
                                                                             {"Float8_e4m3fn", 1},
                                                                             {"Float8_e5m2", 1}}};
    for (const auto& [name, bytes] : kTypes) {
      if (name == type) return bytes;
    }
    return std::nullopt;
  }

  void add_call(const TracedOperation& one) {
    if (one.collective == kNothing) {
      leave_out("kernels of NCCL that do not say their collective: PyTorch before 2.2");
      return;
    }
    const TracedCollective& of = trace_.collectives[one.collective];
    const auto operation = link_operation_named(collective_named(of.name));
    const std::optional<double> element = bytes_of(of.type);
    const std::int64_t elements =
        operation == LinkOperation::all_gather ? of.out_elements : of.in_elements;
    const Bytes bytes{static_cast<double>(elements) * element.value_or(0)};
    const Seconds time{static_cast<double>(one.time.end - one.time.begin) * kNanosecond};
    if (!operation) {
      leave_out(on_one_line(of.name) + " is not an operation that links are fitted to");
    } else if (of.ranks < 2) {
      leave_out("collectives of one rank");
    } else if (!believable(bytes) || !believable(time)) {
      leave_out("collectives of no size, no time or an unknown type");
    } else {
      LinkSample& sample = links_[{*operation, of.ranks, bytes}];
      sample.count = sample.median == Seconds{} ? 1 : sample.count + 1;
      if (sample.count == 1 || time < sample.median) sample.median = time;
    }
  }

  void finish_links() {
    for (auto& [key, sample] : links_) {
      std::tie(sample.operation, sample.ranks, sample.bytes) = key;
      sample.level = hints_.level;
      sample.per_unit = hints_.per_unit;
      sample.low = sample.high = sample.median;
      sample.source = source_;
      out_.samples.links.push_back(std::move(sample));
    }
  }

  void add_context() {
    auto& context = out_.samples.contexts.emplace_back();
    if (!trace_.device.empty()) context.emplace_back("device", trace_.device);
    if (!out_.samples.kernels.empty()) context.emplace_back("kernels", "PyTorch, in " + source_);
    if (!out_.samples.links.empty()) context.emplace_back("links", "NCCL, in " + source_);
  }

  const Trace& trace_;
  std::string source_;
  MeasurementHints hints_;
  std::vector<Ran> ran_;  ///< of each operation of the host
  std::map<Key, std::vector<double>> times_;
  std::map<std::tuple<LinkOperation, std::int64_t, Bytes>, LinkSample> links_;
  TracedSamples out_;
};

}  // namespace

TracedSamples traced_samples(const Trace& trace, const std::string& source,
                             const MeasurementHints& hints) {
  return TraceCollector(trace, source, hints).collect();
}

}  // namespace oracle
