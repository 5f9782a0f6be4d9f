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

#include "oracle/report/document.h"
#include "oracle/timeline/timeline.h"

namespace oracle::report {

/// `width`: of the terminal.
Figure gantt(const Timeline& timeline, std::size_t width = 100);

}  // namespace oracle::report
