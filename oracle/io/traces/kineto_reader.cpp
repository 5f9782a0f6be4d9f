#include "oracle/io/traces/kineto_reader.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "oracle/base/error.h"
#include "oracle/io/file_bytes.h"
#include "oracle/io/json/parse_error.h"
#include "oracle/io/traces/kineto_events.h"

namespace oracle {
namespace {

constexpr std::int64_t kNanosecondsPerMicrosecond = 1000;
constexpr double kMostMicroseconds = 4e15;  ///< since 1970 for a century; twice of it in 64 bits
constexpr std::size_t kMostListBytes = 4096;
constexpr const char* kFewerSteps =
    "record fewer steps: schedule=torch.profiler.schedule(wait=1, warmup=1, active=3)";

/// What a member of an event or of its "args" is.
enum class Member : std::uint8_t {
  other,
  phase,
  category,
  name,
  process,
  thread,
  begin,
  duration,
  args,
  correlation,
  external,
  device,
  device_type,
  dims,
  types,
  values,
  collective,
  element_type,
  in_elements,
  out_elements,
  group_size,
  allocated,
  reserved
};

using MemberName = std::pair<std::string_view, Member>;
constexpr std::array<MemberName, 8> kOfEvent = {{{"ph", Member::phase},
                                                 {"cat", Member::category},
                                                 {"name", Member::name},
                                                 {"pid", Member::process},
                                                 {"tid", Member::thread},
                                                 {"ts", Member::begin},
                                                 {"dur", Member::duration},
                                                 {"args", Member::args}}};
constexpr std::array<MemberName, 17> kOfArgs = {{{"correlation", Member::correlation},
                                                 {"External id", Member::external},
                                                 {"external id", Member::external},
                                                 {"device", Member::device},
                                                 {"Device Type", Member::device_type},
                                                 {"Input Dims", Member::dims},
                                                 {"Input dims", Member::dims},
                                                 {"Input type", Member::types},
                                                 {"Input Types", Member::types},
                                                 {"Concrete Inputs", Member::values},
                                                 {"Collective name", Member::collective},
                                                 {"dtype", Member::element_type},
                                                 {"In msg nelems", Member::in_elements},
                                                 {"Out msg nelems", Member::out_elements},
                                                 {"Group size", Member::group_size},
                                                 {"Total Allocated", Member::allocated},
                                                 {"Total Reserved", Member::reserved}}};

template <std::size_t N>
Member member_named(const std::array<MemberName, N>& members, std::string_view name) {
  for (const auto& [known, member] : members) {
    if (known == name) return member;
  }
  return Member::other;
}

/// Members of the trace that hold what counts.
enum class Part : std::uint8_t { other, events, devices, distribution };

Part part_named(std::string_view name) {
  if (name == "traceEvents") return Part::events;
  if (name == "deviceProperties" || name == "computeProperties") return Part::devices;
  return name == "distributedInfo" ? Part::distribution : Part::other;
}

/// Microseconds as nanoseconds; nothing of a time that no clock has.
std::optional<std::int64_t> nanoseconds(double microseconds) {
  if (!(microseconds >= 0 && microseconds < kMostMicroseconds)) return std::nullopt;
  return std::llround(microseconds * static_cast<double>(kNanosecondsPerMicrosecond));
}

/// The same of "1621401187223197.123", whose nanoseconds a double does not hold.
std::optional<std::int64_t> nanoseconds(const std::string& text, double value) {
  const std::size_t point = text.find('.');
  const bool plain = text.find_first_not_of("0123456789.") == std::string::npos;
  if (!plain || point == std::string::npos || !nanoseconds(value)) return nanoseconds(value);
  std::string fraction = text.substr(point + 1, 3);
  fraction.resize(3, '0');
  return std::strtoll(text.c_str(), nullptr, 10) * kNanosecondsPerMicrosecond +
         std::strtoll(fraction.c_str(), nullptr, 10);
}

bool takes_time(const Trace& trace) {
  const std::int64_t begin = trace.operations.front().time.begin;
  return std::any_of(trace.operations.begin(), trace.operations.end(),
                     [&](const TracedOperation& one) { return one.time.end > begin; });
}

/// Takes what nlohmann's parser finds. Depth is that of open objects and lists: 1 inside the trace,
/// 3 inside an event, 4 inside its "args". Returning false stops the parser.
class EventStream {
 public:
  explicit EventStream(const std::string& name) : name_(name) {}

  bool null() { return true; }
  bool boolean(bool value) { return scalar(value ? "true" : "false"); }
  bool number_integer(std::int64_t value) { return whole(value); }
  bool number_unsigned(std::uint64_t value) {
    constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    return value > kMost ? true : whole(static_cast<std::int64_t>(value));
  }
  bool number_float(double value, const std::string& text) {
    if (in_list()) return append(text);
    if (depth_ != 3 || part_ != Part::events) return true;
    if (member_ == Member::begin) event_.begin = nanoseconds(text, value);
    if (member_ == Member::duration) event_.duration = nanoseconds(text, value);
    return true;
  }
  bool string(std::string& value) { return scalar(value); }
  bool binary(nlohmann::json::binary_t&) { return true; }

  bool start_object(std::size_t) {
    if (depth_ == 0) is_object_ = true;
    ++depth_;
    if (depth_ == 3 && part_ == Part::events) event_.clear();
    if (depth_ == 3 && part_ == Part::devices) device_ = {};
    return true;
  }
  bool end_object() {
    --depth_;
    if (depth_ != 2) return true;
    if (part_ == Part::devices) builder_.set_device(device_.first, std::move(device_.second));
    if (part_ == Part::events && !builder_.take(event_)) {
      return refuse("records more operations than are read (16 million of a GPU)", kFewerSteps);
    }
    return true;
  }
  bool start_array(std::size_t) {
    if (depth_ == 0) {
      return refuse(
          "is of a PyTorch without Kineto (before 1.8, or as Debian builds it), which records no "
          "kernels",
          "record with the PyTorch of pytorch.org: torch.cuda.is_available() is True there");
    }
    ++depth_;
    if (depth_ == 2 && part_ == Part::events) has_events_ = true;
    return in_list() ? append("[") : true;
  }
  bool end_array() {
    if (in_list() && list()->size() <= kMostListBytes) *list() += ']';
    --depth_;
    return true;
  }
  bool key(std::string& name) {
    if (depth_ == 1) part_ = part_named(name);
    if (part_ == Part::events) {
      if (depth_ == 3) {
        member_ = member_named(kOfEvent, name);
        arg_ = Member::other;
      }
      if (depth_ == 4 && member_ == Member::args) arg_ = member_named(kOfArgs, name);
    } else if (depth_ <= 3) {
      key_ = std::move(name);
    }
    return true;
  }
  bool parse_error(std::size_t at, const std::string&, const nlohmann::detail::exception& error) {
    Problem problem = json::explain(error.what());
    place_ = name_ + ": byte " + std::to_string(at);
    if (std::string_view(error.what()).find("unexpected end") != std::string_view::npos) {
      problem.remedy = "record it again, and wait until the profiler has written it";
    }
    return refuse(std::move(problem.message), std::move(problem.remedy));
  }

  const std::optional<Problem>& problem() const { return problem_; }

  Trace finish() {
    if (!is_object_ || !has_events_) {
      throw InputError(name_, "holds no \"traceEvents\"",
                       "give what prof.export_chrome_trace() wrote");
    }
    Trace& trace = builder_.trace();
    if (builder_.devices_used().empty()) {
      throw InputError(
          name_,
          "holds no kernel of a GPU" +
              std::string(builder_.host_operations() > 0 ? ", only operations of the host" : ""),
          "record a GPU's: activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]; processors "
          "are measured by oracle validate and oracle calibrate");
    }
    if (builder_.devices_used().size() > 1) {
      throw InputError(name_,
                       "has kernels on " + std::to_string(builder_.devices_used().size()) +
                           " GPUs, and a step is compared rank by rank",
                       "record a process that drives one GPU");
    }
    trace.ranks = ranks_;
    trace.rank = rank_;
    trace.backend = std::move(backend_);
    Trace finished = builder_.finish();
    if (!takes_time(finished)) {
      throw InputError(name_, "holds kernels that took no time", "record it again");
    }
    return finished;
  }

 private:
  /// Where the lists of a member of "args" are kept; nullptr: nowhere.
  std::string* list() {
    if (arg_ == Member::dims) return &event_.dims;
    if (arg_ == Member::types) return &event_.types;
    return arg_ == Member::values ? &event_.values : nullptr;
  }
  /// Whether a value belongs to such a list.
  bool in_list() { return depth_ >= 5 && part_ == Part::events && list() != nullptr; }

  /// Of a list that is longer than any call's the beginning, which says nothing.
  bool append(std::string_view text) {
    std::string& kept = *list();
    if (kept.size() > kMostListBytes) return true;
    if (!kept.empty() && kept.back() != '[') kept += ',';
    kept += text;
    return true;
  }

  bool scalar(std::string_view value) {
    if (in_list()) {
      std::string quoted = "\"";
      for (const char c : value) {
        if (c != ' ' && c != '"') quoted += c;
      }
      return append(quoted + '"');
    }
    if (part_ == Part::events) {
      if (depth_ == 3) set_text(value);
      if (depth_ == 4 && arg_ == Member::collective) event_.collective = value;
      if (depth_ == 4 && arg_ == Member::element_type) event_.element_type = value;
    }
    if (part_ == Part::devices && depth_ == 3 && key_ == "name") device_.second = value;
    if (part_ == Part::distribution && depth_ == 2 && key_ == "backend") backend_ = value;
    return true;
  }

  void set_text(std::string_view value) {
    if (member_ == Member::phase) event_.phase = value;
    if (member_ == Member::category) event_.category = value;
    if (member_ == Member::name) event_.name = value;
    if (member_ == Member::process) event_.process = value;
    if (member_ == Member::thread) event_.thread = value;
  }

  bool whole(std::int64_t value) {
    if (in_list()) return append(std::to_string(value));
    if (part_ == Part::events && depth_ == 3) {
      if (member_ == Member::begin) event_.begin = nanoseconds(static_cast<double>(value));
      if (member_ == Member::duration) event_.duration = nanoseconds(static_cast<double>(value));
      if (member_ == Member::process || member_ == Member::thread) set_text(std::to_string(value));
    }
    if (part_ == Part::events && depth_ == 4) set_arg(value);
    if (part_ == Part::devices && depth_ == 3 && key_ == "id") device_.first = value;
    if (part_ == Part::distribution && depth_ == 2) {
      if (key_ == "rank") rank_ = value;
      if (key_ == "world_size") ranks_ = value;
    }
    return true;
  }

  void set_arg(std::int64_t value) {
    constexpr std::array<std::pair<Member, std::optional<std::int64_t> TraceEvent::*>, 9> kNumbers =
        {{{Member::correlation, &TraceEvent::correlation},
          {Member::external, &TraceEvent::external},
          {Member::device, &TraceEvent::device},
          {Member::device_type, &TraceEvent::device_type},
          {Member::in_elements, &TraceEvent::in_elements},
          {Member::out_elements, &TraceEvent::out_elements},
          {Member::group_size, &TraceEvent::group_size},
          {Member::allocated, &TraceEvent::allocated},
          {Member::reserved, &TraceEvent::reserved}}};
    for (const auto& [member, number] : kNumbers) {
      if (member == arg_) event_.*number = value;
    }
  }

  bool refuse(std::string message, std::string remedy) {
    problem_ = Problem{place_.empty() ? name_ : place_, std::move(message), std::move(remedy)};
    return false;
  }

  const std::string& name_;
  std::string place_;
  std::optional<Problem> problem_;
  TraceBuilder builder_;
  TraceEvent event_;
  std::pair<std::int64_t, std::string> device_;
  std::int64_t rank_ = 0, ranks_ = 0;
  std::string backend_, key_;
  std::size_t depth_ = 0;
  Part part_ = Part::other;
  Member member_ = Member::other, arg_ = Member::other;
  bool is_object_ = false, has_events_ = false;
};

bool is_compressed(std::string_view head) { return head.starts_with("\x1f\x8b"); }

}  // namespace

bool is_kineto_trace(const std::filesystem::path& file) {
  constexpr std::size_t kHead = 4096;
  const std::string head = read_bytes(file, kHead).substr(0, kHead);
  const auto holds = [&](const char* text) { return head.find(text) != std::string::npos; };
  return is_compressed(head) || holds("\"traceEvents\"") || holds("\"schemaVersion\"") ||
         holds("\"deviceProperties\"") || head == "[]" ||
         (head.starts_with("[") && holds("\"ph\"") && holds("\"ts\""));
}

Trace read_kineto(std::istream& stream, const std::string& name) {
  if (stream.peek() == 0x1f) {
    throw InputError(name, "is compressed", "unpack it first: gunzip -k " + name);
  }
  EventStream events(name);
  if (!nlohmann::json::sax_parse(stream, &events)) {
    ensure(events.problem().has_value(), "the JSON parser stopped without a reason");
    throw InputError({*events.problem()});
  }
  return events.finish();
}

Trace load_kineto(const std::filesystem::path& file) {
  static_cast<void>(read_bytes(file, 0));
  std::ifstream stream(file, std::ios::binary);
  if (!stream) {
    throw EnvironmentError(file.string() + ": cannot be read: " + std::strerror(errno));
  }
  Trace trace = read_kineto(stream, file.string());
  if (stream.bad()) throw EnvironmentError(file.string() + ": reading failed; check the disk");
  return trace;
}

}  // namespace oracle
