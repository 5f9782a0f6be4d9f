#include "validate/train/input.h"

#include <algorithm>
#include <exception>

#include "oracle/base/error.h"

namespace oracle {

RunInput open_input(const TrainRequest& request, const std::string& reader) {
  RunInput input;
  if (!request.data) return input;
  input.set = open_images(*request.data, static_cast<unsigned>(std::max(request.workers, 1)),
                          {request.watchdog, reader});
  require_fit(*input.set, request.graph);
  input.text = input.set->text();
  input.images = input.set->size();
  input.loader = std::make_unique<Loader>(
      *input.set, LoaderOptions{request.seed, request.training.batch, request.workers});
  return input;
}

RunInput open_input(const TrainRequest& request, Communicator& communicator) {
  RunInput input;
  std::string problem;
  std::exception_ptr own;
  try {
    input = open_input(request, "rank " + std::to_string(communicator.rank()));
  } catch (const std::exception& error) {
    own = std::current_exception();
    problem = error.what();
  }
  const auto problems = communicator.gather(problem, "whether all ranks can read their images");
  const auto sound = std::find(problems.begin(), problems.end(), "");
  const auto damaged = std::find_if(problems.begin(), problems.end(),
                                    [](const std::string& text) { return !text.empty(); });
  if (sound != problems.end() && damaged != problems.end()) {
    throw EnvironmentError("rank " + std::to_string(damaged - problems.begin()) +
                           " has other images than other ranks: " + *damaged);
  }
  if (own != nullptr) std::rethrow_exception(own);
  return input;
}

}  // namespace oracle
