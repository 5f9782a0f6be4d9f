#pragma once
// What runs when? A drawing of the step as wide as the terminal, one row per stage and stream.
//
// Each column is an equal part of the step and shows what occupies most of it:
//
//   stage 0  compute        FFFFFfffffBBBBBBBBBBbbbbbbbbbbU
//            exchange                   xxxxxxxxxxx xxxxxxx
//
// Capitals and small letters alternate with the micro-batches; streams that never run are left out.
//                                                                     tests/report/gantt_test.cpp

#include <string>

#include "oracle/report/document.h"
#include "oracle/timeline/timeline.h"

namespace oracle::report {

/// "the first 12 of 1,000,000 micro-batches": those that a timeline has events of.
std::string shown_phrase(const Timeline& timeline);

/// `width`: of the terminal. Where events are of the first micro-batches alone, so is the drawing.
Figure gantt(const Timeline& timeline, std::size_t width = 100);

}  // namespace oracle::report
