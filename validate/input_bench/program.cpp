#include "validate/input_bench/program.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>

#include "microbench/storage/reading.h"
#include "microbench/storage/samples_json.h"
#include "microbench/storage/writing.h"
#include "oracle/base/whole_file.h"
#include "oracle/cli/arguments.h"
#include "oracle/cli/request.h"
#include "oracle/cli/run.h"
#include "oracle/io/machine/proc_text.h"
#include "validate/input_bench/decode.h"

namespace oracle {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMostWorkers = 1024;
constexpr Bytes kCheckpoint{256e6}, kQuickCheckpoint{64e6}, kMostCheckpoint{1e12};
constexpr double kSeconds = 30, kQuickSeconds = 8;
/// Of a pass; more only takes longer.
constexpr std::uint64_t kMostRead = std::uint64_t{1} << 30U;
constexpr double kError = 0.02;
/// Reading in order and at random, decoding twice, and three sizes of checkpoint.
constexpr double kParts = 7;

constexpr std::array<std::string_view, 2> kExamples = {
    "--data photos.tar --workers 4 --out input.json",
    "--folder /scratch --checkpoint \"1 GB\" --out input.json"};
constexpr std::array<cli::Option, 8> kOwn = {{
    {"out", "FILE", "the samples, for oracle calibrate --from", true},
    {"data", "PATH", "images as training takes them; without, checkpoints alone are measured"},
    {"workers", "N", "that decode at the same time, besides one alone (this machine's processors)"},
    {"folder", "DIR", "where checkpoints go (that of --out)"},
    {"checkpoint", "SIZE", "of the largest (256 MB; with --quick 64 MB)"},
    {"seconds", "S", "for everything, about (30; with --quick 8)"},
    {"quick", "", "less of it"},
    {"help", "", "this text", false, 'h'},
}};
constinit const std::array<cli::OptionGroup, 1> kGroups = {{{"measuring", kOwn}}};

const cli::Command& input_command() {
  static constinit const cli::Command kCommand{
      "",
      {},
      "Measures how fast samples are read and decoded, and checkpoints written.",
      kExamples,
      kGroups,
      nullptr,
      "oracle-bench-input"};
  return kCommand;
}

struct InputRequest {
  fs::path out, folder;
  std::optional<fs::path> data;
  int workers = 1;
  Bytes checkpoint;
  StopRule rule;
};

InputRequest read_request(const cli::Arguments& arguments) {
  cli::ProblemList problems;
  InputRequest request;
  const bool quick = arguments.has("quick");
  request.out = arguments.text("out", "");
  request.folder = arguments.text("folder", request.out.parent_path().string());
  if (request.folder.empty()) request.folder = ".";
  if (const std::string* data = arguments.find("data")) request.data = *data;
  request.workers = static_cast<int>(
      cli::read_count(arguments, "workers", kMostWorkers, problems).value_or(usable_processors()));
  request.checkpoint = quick ? kQuickCheckpoint : kCheckpoint;
  if (const std::string* size = arguments.find("checkpoint")) {
    const auto bytes = problems.attempt("--checkpoint", [&] { return parse_bytes(*size); });
    if (bytes && (bytes->value < 1 || *bytes > kMostCheckpoint)) {
      problems.add("--checkpoint", "is not between 1 B and 1 TB", "write one such as \"256 MB\"");
    }
    request.checkpoint = bytes.value_or(kCheckpoint);
  }
  const double seconds = cli::read_positive(arguments, "seconds", "30", problems)
                             .value_or(quick ? kQuickSeconds : kSeconds);
  request.rule = {.least_seconds = 0, .error = kError, .most_seconds = seconds / kParts};
  problems.raise();
  return request;
}

StorageTimes as_storage(ReadTimes times) {
  return {times.operation, times.bytes, 1, times.in_memory > kMostInMemory,
          std::move(times.series)};
}

/// As it lies there, on average.
std::uint64_t bytes_of_an_image(std::span<const StoredFile> files, const ImageSet& images) {
  std::uint64_t bytes = 0;
  for (const StoredFile& file : files) bytes += file.bytes;
  return std::max<std::uint64_t>(bytes / static_cast<std::uint64_t>(images.size()), 1);
}

void measure_input(const InputRequest& request, std::vector<StorageTimes>& measured) {
  const auto images = open_images(*request.data, static_cast<unsigned>(request.workers));
  const std::uint64_t sample = images->shape().bytes();
  const std::vector<StoredFile> files = files_below(*request.data);
  measured.push_back(as_storage(read_in_order(files, request.rule, kMostRead)));
  const std::uint64_t stored = bytes_of_an_image(files, *images);
  measured.push_back(as_storage(read_at_random(files, stored, request.rule, kMostRead)));
  measured.back().bytes = sample;
  measured.push_back({"decode", sample, 1, false, measure_decoding(*images, 1, request.rule)});
  if (request.workers == 1) return;
  measured.push_back({"decode", sample, request.workers, false,
                      measure_decoding(*images, request.workers, request.rule)});
}

ExitCode answer(std::span<const char* const> args) {
  const InputRequest request = read_request(cli::Arguments(input_command(), args));
  std::vector<StorageTimes> measured;
  if (request.data) measure_input(request, measured);
  const auto largest = static_cast<std::uint64_t>(request.checkpoint.value);
  for (WriteTimes& times : measure_writing(request.folder, largest, request.rule)) {
    measured.push_back({"checkpoint", times.bytes, 1, false, std::move(times.series)});
  }
  std::vector<const char*> words = {"oracle-bench-input"};
  words.insert(words.end(), args.begin(), args.end());
  write_file(request.out, storage_samples_json(measuring_context(words), measured));
  return ExitCode::answered;
}

}  // namespace

int run_input_bench(std::span<const char* const> args, std::ostream& out, std::ostream& err) {
  return cli::run_program(input_command(), args, out, err, [&] { return answer(args); });
}

}  // namespace oracle
