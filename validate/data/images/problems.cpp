#include "validate/data/images/problems.h"

#include <algorithm>
#include <map>
#include <mutex>

#include "oracle/base/parallel.h"

namespace oracle {

void raise_first(std::vector<Problem> problems) {
  problems.resize(std::min<std::size_t>(problems.size(), 20));
  if (!problems.empty()) throw InputError(std::move(problems));
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
  std::vector<Problem> problems;
  for (const auto& [index, problem] : found) problems.push_back(problem);
  raise_first(std::move(problems));
}

}  // namespace oracle
