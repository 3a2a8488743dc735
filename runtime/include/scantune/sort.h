/* The request of a sort. */
#ifndef SCANTUNE_SORT_H
#define SCANTUNE_SORT_H

#include "scantune/requests.h"

/* Which key of a sort comes first. Equal keys keep their order either way. */
typedef enum scantune_order { SCANTUNE_ASCENDING = 0, SCANTUNE_DESCENDING = 1 } scantune_order;

/* What a sort writes in the order of the keys. */
typedef enum scantune_sorted {
  SCANTUNE_SORTED_KEYS = 0,
  SCANTUNE_SORTED_PAIRS = 1,           /* the keys, and the value beside each */
  SCANTUNE_SORTED_INDICES = 2,         /* where each key stood, in its row if there are rows */
  SCANTUNE_SORTED_KEYS_AND_INDICES = 3 /* both, each to an output of its own */
} scantune_sorted;

/* A sort of n keys, or of each row of them by itself. It is stable: equal keys keep their order. Integers compare as in
 * C. Floating-point numbers have a total order: -NaN < -infinity < ... < -0 < +0 < ... < +infinity < NaN, and NaNs of
 * one sign by their bits. Start from SCANTUNE_SORT_REQUEST_INIT.
 *
 * SCANTUNE_INPUT has the keys, SCANTUNE_OUTPUT them in order, or with SCANTUNE_SORTED_INDICES where each stood. There
 * are also, of n each, SCANTUNE_VALUES and SCANTUNE_VALUES_OUTPUT with SCANTUNE_SORTED_PAIRS, and SCANTUNE_INDICES
 * with SCANTUNE_SORTED_KEYS_AND_INDICES. All arrays lie apart: no output takes the place of an input. The workspace has
 * room for about one more copy of the keys and what moves with them, or two of keys that are not put out. */
typedef struct scantune_sort_request {
  scantune_head head;
  scantune_type input_type;  /* of keys, a number; items of another kind are the values of keys that stand for them */
  scantune_type value_type;  /* of the values of SCANTUNE_SORTED_PAIRS; else SCANTUNE_DEFAULT_TYPE */
  uint32_t custom_bytes;     /* size of SCANTUNE_CUSTOM_TYPE: 1 to 32, a multiple of custom_alignment; else 0 */
  uint32_t custom_alignment; /* alignment of SCANTUNE_CUSTOM_TYPE: 1, 2, 4, 8 or 16; else 0 */
  scantune_sorted sorted;
  scantune_order order;
  /* The bits of a key that are compared: those from begin_bit on and before end_bit, counted from the lowest bit of the
   * unsigned number that stands for the key in ascending order. That is an unsigned key itself; a signed one has its
   * highest bit flipped, a floating-point number that bit, and all others if it is negative. An end_bit of 0 is after
   * the key's highest bit. */
  int32_t begin_bit;
  int32_t end_bit;
  scantune_segments segments; /* SCANTUNE_ROWS: each row is sorted by itself; columns are not sorted */
  scantune_type index_type;   /* of indices: an integer of 4 or 8 bytes; SCANTUNE_DEFAULT_TYPE is SCANTUNE_U64, and all
                                 that sorts without them take */
  uint64_t rows;              /* how many rows n keys are, each of n / rows keys; 0 unless segments is SCANTUNE_ROWS */
} scantune_sort_request;

/* clang-format off */
#define SCANTUNE_SORT_REQUEST_INIT                                                                                    \
  {SCANTUNE_HEAD_INIT(SCANTUNE_SORT, scantune_sort_request, 1), SCANTUNE_DEFAULT_TYPE, SCANTUNE_DEFAULT_TYPE, 0, 0,   \
   SCANTUNE_SORTED_KEYS, SCANTUNE_ASCENDING, 0, 0, SCANTUNE_NO_SEGMENTS, SCANTUNE_DEFAULT_TYPE, 0}
/* clang-format on */

#endif
