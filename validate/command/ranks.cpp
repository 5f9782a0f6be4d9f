#include "validate/command/ranks.h"

#include <fcntl.h>
#include <stdexcept>
#include <system_error>
#include <unistd.h>

#include "microbench/comm/launch.h"
#include "oracle/base/error.h"
#include "oracle/cli/hand_over.h"

namespace oracle {
namespace {

/// Standard output leads nowhere: the answer is this program's alone.
class Silenced {
 public:
  Silenced() : kept_(dup(STDOUT_FILENO)) {
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (kept_ < 0 || nowhere < 0) throw EnvironmentError("/dev/null cannot be written");
    dup2(nowhere, STDOUT_FILENO);
    close(nowhere);
  }
  Silenced(const Silenced&) = delete;
  Silenced& operator=(const Silenced&) = delete;
  ~Silenced() {
    dup2(kept_, STDOUT_FILENO);
    close(kept_);
  }

 private:
  int kept_;
};

std::string said(const LaunchResult& result, const std::string& otherwise) {
  return result.sentence.empty() ? otherwise : result.sentence;
}

}  // namespace

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "oracle-run-").string();
  pattern.append(6, 'X');
  if (mkdtemp(pattern.data()) == nullptr) {
    throw EnvironmentError(pattern + " cannot be made; set TMPDIR to a folder that can be written");
  }
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void train_on_ranks(int ranks, const std::vector<std::string>& words,
                    const std::map<std::string, std::string>& environment) {
  LaunchOptions options;
  options.ranks = ranks;
  options.command = {(cli::program_folder() / "oracle-train").string()};
  options.command.insert(options.command.end(), words.begin(), words.end());
  options.environment = {{"OMP_NUM_THREADS", "1"}};
  options.environment.insert(options.environment.end(), environment.begin(), environment.end());
  const LaunchResult result = [&] {
    const Silenced silenced;
    return launch(options);
  }();
  switch (result.exit_code) {
    case 0:
    case 1:  // the check differs: the result says by how much
      return;
    case 2:
      throw InputError("", "the ranks refused the run", "see what they said");
    case 70:
      throw std::runtime_error(said(result, "a rank ended with exit code 70"));
    default:
      throw EnvironmentError(
          said(result, "the ranks ended with exit code " + std::to_string(result.exit_code)));
  }
}

}  // namespace oracle
