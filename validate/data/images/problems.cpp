#include "validate/data/images/problems.h"

#include <map>
#include <mutex>

#include "oracle/base/parallel.h"

namespace oracle {

void ImageProblems::add(Problem problem) {
  if (!full()) problems_.push_back(std::move(problem));
}

void ImageProblems::raise() const {
  if (!problems_.empty()) throw InputError(problems_);
}

void check_images(std::int64_t count, unsigned threads,
                  const std::function<void(std::int64_t)>& check) {
  std::mutex mutex;
  std::map<std::int64_t, Problem> found;
  parallel_for(count, threads, [&](std::int64_t index) {
    try {
      check(index);
    } catch (const InputError& error) {
      const std::scoped_lock lock(mutex);
      found.emplace(index, error.problems().front());
    }
  });
  ImageProblems problems;
  for (const auto& [index, problem] : found) problems.add(problem);
  problems.raise();
}

}  // namespace oracle
