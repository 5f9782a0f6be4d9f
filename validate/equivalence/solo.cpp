#include "validate/equivalence/solo.h"

#include "oracle/base/error.h"

namespace oracle {
namespace {

[[noreturn]] void refuse(const std::string& label) {
  throw Defect("a serial run exchanges nothing, and was asked for " + label);
}

}  // namespace

GroupId Solo::make_group(std::span<const int>) { return 0; }

Ticket Solo::start_all_reduce(GroupId, void*, std::int64_t, Element, std::string label) {
  refuse(label);
}
Ticket Solo::start_reduce_scatter(GroupId, const void*, void*, std::int64_t, Element,
                                  std::string label) {
  refuse(label);
}
Ticket Solo::start_all_gather(GroupId, const void*, void*, std::int64_t, Element,
                              std::string label) {
  refuse(label);
}
Ticket Solo::start_all_to_all(GroupId, const void*, void*, std::int64_t, Element,
                              std::string label) {
  refuse(label);
}
Ticket Solo::start_messages(std::span<const Peer>, std::span<const Peer>, Element,
                            std::string label) {
  refuse(label);
}
void Solo::wait(Ticket) { refuse("a wait"); }
bool Solo::done(Ticket) { refuse("a wait"); }
void Solo::barrier(std::string) {}
std::vector<std::string> Solo::gather(std::string_view text, std::string) {
  return {std::string(text)};
}

}  // namespace oracle
