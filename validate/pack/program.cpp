#include "validate/pack/program.h"

#include <array>
#include <string>

#include "oracle/cli/arguments.h"
#include "oracle/cli/output.h"
#include "oracle/cli/request.h"
#include "oracle/cli/run.h"
#include "validate/data/images/record_form.h"

namespace oracle {
namespace {

constexpr std::int64_t kMostThreads = 1024;

constexpr std::array<std::string_view, 1> kWords = {"IMAGES"};
constexpr std::array<std::string_view, 2> kExamples = {"photos --out photos.rec",
                                                       "cifar-10-batches-bin --out cifar10.rec"};
constexpr std::array<cli::Option, 3> kOwn = {{
    {"out", "FILE", "the record file, written whole or not at all", true},
    {"workers", "N", "threads that check the images (1)"},
    {"help", "", "this text", false, 'h'},
}};
constinit const std::array<cli::OptionGroup, 1> kGroups = {{{"packing", kOwn}}};

const cli::Command& pack_command() {
  static constinit const cli::Command kCommand{
      "",
      kWords,
      "Writes class folders of images, or CIFAR-10, into one record file with checksums.",
      kExamples,
      kGroups,
      nullptr,
      "oracle-pack"};
  return kCommand;
}

ExitCode answer(std::span<const char* const> args, std::ostream& out) {
  const cli::Arguments arguments(pack_command(), args);
  cli::ProblemList problems;
  const auto workers = cli::read_count(arguments, "workers", kMostThreads, problems);
  problems.raise();
  const auto images = open_images(arguments.word(0), static_cast<unsigned>(workers.value_or(1)));
  const std::string file = arguments.text("out", "");
  write_records(*images, file);
  cli::write_stream(out, file + ": " + std::to_string(images->size()) + " images of " +
                             to_text(images->shape()) + " in " + std::to_string(images->classes()) +
                             " classes\n");
  return ExitCode::answered;
}

}  // namespace

int run_pack(std::span<const char* const> args, std::ostream& out, std::ostream& err) {
  return cli::run_program(pack_command(), args, out, err, [&] { return answer(args, out); });
}

}  // namespace oracle
