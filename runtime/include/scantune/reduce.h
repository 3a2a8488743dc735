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

/* A reduction of SCANTUNE_INPUT, n items, to SCANTUNE_OUTPUT: one result, or one per row or column. A result combines
 * init, or else the operator's identity, with the items in order. If n is 0, it is init or the identity; a custom
 * operator without identity then needs init. Equal inputs give equal bits on every run of one device and config.
 *
 * With a position, op is SCANTUNE_MIN or SCANTUNE_MAX. If the input has a NaN, the first one is the result, or the last
 * one. A position counts from the start of its row or column. No init is allowed. A store takes the position, an
 * unsigned long long, after the value: store(Value result, unsigned long long position), and after it the index, if
 * any. No positions are written then, and one that writes by itself is not for both extremes. If n is 0, the value is
 * the identity, or with less is neither written nor stored, and the position has all bits set.
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
} scantune_reduce_request;

/* clang-format off */
#define SCANTUNE_REDUCE_REQUEST_INIT                                                                                  \
  {SCANTUNE_HEAD_INIT(SCANTUNE_REDUCE, scantune_reduce_request, 4), SCANTUNE_DEFAULT_TYPE, SCANTUNE_DEFAULT_TYPE,     \
   SCANTUNE_DEFAULT_TYPE, 0, 0, SCANTUNE_SUM, NULL, SCANTUNE_NO_POSITION, SCANTUNE_DEFAULT_TYPE,                      \
   SCANTUNE_NO_SEGMENTS, SCANTUNE_ONE_EXTREME, 0, 0, 0, 0, 0, 0, NULL, NULL, NULL, NULL, NULL}
/* clang-format on */

#endif
