/* The request of a scan. */
#ifndef SCANTUNE_SCAN_H
#define SCANTUNE_SCAN_H

#include "scantune/requests.h"

typedef enum scantune_kind { SCANTUNE_INCLUSIVE = 0, SCANTUNE_EXCLUSIVE = 1 } scantune_kind;

/* The order in which a scan combines items. In reverse, result i combines items n - 1 down to i, in that order; of rows
 * or columns, those of its own. */
typedef enum scantune_direction { SCANTUNE_FORWARD = 0, SCANTUNE_REVERSE = 1 } scantune_direction;

/* A scan of SCANTUNE_INPUT into SCANTUNE_OUTPUT, of n items each; in place if they are equal. Of no items it does
 * nothing. Start from SCANTUNE_SCAN_REQUEST_INIT. */
typedef struct scantune_scan_request {
  scantune_head head;
  scantune_type input_type; /* of items, which must be named */
  scantune_type
      accumulator_type;      /* in which they are combined: SCANTUNE_DEFAULT_TYPE is that of scantune_accumulator() */
  scantune_type output_type; /* of results, which must be named */
  uint32_t custom_bytes;     /* size of SCANTUNE_CUSTOM_TYPE: 1 to 32, a multiple of custom_alignment; else 0 */
  uint32_t custom_alignment; /* alignment of SCANTUNE_CUSTOM_TYPE: 1, 2, 4, 8 or 16; else 0 */
  scantune_operator op;
  const scantune_function* combine; /* the operator where op is SCANTUNE_CUSTOM, else NULL */
  scantune_kind kind;
  scantune_direction direction;
  scantune_segments segments;
  scantune_type n_type; /* of *device_n: an integer of 4 or 8 bytes; SCANTUNE_DEFAULT_TYPE is SCANTUNE_U64, and all
                           that scans without one take */
  uint64_t rows;        /* how many rows n items are, each of n / rows items; 0 unless segments is SCANTUNE_ROWS */
  uint64_t columns;     /* how many columns, likewise; 0 unless segments is SCANTUNE_COLUMNS */
  /* Rows at any place: item i of row r of plane p is at input + p * plane_stride + r * row_stride +
   * i * item_stride, in items, which may be negative. Only with SCANTUNE_ROWS; rows are those of all planes. 0 stands
   * for what is dense: planes 1, item_stride 1, row_stride |item_stride| * length, plane_stride the greater one of
   * |item_stride| * length and |row_stride| * rows of a plane. An output stride of 0 is the input's. Results must not
   * overlap. */
  uint64_t planes;
  int64_t row_stride;
  int64_t item_stride;
  int64_t plane_stride;
  int64_t out_row_stride;
  int64_t out_item_stride;
  int64_t out_plane_stride;
  /* Maps of items on their way in and of results on their way out; NULL: they convert as in C. With a load, input and
   * accumulator may be of any two types, and with a store accumulator and output. Maps that take an index cannot be
   * combined with strides. */
  const scantune_function* load;
  const scantune_function* store;
  /* An accumulator combined before the first item, in memory of the host or of the device; at most one of the three.
   * device_init is read when the scan runs, in the stream's order, and must lie outside the output; device_inits has
   * one for each row or column, in their order. Without any an exclusive scan starts from the operator's identity,
   * which leaves every item as it is: for SCANTUNE_MIN the greatest value of the input type, or of an accumulator that
   * does not hold all of them; for SCANTUNE_MAX the least. */
  const void* init;
  const void* device_init;
  const void* device_inits;
  /* How many items there are, in memory of the device, for scans without segments; NULL: n. It is read when the scan
   * runs, in the stream's order, so it may change between replays of one graph. It must lie outside the output. If it
   * is more than n, or negative, the first n items are scanned; nothing is written after those that are. Where n is 0
   * nothing runs, and device_clamped is not written. */
  const void* device_n;
  uint32_t* device_clamped; /* where the scan writes 1 if *device_n is more than n, and else 0; or NULL */
} scantune_scan_request;

/* clang-format off */
#define SCANTUNE_SCAN_REQUEST_INIT                                                                                    \
  {SCANTUNE_HEAD_INIT(SCANTUNE_SCAN, scantune_scan_request, 4), SCANTUNE_DEFAULT_TYPE, SCANTUNE_DEFAULT_TYPE,         \
   SCANTUNE_DEFAULT_TYPE, 0, 0, SCANTUNE_SUM, NULL, SCANTUNE_INCLUSIVE, SCANTUNE_FORWARD, SCANTUNE_NO_SEGMENTS,       \
   SCANTUNE_DEFAULT_TYPE, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL}
/* clang-format on */

#endif
