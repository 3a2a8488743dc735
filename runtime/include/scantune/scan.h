/* The request of a scan. */
#ifndef SCANTUNE_SCAN_H
#define SCANTUNE_SCAN_H

#include "scantune/requests.h"

typedef enum scantune_kind { SCANTUNE_INCLUSIVE = 0, SCANTUNE_EXCLUSIVE = 1 } scantune_kind;

/* The order in which a scan combines items. In reverse, result i combines items n - 1 down to i, in that order; with
 * rows or columns, those of its own row or column. */
typedef enum scantune_direction { SCANTUNE_FORWARD = 0, SCANTUNE_REVERSE = 1 } scantune_direction;

/* What is written of segments by flags, bits or keys. */
typedef enum scantune_results {
  SCANTUNE_RESULTS = 0, /* a result for each item */
  /* The last result of each segment, one after the other, and nothing after them: a reduction of each. SCANTUNE_COUNT
   * receives their number, SCANTUNE_KEYS_OUTPUT the key of each, where there are keys; with `equal` its first one. Not
   * in place, not exclusive and not in reverse. If n is 0, the count is 0. */
  SCANTUNE_TOTALS = 1
} scantune_results;

/* A scan of SCANTUNE_INPUT into SCANTUNE_OUTPUT, n items each; in place if the two are equal. SCANTUNE_FLAGS or
 * SCANTUNE_KEYS say where segments start; they must not overlap the output. If n is 0, it does nothing. Start from
 * SCANTUNE_SCAN_REQUEST_INIT.
 *
 * With SCANTUNE_BY_OFFSETS each segment is scanned where its items are. Segments may be empty, leave gaps and be in any
 * order; items in gaps are neither read nor written. Those of several segments get unspecified results. Offsets are
 * taken as scantune_reduce_request takes them, and must not overlap the output. */
typedef struct scantune_scan_request {
  scantune_head head;
  scantune_type input_type;       /* type of the items; has no default */
  scantune_type accumulator_type; /* type in which items are combined; by default that of scantune_accumulator() */
  scantune_type output_type;      /* type of the results; has no default */
  uint32_t custom_bytes;          /* size of SCANTUNE_CUSTOM_TYPE: 1 to 32, a multiple of custom_alignment; else 0 */
  uint32_t custom_alignment;      /* alignment of SCANTUNE_CUSTOM_TYPE: 1, 2, 4, 8 or 16; else 0 */
  scantune_operator op;
  const scantune_function* combine; /* the operator if op is SCANTUNE_CUSTOM, else NULL */
  scantune_kind kind;
  scantune_direction direction;
  scantune_segments segments;
  scantune_type n_type; /* type of *device_n: an integer of 4 or 8 bytes, by default SCANTUNE_U64; without device_n the
                           default is all that is allowed */
  uint64_t rows;        /* number of rows, each of n / rows items; 0 unless segments is SCANTUNE_ROWS */
  uint64_t columns;     /* number of columns, each of n / columns items; 0 unless segments is SCANTUNE_COLUMNS */
  /* Strides of rows, in items, which may be negative; only with SCANTUNE_ROWS. Item i of row r of plane p is at input +
   * p * plane_stride + r * row_stride + i * item_stride; `rows` counts the rows of all planes. 0 means dense: planes 1,
   * item_stride 1, row_stride |item_stride| * length, plane_stride the greater of |item_stride| * length and
   * |row_stride| * rows of a plane. An output stride of 0 is the input's. Results must not overlap. */
  uint64_t planes;
  int64_t row_stride;
  int64_t item_stride;
  int64_t plane_stride;
  int64_t out_row_stride;
  int64_t out_item_stride;
  int64_t out_plane_stride;
  /* Maps: `load` makes an accumulator of each item, `store` an output of each result. NULL converts as C does. With a
   * load, input and accumulator may have any two types; with a store, accumulator and output. Maps that take an index
   * cannot be combined with strides. */
  const scantune_function* load;
  const scantune_function* store;
  /* The initial value, an accumulator that is combined before the first item; set at most one of the three. init is in
   * host memory. device_init is in device memory, outside the output, and is read when the scan runs, in stream order.
   * device_inits has one value per row, column or segment, in order, and at least one; with flags, bits or keys it is
   * refused in reverse. Without any, an exclusive scan starts from the operator's identity, which changes no item: for
   * SCANTUNE_MIN the greatest value of the input type, or of an accumulator that cannot hold all of them; for
   * SCANTUNE_MAX the least. */
  const void* init;
  const void* device_init;
  const void* device_inits;
  /* The number of items, in device memory, not for rows, columns and offsets; NULL: n. It is read when the scan runs,
   * in stream order, so it may change between replays of a graph. It must be outside the output. If it is greater than
   * n or negative, the first n items are scanned. Nothing is written after the scanned items. If n is 0, nothing runs
   * and device_clamped is not written. */
  const void* device_n;
  uint32_t* device_clamped; /* the scan writes 1 here if *device_n is greater than n, else 0; or NULL */
  /* type of the keys of SCANTUNE_BY_KEYS; else the default. Without `equal` a number: integers are equal if their bytes
   * are; a NaN equals nothing, and -0 equals +0. */
  scantune_type key_type;
  scantune_results results;
  scantune_type count_type; /* of SCANTUNE_COUNT: an integer of 4 or 8 bytes, by default SCANTUNE_U64; without totals
                               the default is all that is allowed. Kernels are faster with 4 */
  uint32_t spare;           /* reserved; must be 0 */
  const uint64_t* capacity; /* how many totals there is room for, in host memory; NULL: n. Those beyond are counted and
                               not written; of 0 their arrays may be NULL */
  /* Of SCANTUNE_BY_OFFSETS, as in scantune_reduce_request; else all are 0. */
  scantune_type offset_type;
  scantune_offset_form offset_form;
  uint64_t segment_count;
  const void* device_segment_count;
  scantune_type segment_count_type;
  uint32_t check; /* also names the first segment, by number, that has items of another */
  /* Whether a key equals the one before it in memory: a function of role SCANTUNE_FUNCTION_EQUAL. NULL compares numbers
   * by their type; structs need one. Half-precision keys are floats there. */
  const scantune_function* equal;
  uint32_t key_bytes;     /* size of keys of SCANTUNE_CUSTOM_TYPE: 1 to 32, a multiple of key_alignment; else 0 */
  uint32_t key_alignment; /* alignment of keys of SCANTUNE_CUSTOM_TYPE: 1, 2, 4, 8 or 16; else 0 */
} scantune_scan_request;

/* clang-format off */
#define SCANTUNE_SCAN_REQUEST_INIT                                                                                    \
  {SCANTUNE_HEAD_INIT(SCANTUNE_SCAN, scantune_scan_request, 4), SCANTUNE_DEFAULT_TYPE, SCANTUNE_DEFAULT_TYPE,         \
   SCANTUNE_DEFAULT_TYPE, 0, 0, SCANTUNE_SUM, NULL, SCANTUNE_INCLUSIVE, SCANTUNE_FORWARD, SCANTUNE_NO_SEGMENTS,       \
   SCANTUNE_DEFAULT_TYPE, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL,           \
   SCANTUNE_DEFAULT_TYPE, SCANTUNE_RESULTS, SCANTUNE_DEFAULT_TYPE, 0, NULL, SCANTUNE_DEFAULT_TYPE, SCANTUNE_BOUNDS,   \
   0, NULL, SCANTUNE_DEFAULT_TYPE, 0, NULL, 0, 0}
/* clang-format on */

#endif
