#pragma once
// How is a network written down so that it can be read again?
//
// As a model file (data/schema/model.schema.json) without blocks: a line for each layer, with the
// attributes its kind was asked for. Reading the text gives the same layers; what a file computes
// ("$width", "repeat", "$classes") stands there as the numbers that came out.
//
// Worked: models/resnet50.json has 16 entries; written down it has 176, one for each layer behind
// the input, and reads as 25,557,032 parameters again     tests/io/models/model_writer_test.cpp

#include <string>

#include "oracle/graph/graph.h"

namespace oracle {

/// The text of a model file, ending with a newline. Bytes of a name that are no UTF-8 are replaced.
std::string write_model(const Graph& graph);

}  // namespace oracle
