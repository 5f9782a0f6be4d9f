#pragma once
// What runs when? A drawing of the step in at most 100 columns, one row per stage and stream.
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

Figure gantt(const Timeline& timeline);

}  // namespace oracle::report
