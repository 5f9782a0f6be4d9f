#pragma once
// How fast does a worker make a sample of training from the bytes of its file?
//
// Workers read images of a set in a shuffled order, by what training's workers call
// (ImageSet::read): a time is the mean over 8 images of one worker. The images are read once
// before, so that nothing is waited for but memory.
//                                            tests/validate/input_bench/decode_test.cpp

#include "microbench/timing/series.h"
#include "validate/data/images/image_set.h"

namespace oracle {

/// Seconds an image, of all workers; each of them goes on until it meets the rule.
Series measure_decoding(const ImageSet& images, int workers, const StopRule& rule);

}  // namespace oracle
