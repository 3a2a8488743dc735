/* The request of a load balance. */
#ifndef SCANTUNE_LOAD_BALANCE_H
#define SCANTUNE_LOAD_BALANCE_H

#include "scantune/requests.h"

/* What a load balance writes for an item. */
typedef enum scantune_assigned {
  SCANTUNE_SEGMENT_OF = 0,       /* the segment that it is in */
  SCANTUNE_RANK_OF = 1,          /* its place in that segment, from 0 on */
  SCANTUNE_SEGMENT_AND_RANK = 2, /* both, each to an output of its own */
  SCANTUNE_VALUE_OF = 3          /* the value of that segment */
} scantune_assigned;

/* A load balance: which segment each of n items is in. Segment s has the items from offsets[s] on and before
 * offsets[s + 1]. Start from SCANTUNE_LOAD_BALANCE_REQUEST_INIT.
 *
 * SCANTUNE_INPUT has segment_count + 1 offsets, ascending from 0 to n. The host does not look at them. Wrong ones give
 * wrong results, and touch no memory but these arrays. SCANTUNE_OUTPUT is what is assigned, for each item; with
 * SCANTUNE_SEGMENT_AND_RANK it is the segments, and SCANTUNE_INDICES the ranks. With SCANTUNE_VALUE_OF,
 * SCANTUNE_VALUES has a value for each segment. Outputs lie apart from all else. No workspace is needed, but for what a
 * check takes of the library's. */
typedef struct scantune_load_balance_request {
  scantune_head head;
  scantune_type input_type;  /* of offsets, an integer of 4 or 8 bytes */
  scantune_type output_type; /* of segments and ranks, an integer of 4 or 8 bytes: SCANTUNE_DEFAULT_TYPE is
                                SCANTUNE_U64; with SCANTUNE_VALUE_OF that of the values, which must be named */
  uint32_t custom_bytes;     /* size of SCANTUNE_CUSTOM_TYPE: 1 to 32, a multiple of custom_alignment; else 0 */
  uint32_t custom_alignment; /* alignment of SCANTUNE_CUSTOM_TYPE: 1, 2, 4, 8 or 16; else 0 */
  scantune_assigned assigned;
  uint32_t check;         /* 1: the offsets are checked first, which waits for the stream, and a wrong one is a
                             SCANTUNE_REQUEST_ERROR that names the first; refused while the stream is captured */
  uint64_t segment_count; /* of segments, of any lengths, 0 among them; there is one offset more */
} scantune_load_balance_request;

/* clang-format off */
#define SCANTUNE_LOAD_BALANCE_REQUEST_INIT                                                                            \
  {SCANTUNE_HEAD_INIT(SCANTUNE_LOAD_BALANCE, scantune_load_balance_request, 0), SCANTUNE_DEFAULT_TYPE,                \
   SCANTUNE_DEFAULT_TYPE, 0, 0, SCANTUNE_SEGMENT_OF, 0, 0}
/* clang-format on */

#endif
