#pragma once
// How are the problems of very many images told?   tests/validate/data/images/image_set_test.cpp

#include <cstdint>
#include <functional>
#include <vector>

#include "oracle/base/error.h"

namespace oracle {

/// Throws InputError with the first twenty, if there are any.
void raise_first(std::vector<Problem> problems);

/// Calls `check(index)` for every image with `threads` threads. Throws InputError with the first
/// problems that it threw, in the order of the images, however many threads there are.
void check_images(std::int64_t count, unsigned threads,
                  const std::function<void(std::int64_t)>& check);

}  // namespace oracle
