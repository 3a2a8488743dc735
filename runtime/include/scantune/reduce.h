/* The request of a reduction. */
#ifndef SCANTUNE_REDUCE_H
#define SCANTUNE_REDUCE_H

#include "scantune/requests.h"

/* Whether the position of a minimum or maximum is written, too. */
typedef enum scantune_position {
  SCANTUNE_NO_POSITION = 0,
  SCANTUNE_FIRST_POSITION = 1, /* to SCANTUNE_INDICES, of equal items that of the first */
  SCANTUNE_LAST_POSITION = 2   /* of the last */
} scantune_position;

/* Whether one extreme is written, as op says, or both at once. */
typedef enum scantune_extremes {
  SCANTUNE_ONE_EXTREME = 0,
  SCANTUNE_BOTH_EXTREMES = 1 /* op is SCANTUNE_MIN; the greatest goes to SCANTUNE_SECOND and SCANTUNE_SECOND_INDICES */
} scantune_extremes;

/* A reduction of SCANTUNE_INPUT, n items, to SCANTUNE_OUTPUT: one result, or one per row, column or segment. A result
 * combines init, or else the operator's identity, with the items in order. If n is 0, it is init or the identity; a
 * custom operator without identity then needs init. Equal inputs give equal bits on every run of one device and config.
 *
 * With a position, op is SCANTUNE_MIN or SCANTUNE_MAX. If the input has a NaN, the first one is the result, or the last
 * one. A position counts from the start of its row, column or segment. No init is allowed. A store takes the position,
 * an unsigned long long, after the value: store(Value result, unsigned long long position), and after it the index, if
 * any. No positions are written then, and one that writes by itself is not for both extremes. If n is 0, the value is
 * the identity, or with less is neither written nor stored, and the position has all bits set.
 *
 * With SCANTUNE_BY_OFFSETS, result s is that of segment s, wherever its items are. An empty segment yields init or the
 * identity, and what no items do with a position; a custom operator without identity needs an init. Segments may
 * overlap, leave gaps and be in any order; items in gaps are not read. The host does not read the offsets. One below 0
 * counts as 0, one above n as n, and a segment that ends before it begins is empty.
 *
 * Start from SCANTUNE_REDUCE_REQUEST_INIT. Members that scantune_scan_request has, too, mean the same. */
typedef struct scantune_reduce_request {
  scantune_head head;
  scantune_type input_type;
  scantune_type accumulator_type;
  scantune_type output_type;
  uint32_t custom_bytes;
  uint32_t custom_alignment;
  scantune_operator op;
  const scantune_function* combine;
  scantune_position position;
  scantune_type index_type; /* type of positions: an integer of 4 or 8 bytes, by default SCANTUNE_U64; without positions
                               the default is all that is allowed */
  scantune_segments segments;
  scantune_extremes extremes;
  uint64_t rows;
  uint64_t columns;
  uint64_t planes;
  int64_t row_stride;
  int64_t item_stride;
  int64_t plane_stride;
  const scantune_function* load;
  const scantune_function* store;
  const void* init;
  const void* device_init;
  /* The order of the items, for requests with a position, of role SCANTUNE_FUNCTION_LESS; NULL: by value. It takes
   * numbers and structs. If n is 0, no value is written. */
  const scantune_function* less;
  /* Of SCANTUNE_BY_OFFSETS; else all are 0. */
  scantune_type offset_type; /* type of the offsets: an integer of 4 or 8 bytes, by default SCANTUNE_I32 */
  scantune_offset_form offset_form;
  uint64_t segment_count; /* number of segments; with device_segment_count an upper limit */
  /* The number of segments, in device memory, or NULL: segment_count. It is read when the reduction runs, in stream
   * order, and must be outside the outputs. If it is greater than segment_count or negative, that many segments are
   * reduced. Nothing is written after the results. */
  const void* device_segment_count;
  const void* device_inits;         /* an initial value per segment, in place of init and device_init; or NULL */
  scantune_type segment_count_type; /* type of *device_segment_count: an integer of 4 or 8 bytes, by default
                                       SCANTUNE_U64 */
  uint32_t check;                   /* 1: check the offsets first, and wait for the stream. The first offset outside
                                       [0, n], or end before its begin, is a SCANTUNE_REQUEST_ERROR that names it.
                                       Refused while the stream is captured */
} scantune_reduce_request;

/* clang-format off */
#define SCANTUNE_REDUCE_REQUEST_INIT                                                                                  \
  {SCANTUNE_HEAD_INIT(SCANTUNE_REDUCE, scantune_reduce_request, 4), SCANTUNE_DEFAULT_TYPE, SCANTUNE_DEFAULT_TYPE,     \
   SCANTUNE_DEFAULT_TYPE, 0, 0, SCANTUNE_SUM, NULL, SCANTUNE_NO_POSITION, SCANTUNE_DEFAULT_TYPE,                      \
   SCANTUNE_NO_SEGMENTS, SCANTUNE_ONE_EXTREME, 0, 0, 0, 0, 0, 0, NULL, NULL, NULL, NULL, NULL,                        \
   SCANTUNE_DEFAULT_TYPE, SCANTUNE_BOUNDS, 0, NULL, NULL, SCANTUNE_DEFAULT_TYPE, 0}
/* clang-format on */

#endif
