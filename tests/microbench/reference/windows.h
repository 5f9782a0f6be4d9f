#pragma once
// Which input position does a window's element read?

#include "tests/microbench/reference/reference.h"

namespace oracle::reference {

/// Calls visit(output position, input position, element of the window) for every product of a
/// window that slides over `over` in as many steps as `steps` has; elements in padding are left
/// out.
template <class Visit>
void for_each_product(const Window& window, const Extents& over, const Extents& steps,
                      Visit visit) {
  for (std::int64_t od = 0; od < steps.depth; ++od) {
    for (std::int64_t oh = 0; oh < steps.height; ++oh) {
      for (std::int64_t ow = 0; ow < steps.width; ++ow) {
        for (std::int64_t kd = 0; kd < window.kernel[0]; ++kd) {
          for (std::int64_t kh = 0; kh < window.kernel[1]; ++kh) {
            for (std::int64_t kw = 0; kw < window.kernel[2]; ++kw) {
              const std::int64_t d =
                  od * window.stride[0] + kd * window.dilation[0] - window.pad_before[0];
              const std::int64_t h =
                  oh * window.stride[1] + kh * window.dilation[1] - window.pad_before[1];
              const std::int64_t w =
                  ow * window.stride[2] + kw * window.dilation[2] - window.pad_before[2];
              if (d < 0 || h < 0 || w < 0 || d >= over.depth || h >= over.height ||
                  w >= over.width) {
                continue;
              }
              visit((od * steps.height + oh) * steps.width + ow,
                    (d * over.height + h) * over.width + w,
                    (kd * window.kernel[1] + kh) * window.kernel[2] + kw);
            }
          }
        }
      }
    }
  }
}

}  // namespace oracle::reference
