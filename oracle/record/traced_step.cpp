#include "oracle/record/traced_step.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "oracle/base/statistics.h"

namespace oracle {
namespace {

constexpr double kNanosecond = 1e-9;

Seconds seconds(double nanoseconds) { return Seconds{nanoseconds * kNanosecond}; }

/// The first operation on the GPU that was launched behind each mark; marks without one drop out.
std::vector<std::int64_t> starts_behind(const Trace& trace, const std::vector<TraceSpan>& marks) {
  constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();
  std::vector<std::int64_t> first(marks.size(), kNone);
  for (const TracedOperation& operation : trace.operations) {
    const auto next =
        std::upper_bound(marks.begin(), marks.end(), operation.launched,
                         [](std::int64_t at, const TraceSpan& mark) { return at < mark.begin; });
    if (next == marks.begin()) continue;
    std::int64_t& start = first[static_cast<std::size_t>(next - marks.begin() - 1)];
    start = std::min(start, operation.time.begin);
  }
  std::vector<std::int64_t> starts;
  for (const std::int64_t start : first) {
    if (start != kNone && (starts.empty() || start > starts.back())) starts.push_back(start);
  }
  return starts;
}

std::vector<TraceSpan> between(const std::vector<std::int64_t>& starts) {
  std::vector<TraceSpan> spans;
  for (std::size_t i = 1; i < starts.size(); ++i) spans.push_back({starts[i - 1], starts[i]});
  return spans;
}

/// A mark without a next one: to its own end, or that of what was launched inside it.
TraceSpan alone(const Trace& trace, TraceSpan mark) {
  for (const TracedOperation& operation : trace.operations) {
    const bool inside = mark.begin <= operation.launched && operation.launched < mark.end;
    if (inside) mark.end = std::max(mark.end, operation.time.end);
  }
  return mark;
}

/// The length of the shortest sequence that `names` repeats throughout, twice at least; 0 of none.
/// The border of a text and its period: Knuth, Morris & Pratt, SIAM J. Comput. 6(2), 1977.
std::size_t period_of(const std::vector<std::uint32_t>& names) {
  std::vector<std::size_t> border(names.size(), 0);
  for (std::size_t i = 1; i < names.size(); ++i) {
    std::size_t length = border[i - 1];
    while (length > 0 && names[i] != names[length]) length = border[length - 1];
    border[i] = length + (names[i] == names[length] ? 1 : 0);
  }
  if (names.empty()) return 0;
  const std::size_t period = names.size() - border.back();
  return 2 * period <= names.size() ? period : 0;
}

/// Whether the host was inside of an optimizer's mark.
bool is_in_update(const Trace& trace, std::int64_t at) {
  const auto next = std::upper_bound(
      trace.updates.begin(), trace.updates.end(), at,
      [](std::int64_t wanted, const TraceSpan& mark) { return wanted < mark.begin; });
  return next != trace.updates.begin() && at < std::prev(next)->end;
}

bool computes(KernelClass of) {
  return of != KernelClass::communication && of != KernelClass::copy;
}

std::vector<TraceSpan> repetitions(const Trace& trace, const std::vector<KernelClass>& classes) {
  std::vector<std::uint32_t> names;
  std::vector<std::int64_t> begins;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    if (!computes(classes[i])) continue;
    names.push_back(trace.operations[i].name);
    begins.push_back(trace.operations[i].time.begin);
  }
  const std::size_t period = period_of(names);
  // One kernel over and over is no step.
  if (period < 2) return {};
  std::vector<std::int64_t> starts;
  for (std::size_t i = 0; i < begins.size(); i += period) starts.push_back(begins[i]);
  return between(starts);
}

TraceSpan whole(const Trace& trace) {
  TraceSpan span = trace.operations.front().time;
  for (const TracedOperation& one : trace.operations) span.end = std::max(span.end, one.time.end);
  return span;
}

/// How long at least one of some spans lasts, of spans added by their begin.
class Covered {
 public:
  void add(std::int64_t begin, std::int64_t end) {
    begin = std::max(begin, until_);
    if (end <= begin) return;
    length_ += end - begin;
    until_ = end;
  }
  double length() const { return static_cast<double>(length_); }

 private:
  std::int64_t until_ = std::numeric_limits<std::int64_t>::min(), length_ = 0;
};

/// From operation `first` on, the first that may reach into the step.
void add_covered(const Trace& trace, const std::vector<KernelClass>& classes, TraceSpan step,
                 std::size_t first, TracedStep& out) {
  Covered computing, communicating, copying, both, all;
  for (std::size_t i = first; i < trace.operations.size(); ++i) {
    const TraceSpan time = trace.operations[i].time;
    if (time.begin >= step.end) break;
    const std::int64_t begin = std::max(time.begin, step.begin);
    const std::int64_t end = std::min(time.end, step.end);
    const bool computes_now = computes(classes[i]);
    const bool communicates = classes[i] == KernelClass::communication;
    if (computes_now) computing.add(begin, end);
    if (communicates) communicating.add(begin, end);
    if (classes[i] == KernelClass::copy) copying.add(begin, end);
    if (computes_now || communicates) both.add(begin, end);
    all.add(begin, end);
  }
  out.compute += seconds(computing.length());
  out.communication += seconds(communicating.length());
  out.copies += seconds(copying.length());
  out.exposed_communication += seconds(both.length() - computing.length());
  out.exposed_copies += seconds(all.length() - both.length());
  out.idle += seconds(static_cast<double>(step.end - step.begin) - all.length());
}

/// Of each operation, when it and all before it were over.
std::vector<std::int64_t> over_by(const Trace& trace) {
  std::vector<std::int64_t> over;
  over.reserve(trace.operations.size());
  for (const TracedOperation& one : trace.operations) {
    over.push_back(over.empty() ? one.time.end : std::max(over.back(), one.time.end));
  }
  return over;
}

std::vector<TracedName> by_time(const std::map<std::string, TracedTime>& named) {
  std::vector<TracedName> list;
  for (const auto& [name, of] : named) list.push_back({name, of});
  std::stable_sort(list.begin(), list.end(),
                   [](const TracedName& a, const TracedName& b) { return a.of.time > b.of.time; });
  return list;
}

/// Of operations that begin within the steps.
void add_classes(const Trace& trace, const std::vector<KernelClass>& classes, TraceSpan steps,
                 TracedStep& out) {
  std::map<std::string, TracedTime> collectives, unknown;
  std::vector<std::int64_t> launched;
  double kernels = 0, linked = 0;
  const auto share = 1 / static_cast<double>(out.steps);
  for (std::size_t i = 0; i < trace.operations.size(); ++i) {
    const TracedOperation& one = trace.operations[i];
    if (one.time.begin < steps.begin || one.time.begin >= steps.end) continue;
    const Seconds time = seconds(static_cast<double>(one.time.end - one.time.begin)) * share;
    const auto add = [&](TracedTime& to) {
      to.time += time;
      to.count += share;
    };
    add(out.classes[static_cast<std::size_t>(classes[i])]);
    if (classes[i] == KernelClass::unknown) add(unknown[trace.names[one.name]]);
    if (classes[i] == KernelClass::communication) {
      const std::string_view collective =
          one.collective != kNothing ? collective_named(trace.collectives[one.collective].name)
                                     : collective_named(trace.names[one.name]);
      add(collectives[std::string(collective.empty() ? "other" : collective)]);
    }
    launched.push_back(one.launched);
    if (one.kind != TracedKind::kernel) continue;
    kernels += 1;
    linked += one.host != kNothing ? 1 : 0;
  }
  out.collectives = by_time(collectives);
  out.unknown = by_time(unknown);
  if (kernels > 0) out.linked = linked / kernels;
  std::sort(launched.begin(), launched.end());
  std::vector<double> intervals;
  for (std::size_t i = 1; i < launched.size(); ++i) {
    intervals.push_back(static_cast<double>(launched[i] - launched[i - 1]));
  }
  out.launch_interval = seconds(median(std::move(intervals)));
}

}  // namespace

std::string_view name_of(StepMarks marks) {
  constexpr std::array<std::string_view, 4> kNames = {"ProfilerStep annotations",
                                                      "Optimizer.step annotations",
                                                      "repeated kernels", "the whole recording"};
  return kNames[static_cast<std::size_t>(marks)];
}

std::vector<KernelClass> classes_of(const Trace& trace) {
  std::map<std::tuple<std::uint32_t, std::uint32_t, bool>, KernelClass> known;
  std::vector<KernelClass> classes;
  classes.reserve(trace.operations.size());
  for (const TracedOperation& one : trace.operations) {
    if (one.kind == TracedKind::copy) {
      classes.push_back(KernelClass::copy);
      continue;
    }
    const std::uint32_t call = one.host == kNothing ? kNothing : trace.host[one.host].call;
    const bool in_update = is_in_update(trace, one.launched);
    const auto [found, added] = known.try_emplace({one.name, call, in_update});
    if (added) {
      const std::string_view host = call == kNothing ? std::string_view() : trace.calls[call].name;
      found->second = class_of_kernel(trace.names[one.name], host, in_update);
    }
    classes.push_back(found->second);
  }
  return classes;
}

TracedSteps steps_of(const Trace& trace, const std::vector<KernelClass>& classes) {
  TracedSteps out{StepMarks::profiler, between(starts_behind(trace, trace.steps))};
  const bool one = trace.steps.size() == 1 && trace.steps[0].end > trace.steps[0].begin;
  if (out.spans.empty() && one) out.spans = {alone(trace, trace.steps[0])};
  if (out.spans.empty()) {
    out = {StepMarks::optimizer, between(starts_behind(trace, trace.updates))};
  }
  if (out.spans.empty()) out = {StepMarks::repetition, repetitions(trace, classes)};
  if (out.spans.empty()) out = {StepMarks::none, {whole(trace)}};
  return out;
}

TracedStep traced_step(const Trace& trace) {
  const std::vector<KernelClass> classes = classes_of(trace);
  const TracedSteps steps = steps_of(trace, classes);
  TracedStep out;
  out.marks = steps.marks;
  out.steps = steps.spans.size();
  const std::vector<std::int64_t> over = over_by(trace);
  std::vector<double> lengths;
  for (const TraceSpan& span : steps.spans) {
    lengths.push_back(static_cast<double>(span.end - span.begin));
    out.step += seconds(lengths.back());
    const auto first = std::upper_bound(over.begin(), over.end(), span.begin) - over.begin();
    add_covered(trace, classes, span, static_cast<std::size_t>(first), out);
  }
  const double share = 1 / static_cast<double>(out.steps);
  for (Seconds* part : {&out.step, &out.compute, &out.communication, &out.exposed_communication,
                        &out.copies, &out.exposed_copies, &out.idle}) {
    *part = *part * share;
  }
  out.low = seconds(quantile(lengths, 0.1));
  out.high = seconds(quantile(std::move(lengths), 0.9));
  add_classes(trace, classes, {steps.spans.front().begin, steps.spans.back().end}, out);
  return out;
}

}  // namespace oracle
