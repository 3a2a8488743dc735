// Order statistics of samples.
#pragma once

#include <vector>

namespace scantune {

// The quantile of this fraction, interpolated linearly; 0.5 is the median. samples must not be empty.
double quantile(std::vector<double> samples, double fraction);

// Interquartile range over the median.
double spread(const std::vector<double>& samples);

}  // namespace scantune
