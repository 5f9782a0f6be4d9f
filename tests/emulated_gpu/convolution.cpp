#include "tests/emulated_gpu/convolution.h"

namespace oracle::emulated {
namespace {

std::int64_t count(const Axes& axes) { return axes[0] * axes[1] * axes[2]; }

std::int64_t rows(const ConvolutionShape& s) { return s.channels * count(s.taps); }

/// Calls visit(place in the matrix, place in the channels of one group of one sample) for each
/// place of the matrix that is inside the input.
template <class Visit>
void for_each_place(const ConvolutionShape& s, Visit visit) {
  std::int64_t column = 0;
  for (std::int64_t row = 0; row < rows(s); ++row) {
    const std::int64_t channel = row / count(s.taps);
    const Axes tap{row / (s.taps[1] * s.taps[2]) % s.taps[0], row / s.taps[2] % s.taps[1],
                   row % s.taps[2]};
    const auto from = [&](std::size_t axis, std::int64_t o) {
      return o * s.stride[axis] + tap[axis] * s.dilation[axis] - s.pad[axis];
    };
    const auto inside = [&](std::size_t axis, std::int64_t i) { return i >= 0 && i < s.in[axis]; };
    for (std::int64_t o0 = 0; o0 < s.out[0]; ++o0) {
      const std::int64_t i0 = from(0, o0);
      for (std::int64_t o1 = 0; o1 < s.out[1]; ++o1) {
        const std::int64_t i1 = from(1, o1);
        const std::int64_t line = ((channel * s.in[0] + i0) * s.in[1] + i1) * s.in[2];
        const bool covered = inside(0, i0) && inside(1, i1);
        for (std::int64_t o2 = 0; o2 < s.out[2]; ++o2, ++column) {
          const std::int64_t i2 = from(2, o2);
          if (covered && inside(2, i2)) visit(column, line + i2);
        }
      }
    }
  }
}

/// Calls visit(first value of x, of w, of y) for each group of each sample.
template <class Visit>
void for_each_group(const ConvolutionShape& s, Visit visit) {
  for (std::int64_t n = 0; n < s.samples; ++n) {
    for (std::int64_t group = 0; group < s.groups; ++group) {
      const std::int64_t at = n * s.groups + group;
      visit(at * s.channels * count(s.in), group * s.filters * rows(s),
            at * s.filters * count(s.out));
    }
  }
}

Values matrix_of(const ConvolutionShape& s, const double* image) {
  Values matrix(static_cast<std::size_t>(rows(s) * count(s.out)));
  for_each_place(s, [&](std::int64_t to, std::int64_t from) {
    matrix[static_cast<std::size_t>(to)] = image[from];
  });
  return matrix;
}

void add_scaled(double factor, const double* from, std::int64_t length, double* to) {
  for (std::int64_t i = 0; i < length; ++i) to[i] += factor * from[i];
}

double dot(const double* a, const double* b, std::int64_t length) {
  std::array<double, 4> sums{};
  std::int64_t i = 0;
  for (; i + 4 <= length; i += 4) {
    for (std::int64_t j = 0; j < 4; ++j) sums[static_cast<std::size_t>(j)] += a[i + j] * b[i + j];
  }
  for (; i < length; ++i) sums[0] += a[i] * b[i];
  return sums[0] + sums[1] + sums[2] + sums[3];
}

}  // namespace

Values convolution_forward(const ConvolutionShape& s, const Values& x, const Values& w) {
  const std::int64_t length = count(s.out);
  Values y(static_cast<std::size_t>(s.samples * s.groups * s.filters * length));
  for_each_group(s, [&](std::int64_t at_x, std::int64_t at_w, std::int64_t at_y) {
    const Values matrix = matrix_of(s, x.data() + at_x);
    for (std::int64_t filter = 0; filter < s.filters; ++filter) {
      const double* weights = w.data() + at_w + filter * rows(s);
      double* sums = y.data() + at_y + filter * length;
      for (std::int64_t row = 0; row < rows(s); ++row) {
        add_scaled(weights[row], matrix.data() + row * length, length, sums);
      }
    }
  });
  return y;
}

Values convolution_backward_data(const ConvolutionShape& s, const Values& w, const Values& dy) {
  const std::int64_t length = count(s.out);
  Values dx(static_cast<std::size_t>(s.samples * s.groups * s.channels * count(s.in)));
  for_each_group(s, [&](std::int64_t at_x, std::int64_t at_w, std::int64_t at_y) {
    Values matrix(static_cast<std::size_t>(rows(s) * length));
    for (std::int64_t filter = 0; filter < s.filters; ++filter) {
      const double* weights = w.data() + at_w + filter * rows(s);
      const double* gradients = dy.data() + at_y + filter * length;
      for (std::int64_t row = 0; row < rows(s); ++row) {
        add_scaled(weights[row], gradients, length, matrix.data() + row * length);
      }
    }
    double* sums = dx.data() + at_x;
    for_each_place(s, [&](std::int64_t from, std::int64_t to) {
      sums[to] += matrix[static_cast<std::size_t>(from)];
    });
  });
  return dx;
}

Values convolution_backward_filter(const ConvolutionShape& s, const Values& x, const Values& dy) {
  const std::int64_t length = count(s.out);
  Values dw(static_cast<std::size_t>(s.groups * s.filters * rows(s)));
  for_each_group(s, [&](std::int64_t at_x, std::int64_t at_w, std::int64_t at_y) {
    const Values matrix = matrix_of(s, x.data() + at_x);
    for (std::int64_t filter = 0; filter < s.filters; ++filter) {
      const double* gradients = dy.data() + at_y + filter * length;
      double* sums = dw.data() + at_w + filter * rows(s);
      for (std::int64_t row = 0; row < rows(s); ++row) {
        sums[row] += dot(matrix.data() + row * length, gradients, length);
      }
    }
  });
  return dw;
}

}  // namespace oracle::emulated
