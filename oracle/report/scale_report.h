#pragma once
// Where does scaling stop, what stops it, and how far can each way to cut go?
//                                                              tests/report/scale_report_test.cpp

#include "oracle/report/sections.h"
#include "oracle/search/scale.h"

namespace oracle::report {

Document scale_report(const Subject& subject, const ScaleStudy& study, const ScaleRequest& request);

}  // namespace oracle::report
