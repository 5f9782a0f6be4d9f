#pragma once
// What do the fixed and the adaptive pool share once the window is known? See pool.cpp for the
// figures.

#include "oracle/graph/attributes.h"
#include "oracle/graph/layer.h"

namespace oracle {

enum class Pooling : std::uint8_t { max, average };

Pooling read_pooling(const Attributes& attributes);

/// Fills a layer whose input and window are set.
void describe_pooling(Layer& layer, Pooling pooling);

}  // namespace oracle
