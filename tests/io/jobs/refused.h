#pragma once
// What is said of a job's text that is refused?

#include <string>

#include "oracle/base/error.h"
#include "oracle/io/jobs/job.h"

namespace oracle {

/// Empty where it is read.
inline std::string refusal_of(const std::string& text) {
  try {
    read_job(text, "mine.log");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace oracle
