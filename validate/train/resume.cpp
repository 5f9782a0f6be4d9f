#include "validate/train/resume.h"

#include <algorithm>
#include <exception>
#include <ostream>

#include "oracle/base/error.h"
#include "oracle/base/in_quotes.h"
#include "validate/train/training.h"

namespace oracle {
namespace {

namespace fs = std::filesystem;

/// What the file says and what is asked for, where these must be the same.
void require_same_run(const CheckpointFile& file, const TrainRequest& request,
                      std::string_view data) {
  const CheckpointHead& head = file.head();
  std::vector<Problem> problems;
  const auto compare = [&](std::string_view what, const std::string& kept, const std::string& asked,
                           std::string remedy) {
    if (kept == asked) return;
    problems.push_back({"--resume",
                        file.path().string() + " is of " + std::string(what) + " " + kept +
                            ", and " + asked + " is asked for",
                        std::move(remedy)});
  };
  const auto option = [](const char* name, const std::string& value) {
    return "give --" + std::string(name) + " " + value;
  };
  compare("network", in_quotes(head.network), in_quotes(request.graph.name), "");
  compare("optimizer", in_quotes(head.optimizer), in_quotes(request.training.optimizer.name),
          option("optimizer", in_quotes(head.optimizer)));
  compare("precision", in_quotes(head.precision), in_quotes(request.training.precision.name),
          option("precision", in_quotes(head.precision)));
  compare("batch", std::to_string(head.batch), std::to_string(request.training.batch),
          option("batch", std::to_string(head.batch)));
  compare("seed", std::to_string(head.seed), std::to_string(request.seed),
          option("seed", std::to_string(head.seed)));
  compare("data", in_quotes(head.data), in_quotes(data), "");
  if (head.step >= request.steps) {
    problems.push_back({"--steps",
                        "are " + std::to_string(request.steps) + " in all, and " +
                            file.path().string() + " is behind step " + std::to_string(head.step),
                        "give more"});
  }
  if (!problems.empty()) throw InputError(std::move(problems));
}

}  // namespace

std::optional<FoundCheckpoint> open_checkpoint(const TrainRequest& request, std::string_view data) {
  if (!request.resume) return std::nullopt;
  FoundCheckpoint found = newest_checkpoint(*request.resume);
  require_same_run(found.file, request, data);
  require_state_of(found.file, request.graph,
                   optimizer_step(request.training.optimizer, request.rate));
  return found;
}

void require_own_folder(const TrainRequest& request) {
  if (!request.checkpoints) return;
  const fs::path& folder = request.checkpoints->folder;
  std::error_code none;
  if (request.resume && fs::equivalent(folder, *request.resume, none)) return;
  if (!fs::exists(folder, none) || checkpoints_in(folder).empty()) return;
  throw InputError("--checkpoint",
                   folder.string() + " holds checkpoints of another run, up to step " +
                       std::to_string(checkpoints_in(folder).back()),
                   "go on from them with --resume " + folder.string() + ", or name another folder");
}

std::optional<CheckpointFile> open_checkpoint(const TrainRequest& request, std::string_view data,
                                              Communicator& communicator, std::ostream& err) {
  if (!request.resume) return std::nullopt;
  std::optional<FoundCheckpoint> found;
  std::exception_ptr own;
  std::string said;
  try {
    found = open_checkpoint(request, data);
    said = "step " + std::to_string(found->file.head().step);
  } catch (const std::exception& error) {
    own = std::current_exception();
    said = error.what();
  }
  const auto all = communicator.gather(said, "whether all ranks find the checkpoint");
  const auto other = std::find_if(all.begin(), all.end(),
                                  [&](const std::string& text) { return text != all.front(); });
  const bool differ = communicator.any(other != all.end(), "whether all ranks find the checkpoint");
  if (differ && communicator.rank() == 0) {
    throw EnvironmentError("rank 0 finds in " + *request.resume + ": " + all.front() + "; rank " +
                           std::to_string(other - all.begin()) + " finds: " + *other +
                           "; put checkpoints where all ranks see the same");
  }
  if (own != nullptr) std::rethrow_exception(own);
  if (communicator.rank() == 0) {
    for (const std::string& text : found->refused) err << "oracle-train: " << text << '\n';
    if (!found->refused.empty()) {
      err << "oracle-train: goes on from " << found->file.path().string() << '\n';
    }
  }
  return std::move(found->file);
}

}  // namespace oracle
