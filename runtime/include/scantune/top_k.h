/* The request of a top-k. */
#ifndef SCANTUNE_TOP_K_H
#define SCANTUNE_TOP_K_H

#include "scantune/requests.h"

/* The order of the results of a top-k. */
typedef enum scantune_result_order {
  SCANTUNE_RESULTS_BY_KEY = 0,  /* as a sort gives them: equal keys by their indices */
  SCANTUNE_RESULTS_BY_INDEX = 1 /* as they are in the input */
} scantune_result_order;

/* The place of NaNs among floating-point keys. */
typedef enum scantune_nan_order {
  SCANTUNE_NAN_TOTAL_ORDER = 0, /* that of a sort */
  SCANTUNE_NAN_LAST = 1         /* after all numbers in both orders, and among themselves by their indices */
} scantune_nan_order;

/* The k keys that come first of n keys, or of each row or segment of keys, in the order that a sort gives them: the
 * greatest with SCANTUNE_DESCENDING, the default, and the least with SCANTUNE_ASCENDING. Of equal keys, those of the
 * lowest indices come first, so equal inputs have equal results. Floating-point numbers have the order that
 * scantune_sort_request describes, by which a positive NaN comes after +infinity, or have their NaNs last, by
 * nan_order. Results have the bits of the input. Start from SCANTUNE_TOP_K_REQUEST_INIT.
 *
 * SCANTUNE_INPUT: n keys. SCANTUNE_OUTPUT: the k results, or with SCANTUNE_SORTED_INDICES their input indices; with
 * rows or segments, the results of number r begin at k * r. Further arrays: n SCANTUNE_VALUES and as many
 * SCANTUNE_VALUES_OUTPUT as results with SCANTUNE_SORTED_PAIRS, and as many SCANTUNE_INDICES with
 * SCANTUNE_SORTED_KEYS_AND_INDICES. Outputs must not overlap inputs. The input stays as it is.
 *
 * With SCANTUNE_BY_OFFSETS, SCANTUNE_BEGINS and SCANTUNE_ENDS say where segments are, as in scantune_reduce_request.
 * Indices count from the start of a segment. A segment of fewer than k keys has as many results as keys, and the places
 * after these are not written. n is then at most 2^31. */
typedef struct scantune_top_k_request {
  scantune_head head;
  scantune_type input_type;  /* of the keys, a number */
  scantune_type value_type;  /* type of the values with SCANTUNE_SORTED_PAIRS; else SCANTUNE_DEFAULT_TYPE */
  uint32_t custom_bytes;     /* size of SCANTUNE_CUSTOM_TYPE: 1 to 32, a multiple of custom_alignment; else 0 */
  uint32_t custom_alignment; /* alignment of SCANTUNE_CUSTOM_TYPE: 1, 2, 4, 8 or 16; else 0 */
  scantune_sorted sorted;    /* what is written */
  scantune_order order;
  scantune_result_order result_order;
  scantune_segments segments; /* SCANTUNE_ROWS, SCANTUNE_BY_OFFSETS: the first k of each row or segment */
  scantune_type index_type; /* type of indices: an integer of 4 or 8 bytes, by default SCANTUNE_U64; without indices the
                               default is all that is allowed */
  scantune_nan_order nan_order; /* of floating-point keys; integers have the default */
  uint64_t rows;                /* number of rows, each of n / rows keys; 0 unless segments is SCANTUNE_ROWS */
  uint64_t k;                   /* results, of each row or segment: at least 1, at most the keys of a row, and no more
                                   than one CTA can put in order, which docs/top-k.md says; 0 if n is 0, but not by
                                   offsets; not checked if there are 0 rows */
  /* How many of the k results to write, of each row or segment, in device memory; NULL: k. It is read when the top-k
   * runs, in stream order, so it may change between replays of a graph. It must be outside the outputs. If it is
   * greater than k or negative, there are k. The places after the results are not written, and those of row or segment
   * r begin at k * r as ever. */
  const void* device_k;
  scantune_type k_type; /* type of *device_k: an integer of 4 or 8 bytes, by default SCANTUNE_U64; without device_k the
                           default is all that is allowed */
  uint32_t spare;       /* reserved; must be 0 */
  /* Of SCANTUNE_BY_OFFSETS, as in scantune_reduce_request; else all are 0. */
  scantune_type offset_type;
  scantune_offset_form offset_form;
  uint64_t segment_count;
  const void* device_segment_count;
  scantune_type segment_count_type;
  uint32_t check;
} scantune_top_k_request;

/* clang-format off */
#define SCANTUNE_TOP_K_REQUEST_INIT                                                                                   \
  {SCANTUNE_HEAD_INIT(SCANTUNE_TOP_K, scantune_top_k_request, 1), SCANTUNE_DEFAULT_TYPE, SCANTUNE_DEFAULT_TYPE, 0, 0, \
   SCANTUNE_SORTED_KEYS, SCANTUNE_DESCENDING, SCANTUNE_RESULTS_BY_KEY, SCANTUNE_NO_SEGMENTS, SCANTUNE_DEFAULT_TYPE,   \
   SCANTUNE_NAN_TOTAL_ORDER, 0, 0, NULL, SCANTUNE_DEFAULT_TYPE, 0, SCANTUNE_DEFAULT_TYPE, SCANTUNE_BOUNDS, 0, NULL,  \
   SCANTUNE_DEFAULT_TYPE, 0}
/* clang-format on */

#endif
