/* The request of a sort. */
#ifndef SCANTUNE_SORT_H
#define SCANTUNE_SORT_H

#include "scantune/requests.h"

/* What becomes of the input of a sort, keys and values. */
typedef enum scantune_input_use {
  SCANTUNE_KEEP_INPUT = 0,
  SCANTUNE_CONSUME_INPUT = 1 /* it may be overwritten, and holds anything after the call */
} scantune_input_use;

/* Values of end_bit that are the number of no bit. */
typedef enum scantune_end_bit {
  SCANTUNE_ALL_BITS = -1, /* up to the highest bit */
  SCANTUNE_NO_BITS = -2   /* before bit 0: no bit is compared */
} scantune_end_bit;

/* A sort of n keys, or of each row or segment of keys separately. It is stable: equal keys keep their order. By a
 * comparison of the caller's those keys are equal of which neither is less. Else integers compare as in C.
 * Floating-point numbers have a total order: -NaN < -infinity < ... < -0 < +0 < ... < +infinity < NaN, and NaNs of one
 * sign by their bits. Start from SCANTUNE_SORT_REQUEST_INIT.
 *
 * SCANTUNE_INPUT: the keys. SCANTUNE_OUTPUT: the sorted keys, or with SCANTUNE_SORTED_INDICES their input indices.
 * Further arrays of n each: SCANTUNE_VALUES and SCANTUNE_VALUES_OUTPUT with SCANTUNE_SORTED_PAIRS, and SCANTUNE_INDICES
 * with SCANTUNE_SORTED_KEYS_AND_INDICES. Arrays must not overlap: a sort is never in place. The workspace holds about
 * one more copy of the keys and of what moves with them, or two copies of keys that are not written out. With
 * SCANTUNE_CONSUME_INPUT it holds neither keys that are written out nor values, only indices and one copy of keys that
 * are not; SCANTUNE_INPUT and SCANTUNE_VALUES are written through.
 *
 * With SCANTUNE_BY_OFFSETS, SCANTUNE_BEGINS and SCANTUNE_ENDS say where segments are, and results are where their
 * items are. Segments may be empty, leave gaps and be in any order; items in gaps are neither read nor written. If
 * segments have items in common, all results are unspecified. Offsets are taken as scantune_reduce_request takes them,
 * and must not overlap the outputs, nor an input that is consumed. */
typedef struct scantune_sort_request {
  scantune_head head;
  scantune_type input_type;  /* of the keys: a number, or with `less` SCANTUNE_CUSTOM_TYPE */
  scantune_type value_type;  /* type of the values with SCANTUNE_SORTED_PAIRS; else SCANTUNE_DEFAULT_TYPE */
  uint32_t custom_bytes;     /* size of SCANTUNE_CUSTOM_TYPE: 1 to 32, a multiple of custom_alignment; else 0. Keys
                                and values that are structs are of one size */
  uint32_t custom_alignment; /* alignment of SCANTUNE_CUSTOM_TYPE: 1, 2, 4, 8 or 16; else 0 */
  scantune_sorted sorted;
  scantune_order order;
  /* The bits of a key that are compared: begin_bit to end_bit - 1, counted from the lowest bit of an unsigned number
   * that orders as the key does. That number is an unsigned key itself, a signed key with its highest bit flipped, or a
   * floating-point key with its highest bit flipped, and all others too if it is negative. An end_bit of 0 means
   * SCANTUNE_ALL_BITS, so a request of zeroes compares all bits. Where the two are equal and not 0, and where begin_bit
   * is 0 and end_bit SCANTUNE_NO_BITS, no bit is compared: keys and values are copied, and indices count from 0. */
  int32_t begin_bit;
  int32_t end_bit;
  scantune_segments segments; /* SCANTUNE_ROWS, SCANTUNE_BY_OFFSETS: each row or segment is sorted separately */
  scantune_type index_type; /* type of indices: an integer of 4 or 8 bytes, by default SCANTUNE_U64; without indices the
                               default is all that is allowed */
  uint64_t rows;            /* number of rows, each of n / rows keys; 0 unless segments is SCANTUNE_ROWS */
  scantune_input_use input_use;
  scantune_type loaded_type; /* type of SCANTUNE_VALUES, if load takes them; SCANTUNE_DEFAULT_TYPE: value_type */
  /* Makes the values, as in scantune_scan_request, of SCANTUNE_VALUES or of their indices alone; not with
   * SCANTUNE_CONSUME_INPUT. NULL: none. */
  const scantune_function* load;
  /* Of SCANTUNE_BY_OFFSETS, as in scantune_reduce_request; else all are 0. */
  scantune_type offset_type;
  scantune_offset_form offset_form;
  uint64_t segment_count;
  const void* device_segment_count;
  scantune_type segment_count_type;
  uint32_t check; /* also names the first segment, by number, that has items of another */
  /* The order of the keys, of role SCANTUNE_FUNCTION_LESS, a strict weak order, or else results are unspecified;
   * SCANTUNE_DESCENDING: a key comes first for which less(b, a) holds. NULL: their order as numbers, which structs do
   * not have. It compares whole keys, and takes neither rows, segments nor a load. */
  const scantune_function* less;
} scantune_sort_request;

/* clang-format off */
#define SCANTUNE_SORT_REQUEST_INIT                                                                                    \
  {SCANTUNE_HEAD_INIT(SCANTUNE_SORT, scantune_sort_request, 1), SCANTUNE_DEFAULT_TYPE, SCANTUNE_DEFAULT_TYPE, 0, 0,   \
   SCANTUNE_SORTED_KEYS, SCANTUNE_ASCENDING, 0, 0, SCANTUNE_NO_SEGMENTS, SCANTUNE_DEFAULT_TYPE, 0,                    \
   SCANTUNE_KEEP_INPUT, SCANTUNE_DEFAULT_TYPE, NULL, SCANTUNE_DEFAULT_TYPE, SCANTUNE_BOUNDS, 0, NULL,                 \
   SCANTUNE_DEFAULT_TYPE, 0, NULL}
/* clang-format on */

#endif
