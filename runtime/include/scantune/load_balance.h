/* The request of a load balance. */
#ifndef SCANTUNE_LOAD_BALANCE_H
#define SCANTUNE_LOAD_BALANCE_H

#include "scantune/requests.h"

/* What a load balance writes for each item. */
typedef enum scantune_assigned {
  SCANTUNE_SEGMENT_OF = 0,       /* its segment */
  SCANTUNE_RANK_OF = 1,          /* its position in that segment, from 0 */
  SCANTUNE_SEGMENT_AND_RANK = 2, /* both, to two outputs */
  SCANTUNE_VALUE_OF = 3          /* the value of that segment */
} scantune_assigned;

/* A load balance finds the segment of each of n items. Segment s has the items offsets[s] to offsets[s + 1] - 1. Start
 * from SCANTUNE_LOAD_BALANCE_REQUEST_INIT.
 *
 * SCANTUNE_INPUT: segment_count + 1 offsets, ascending from 0 to n. The host does not read them. Invalid offsets give
 * wrong results, but nothing outside these arrays is touched. SCANTUNE_OUTPUT: one result per item, as `assigned` says.
 * With SCANTUNE_SEGMENT_AND_RANK it receives the segments, and SCANTUNE_INDICES the ranks. With SCANTUNE_VALUE_OF,
 * SCANTUNE_VALUES has one value per segment. An output overlaps no other array. No workspace is needed; a check of the
 * offsets uses one of the library's. */
typedef struct scantune_load_balance_request {
  scantune_head head;
  scantune_type input_type;  /* type of the offsets: an integer of 4 or 8 bytes */
  scantune_type output_type; /* type of segments and ranks: an integer of 4 or 8 bytes, by default SCANTUNE_U64; with
                                SCANTUNE_VALUE_OF the type of the values, without a default */
  uint32_t custom_bytes;     /* size of SCANTUNE_CUSTOM_TYPE: 1 to 32, a multiple of custom_alignment; else 0 */
  uint32_t custom_alignment; /* alignment of SCANTUNE_CUSTOM_TYPE: 1, 2, 4, 8 or 16; else 0 */
  scantune_assigned assigned;
  uint32_t check;         /* 1: check the offsets first, and wait for the stream. The first invalid offset is a
                             SCANTUNE_REQUEST_ERROR that names it. Refused while the stream is captured */
  uint64_t segment_count; /* number of segments; a segment may be empty */
} scantune_load_balance_request;

/* clang-format off */
#define SCANTUNE_LOAD_BALANCE_REQUEST_INIT                                                                            \
  {SCANTUNE_HEAD_INIT(SCANTUNE_LOAD_BALANCE, scantune_load_balance_request, 0), SCANTUNE_DEFAULT_TYPE,                \
   SCANTUNE_DEFAULT_TYPE, 0, 0, SCANTUNE_SEGMENT_OF, 0, 0}
/* clang-format on */

#endif
