#pragma once
// How often did this program ask for memory?
//
// counting.cpp replaces operator new of the whole program, which therefore has a folder of its own.

#include <cstdint>

namespace oracle {

/// Calls of operator new so far, from all threads.
std::int64_t allocations();

}  // namespace oracle
