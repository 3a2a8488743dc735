// Options that several functions have, and how requests receive them.
#pragma once

#include "scantune/cxx20.hpp"
#ifdef SCANTUNE_CXX20

#include <cstdint>
#include <string>
#include <type_traits>

#include "scantune/plan.hpp"

namespace scantune::runtime {

enum class Determinism {
  unconstrained = SCANTUNE_UNCONSTRAINED,
  run_to_run = SCANTUNE_RUN_TO_RUN  // equal inputs give equal bits on every run of one device and config
};

enum class ForwardProgress {
  in_order = SCANTUNE_IN_ORDER,     // relies on CTAs starting in blockIdx order, as every library scan does
  documented = SCANTUNE_DOCUMENTED  // relies only on what the programming model guarantees
};

// A hint for choosing the config: what runs around the scan. If there are no tuning records for one, those for the
// other are used.
enum class Latency {
  back_to_back = SCANTUNE_BACK_TO_BACK,  // between other scans, which overlap it
  isolated = SCANTUNE_ISOLATED           // between kernels that end before it starts and start after it ends
};

// Rows with strides, in items, which may be negative: item i of row r of plane p is at input + p * plane_stride + r *
// row_stride + i * item_stride. Columns are rows with a row_stride of 1; planes of rows scan along any axis of an
// array. 0 means dense: item_stride 1, row_stride |item_stride| * length, plane_stride the greater of |item_stride| *
// length and |row_stride| * count. An output stride of 0 is the input's. Results of reductions are dense.
struct Rows {
  std::uint64_t count = 0;   // rows of a plane
  std::uint64_t length = 0;  // items of a row
  std::int64_t row_stride = 0, item_stride = 0;
  std::int64_t out_row_stride = 0, out_item_stride = 0;
  std::uint64_t planes = 1;
  std::int64_t plane_stride = 0, out_plane_stride = 0;
};

// How the items are divided into sequences. Each is scanned or reduced on its own, from the initial value if there is
// one.
class Segments {
 public:
  constexpr Segments() = default;  // all items are one sequence

  // Contiguous rows of `length` items each; n is count * length.
  static constexpr Segments rows(std::uint64_t count, std::uint64_t length) {
    return rows({.count = count, .length = length});
  }
  // Strided rows; n is planes * count * length.
  static constexpr Segments rows(const Rows& rows) { return {SCANTUNE_ROWS, rows}; }
  // Columns of `length` items each, side by side: items of a column are `count` items apart; n is count * length.
  static constexpr Segments columns(std::uint64_t count, std::uint64_t length) {
    return {SCANTUNE_COLUMNS, {.count = count, .length = length}};
  }

  constexpr scantune_segments kind() const { return kind_; }
  constexpr std::uint64_t count() const { return rows_.count; }
  constexpr std::uint64_t length() const { return rows_.length; }
  constexpr const Rows& placed() const { return rows_; }  // columns, too

 private:
  constexpr Segments(scantune_segments kind, const Rows& rows) : kind_(kind), rows_(rows) {}

  scantune_segments kind_ = SCANTUNE_NO_SEGMENTS;
  Rows rows_ = {};  // unused without segments
};

namespace detail {

// The config as C takes it; null if it is empty.
inline const char* checked_config(const std::string& config) {
  if (config.empty()) return nullptr;
  if (config.find('\0') != std::string::npos) throw RequestError("config holds a null character; it must be JSON");
  return config.c_str();
}

// Throws RequestError unless n is the number of items of the rows or columns. Their count and length may be 0: then
// nothing is scanned.
inline void check_segments(const Segments& segments, std::uint64_t n) {
  const std::uint64_t count = segments.count(), length = segments.length(), planes = segments.placed().planes;
  const auto fail = [&](const std::string& why) {
    throw RequestError(std::string("segments is Segments::") +
                       (segments.kind() == SCANTUNE_ROWS ? "rows(" : "columns(") + std::to_string(count) + ", " +
                       std::to_string(length) + (planes == 1 ? ")" : "), in " + std::to_string(planes) + " planes") +
                       ", " + why);
  };
  if ((count != 0 && length > UINT64_MAX / count) || (count * length != 0 && planes > UINT64_MAX / (count * length)))
    fail("which are 2^64 items or more: pass fewer or shorter ones");
  if (planes * count * length != n)
    fail("which are " + std::to_string(planes * count * length) + " items, and n is " + std::to_string(n) +
         ": n must be " + (planes == 1 ? "" : "planes * ") + "count * length");
}

// Throws RequestError if output strides are given for results that are always dense.
inline void check_no_output_strides(const Rows& rows) {
  const auto refuse = [](const char* name, std::int64_t stride) {
    if (stride != 0)
      throw RequestError(std::string(name) + " is " + std::to_string(stride) +
                         "; the results of a reduction are dense: leave it at 0");
  };
  refuse("out_row_stride", rows.out_row_stride);
  refuse("out_item_stride", rows.out_item_stride);
  refuse("out_plane_stride", rows.out_plane_stride);
}

// Copies the options to a request's head, which points into them.
template <class Options>
void take_options(scantune_head& head, std::uint64_t n, const Options& options) {
  head.n = n;
  if constexpr (requires { options.determinism; })
    head.determinism = static_cast<scantune_determinism>(options.determinism);
  if constexpr (requires { options.forward_progress; })
    head.forward_progress = static_cast<scantune_forward_progress>(options.forward_progress);
  head.latency = static_cast<scantune_latency>(options.latency);
  if constexpr (requires { options.captured_launches; }) head.captured_launches = options.captured_launches;
  head.device = static_cast<scantune_device>(options.device);
  head.config = checked_config(options.config);
}

// Sets the rows or columns of a request.
template <class Request>
void take_segments(Request& request, std::uint64_t n, const Segments& segments) {
  request.segments = segments.kind();
  if (request.segments == SCANTUNE_NO_SEGMENTS) return;
  check_segments(segments, n);
  const Rows& placed = segments.placed();
  if (request.segments == SCANTUNE_ROWS) request.rows = placed.planes * placed.count;
  if constexpr (requires { request.columns; }) {
    if (request.segments == SCANTUNE_COLUMNS) request.columns = segments.count();
    request.planes = placed.planes == 1 ? 0 : placed.planes;
    request.row_stride = placed.row_stride;
    request.item_stride = placed.item_stride;
    request.plane_stride = placed.plane_stride;
  }
  if constexpr (requires { request.out_row_stride; }) {
    request.out_row_stride = placed.out_row_stride;
    request.out_item_stride = placed.out_item_stride;
    request.out_plane_stride = placed.out_plane_stride;
  }
}

// Sets the size and alignment of a struct.
template <class T, class Request>
void take_struct(Request& request) {
  request.custom_bytes = sizeof(T);
  request.custom_alignment = alignof(T);
}

}  // namespace detail

}  // namespace scantune::runtime

#endif
