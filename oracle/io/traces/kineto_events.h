#pragma once
// How does one event of a trace become a part of the recording?
//
// The reader fills one TraceEvent after the other and hands it to TraceBuilder, which keeps what
// counts and links kernels with what launched them once all are there.
//                                                           tests/io/traces/kineto_reader_test.cpp

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "oracle/record/trace.h"

namespace oracle {

/// What an event may say; of the others nothing is kept.
struct TraceEvent {
  std::string phase, category, name, process, thread;
  std::optional<std::int64_t> begin, duration;  ///< [ns]
  std::optional<std::int64_t> correlation, external, device, device_type;
  std::optional<std::int64_t> in_elements, out_elements, group_size, allocated, reserved;
  std::string dims, types, values, collective, element_type;

  void clear() { *this = {}; }
};

class TraceBuilder {
 public:
  /// False where the trace holds more than is kept.
  bool take(TraceEvent& event);
  void set_device(std::int64_t id, std::string name) { devices_[id] = std::move(name); }

  /// The recording; once.
  Trace finish();

  Trace& trace() { return trace_; }
  std::size_t host_operations() const { return host_.size(); }
  const std::set<std::int64_t>& devices_used() const { return used_; }

 private:
  struct Launch {
    std::int64_t correlation, begin, external;
  };
  struct Hosted {
    TraceSpan time;
    std::int64_t external;
    std::uint32_t call, thread;
  };
  struct Ran {
    std::int64_t correlation, external;
  };
  struct Node {
    std::uint32_t thread, index;
    TraceSpan time;
  };

  std::uint32_t id_of(std::string_view text, std::unordered_map<std::string, std::uint32_t>& ids,
                      std::vector<std::string>& texts);
  bool take_operation(const TraceEvent& event, TracedKind kind, TraceSpan time);
  bool take_host(TraceEvent& event, TraceSpan time);
  std::uint32_t call_of(TraceEvent& event);
  std::uint32_t collective_of(const TraceEvent& event);
  void link();
  std::uint32_t node_around(const Hosted& host) const;

  Trace trace_;
  std::vector<Launch> launches_;
  std::vector<Hosted> host_;
  std::vector<Ran> ran_;  ///< beside trace_.operations
  std::vector<Node> nodes_;
  std::set<std::int64_t> used_;
  std::unordered_map<std::int64_t, std::string> devices_;
  std::unordered_map<std::string, std::uint32_t> names_, calls_, threads_, collectives_;
  std::vector<std::string> thread_names_;
};

}  // namespace oracle
