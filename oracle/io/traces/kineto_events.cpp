#include "oracle/io/traces/kineto_events.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <utility>

#include "oracle/base/in_quotes.h"

namespace oracle {
namespace {

constexpr std::size_t kMostOperations = std::size_t{1} << 24U;
constexpr std::size_t kMostHosted = std::size_t{1} << 26U;
constexpr std::size_t kMostTexts = std::size_t{1} << 20U;
constexpr std::size_t kMostNameBytes = 200;
constexpr std::int64_t kUnknown = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kGpu = 1;  ///< c10::DeviceType::CUDA
constexpr std::string_view kNode = "autograd::engine::evaluate_function: ";

enum class Category : std::uint8_t { other, kernel, copy, launch, host, annotation };

constexpr std::array<std::pair<std::string_view, Category>, 14> kCategories = {{
    {"kernel", Category::kernel},
    {"Kernel", Category::kernel},
    {"gpu_memcpy", Category::copy},
    {"Memcpy", Category::copy},
    {"gpu_memset", Category::copy},
    {"Memset", Category::copy},
    {"cuda_runtime", Category::launch},
    {"cuda_driver", Category::launch},
    {"hip_runtime", Category::launch},
    {"Runtime", Category::launch},
    {"cpu_op", Category::host},
    {"Operator", Category::host},
    {"user_annotation", Category::annotation},
    {"UserAnnotation", Category::annotation},
}};

Category category_of(std::string_view name) {
  for (const auto& [known, category] : kCategories) {
    if (known == name) return category;
  }
  return Category::other;
}

/// Whether an operation of the host is a node of autograd; before 1.10 the backward functions
/// alone.
bool is_node(std::string_view name) {
  return name.starts_with(kNode) || (name.find("Backward") != std::string_view::npos &&
                                     name.find(':') == std::string_view::npos);
}

/// Kernels have names of up to some kilobytes; no character of UTF-8 is cut in two.
std::string_view cut(std::string_view text) {
  if (text.size() <= kMostNameBytes) return text;
  std::size_t end = kMostNameBytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return text.substr(0, end);
}

void by_begin(std::vector<TraceSpan>& spans) {
  std::sort(spans.begin(), spans.end(),
            [](const TraceSpan& a, const TraceSpan& b) { return a.begin < b.begin; });
}

void keep_most(std::optional<Bytes>& most, const std::optional<std::int64_t>& bytes) {
  if (!bytes || *bytes < 0) return;
  const Bytes here{static_cast<double>(*bytes)};
  if (!most || *most < here) most = here;
}

}  // namespace

bool TraceBuilder::take(TraceEvent& event) {
  if (event.name == "[memory]") {
    if (event.device_type.value_or(kGpu) == kGpu) {
      keep_most(trace_.most_allocated, event.allocated);
      keep_most(trace_.most_reserved, event.reserved);
    }
    return true;
  }
  const Category category = category_of(event.category);
  const bool lasts = event.phase == "X" && event.begin && event.duration.value_or(-1) >= 0;
  if (category == Category::other || !lasts) return true;
  const TraceSpan time{*event.begin, *event.begin + *event.duration};
  switch (category) {
    case Category::kernel:
      return take_operation(event, TracedKind::kernel, time);
    case Category::copy:
      return take_operation(event, TracedKind::copy, time);
    case Category::launch:
      if (!event.correlation) return true;
      launches_.push_back({*event.correlation, time.begin, event.external.value_or(kUnknown)});
      return launches_.size() <= kMostHosted;
    case Category::host:
    case Category::annotation:
      if (event.name.starts_with("ProfilerStep#")) {
        trace_.steps.push_back(time);
      } else if (event.name.starts_with("Optimizer.step#")) {
        trace_.updates.push_back(time);
      } else if (category == Category::host) {
        return take_host(event, time);
      }
      return trace_.steps.size() + trace_.updates.size() <= kMostTexts;
    case Category::other:
      break;
  }
  return true;
}

std::uint32_t TraceBuilder::id_of(std::string_view text,
                                  std::unordered_map<std::string, std::uint32_t>& ids,
                                  std::vector<std::string>& texts) {
  const auto [found, added] = ids.try_emplace(std::string(cut(text)), texts.size());
  if (added) texts.push_back(found->first);
  return found->second;
}

bool TraceBuilder::take_operation(const TraceEvent& event, TracedKind kind, TraceSpan time) {
  TracedOperation operation;
  operation.time = time;
  operation.launched = time.begin;
  operation.kind = kind;
  operation.name = id_of(event.name, names_, trace_.names);
  if (kind == TracedKind::kernel) used_.insert(event.device.value_or(0));
  if (!event.collective.empty()) operation.collective = collective_of(event);
  trace_.operations.push_back(operation);
  ran_.push_back({event.correlation.value_or(kUnknown), event.external.value_or(kUnknown)});
  return ran_.size() <= kMostOperations && trace_.names.size() <= kMostTexts &&
         trace_.collectives.size() <= kMostTexts;
}

bool TraceBuilder::take_host(TraceEvent& event, TraceSpan time) {
  if (is_node(event.name)) {
    const std::uint32_t thread = id_of(event.process + "/" + event.thread, threads_, thread_names_);
    const std::uint32_t name = id_of(event.name, names_, trace_.names);
    nodes_.push_back({thread, name, time});
  }
  if (!event.external) return nodes_.size() <= kMostHosted;
  const std::uint32_t thread = id_of(event.process + "/" + event.thread, threads_, thread_names_);
  host_.push_back({time, *event.external, call_of(event), thread});
  return host_.size() <= kMostHosted && trace_.calls.size() <= kMostTexts;
}

std::uint32_t TraceBuilder::call_of(TraceEvent& event) {
  std::string key = std::string(cut(event.name));
  for (const std::string* part : {&event.dims, &event.types, &event.values}) key += '\n' + *part;
  const auto [found, added] = calls_.try_emplace(std::move(key), trace_.calls.size());
  if (added) {
    trace_.calls.push_back({std::string(cut(event.name)), std::move(event.dims),
                            std::move(event.types), std::move(event.values)});
  }
  return found->second;
}

std::uint32_t TraceBuilder::collective_of(const TraceEvent& event) {
  TracedCollective collective{event.collective, event.element_type, event.in_elements.value_or(0),
                              event.out_elements.value_or(0), event.group_size.value_or(0)};
  std::string key = collective.name + '\n' + collective.type;
  for (const std::int64_t number :
       {collective.in_elements, collective.out_elements, collective.ranks}) {
    key += '\n' + std::to_string(number);
  }
  const auto [found, added] = collectives_.try_emplace(std::move(key), trace_.collectives.size());
  if (added) trace_.collectives.push_back(std::move(collective));
  return found->second;
}

/// The innermost node on the same thread, which begins last of those around it.
std::uint32_t TraceBuilder::node_around(const Hosted& host) const {
  constexpr int kDeepest = 8;
  auto at = std::upper_bound(nodes_.begin(), nodes_.end(), host,
                             [](const Hosted& wanted, const Node& node) {
                               return std::pair(wanted.thread, wanted.time.begin) <
                                      std::pair(node.thread, node.time.begin);
                             });
  for (int i = 0; i < kDeepest && at != nodes_.begin(); ++i) {
    --at;
    if (at->thread != host.thread) break;
    if (at->time.end >= host.time.end) return static_cast<std::uint32_t>(at - nodes_.begin());
  }
  return kNothing;
}

void TraceBuilder::link() {
  const auto less = [](const auto& a, const auto& b) { return a.external < b.external; };
  std::stable_sort(host_.begin(), host_.end(), less);
  std::sort(nodes_.begin(), nodes_.end(), [](const Node& a, const Node& b) {
    return std::pair(a.thread, a.time.begin) < std::pair(b.thread, b.time.begin);
  });
  std::sort(launches_.begin(), launches_.end(),
            [](const Launch& a, const Launch& b) { return a.correlation < b.correlation; });
  for (const Node& node : nodes_) trace_.backward.push_back(node.index);
  std::vector<std::uint32_t> kept(host_.size(), kNothing);
  for (std::size_t i = 0; i < ran_.size(); ++i) {
    TracedOperation& operation = trace_.operations[i];
    const auto launch = std::lower_bound(
        launches_.begin(), launches_.end(), ran_[i].correlation,
        [](const Launch& one, std::int64_t correlation) { return one.correlation < correlation; });
    std::int64_t external = ran_[i].external;
    if (launch != launches_.end() && launch->correlation == ran_[i].correlation) {
      operation.launched = launch->begin;
      if (external == kUnknown) external = launch->external;
    }
    if (external == kUnknown) continue;
    const auto found = std::lower_bound(
        host_.begin(), host_.end(), external,
        [](const Hosted& one, std::int64_t wanted) { return one.external < wanted; });
    if (found == host_.end() || found->external != external) continue;
    std::uint32_t& place = kept[static_cast<std::size_t>(found - host_.begin())];
    if (place == kNothing) {
      place = static_cast<std::uint32_t>(trace_.host.size());
      trace_.host.push_back({found->time, found->call, node_around(*found)});
    }
    operation.host = place;
  }
}

Trace TraceBuilder::finish() {
  link();
  std::stable_sort(trace_.operations.begin(), trace_.operations.end(),
                   [](const TracedOperation& a, const TracedOperation& b) {
                     return a.time.begin < b.time.begin;
                   });
  by_begin(trace_.steps);
  by_begin(trace_.updates);
  trace_.devices = static_cast<std::int64_t>(devices_.size());
  if (!used_.empty()) {
    const auto device = devices_.find(*used_.begin());
    if (device != devices_.end()) trace_.device = on_one_line(device->second);
  }
  return std::move(trace_);
}

}  // namespace oracle
