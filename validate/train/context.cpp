#include "validate/train/context.h"

#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "microbench/timing/context.h"
#include "oracle/build_info.h"

namespace oracle {
namespace {

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

}  // namespace

RunContext run_context(std::string_view program, std::span<const char* const> args,
                       const Backend& backend, const Communicator& communicator, int threads) {
  RunContext context;
  context.command = program;
  for (const char* arg : args) context.command += std::string(" ") + arg;
  context.date = date_now();
  context.host = host_name();
  context.processor = backend.device();
  context.version = build_info::kVersion;
  context.commit = build_info::kCommit;
  context.compiler = build_info::kCompiler;
  context.build_type = build_info::kBuildType;
  context.kernels = backend.library();
  context.communicator = communicator.library();
  context.load = load_now();
  context.ranks = communicator.size();
  context.threads = threads;
  return context;
}

nlohmann::ordered_json context_json(const RunContext& c) {
  nlohmann::ordered_json json = {{"command", c.command},
                                 {"date", c.date},
                                 {"host", c.host},
                                 {"processor", c.processor},
                                 {"load", c.load},
                                 {"version", c.version},
                                 {"commit", c.commit},
                                 {"compiler", c.compiler},
                                 {"build", c.build_type},
                                 {"kernels", c.kernels},
                                 {"communicator", c.communicator},
                                 {"ranks", c.ranks},
                                 {"threads", c.threads}};
  if (c.speed > 0) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.3g", c.speed);
    json["speed"] = text.data();
  }
  if (!c.sharing.empty()) json["sharing"] = c.sharing;
  return json;
}

}  // namespace oracle
