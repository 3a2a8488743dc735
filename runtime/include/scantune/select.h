/* The request of a selection. */
#ifndef SCANTUNE_SELECT_H
#define SCANTUNE_SELECT_H

#include "scantune/requests.h"

/* Which items are kept. */
typedef enum scantune_criterion {
  SCANTUNE_LESS = 0, /* item < constant, as C++ compares numbers of the type; the next five compare likewise */
  SCANTUNE_LESS_EQUAL = 1,
  SCANTUNE_GREATER = 2,
  SCANTUNE_GREATER_EQUAL = 3,
  SCANTUNE_EQUAL = 4,
  SCANTUNE_NOT_EQUAL = 5,
  SCANTUNE_FLAGGED = 6,   /* its flag is not 0 */
  SCANTUNE_UNIQUE = 7,    /* it differs from the item before it; the first item is kept */
  SCANTUNE_PREDICATE = 8, /* the request's keep() returns true */
  SCANTUNE_UNIQUE_BY = 9, /* like SCANTUNE_UNIQUE, by the request's equal() */
  /* The last two divide the items into three parts; the first part is the kept items. */
  SCANTUNE_PARTS = 10, /* the request's part() */
  SCANTUNE_AROUND = 11 /* less than the constant, equal to it, the rest */
} scantune_criterion;

/* What the constant or the function is for. */
typedef enum scantune_subject {
  SCANTUNE_ITEM = 0,
  SCANTUNE_FLAG = 1 /* the item's flag: comparisons, keep() and part() take it instead of the item */
} scantune_subject;

/* What is written for a kept item. */
typedef enum scantune_selected {
  SCANTUNE_SELECTED_ITEMS = 0,
  SCANTUNE_SELECTED_INDICES = 1, /* its index in the input */
  SCANTUNE_SELECTED_ITEMS_AND_INDICES = 2
} scantune_selected;

/* What happens to the other items. */
typedef enum scantune_rejected {
  SCANTUNE_DROPPED = 0,
  SCANTUNE_APART = 1,          /* written in order to SCANTUNE_REJECTED */
  SCANTUNE_BEHIND = 2,         /* written in order after the kept items; the output then must not be the input */
  SCANTUNE_BEHIND_REVERSED = 3 /* the same with the last one first, which is faster; not with three parts */
} scantune_rejected;

/* A selection keeps some of n items and writes them in input order. Start from SCANTUNE_SELECT_REQUEST_INIT.
 *
 * SCANTUNE_INPUT: the items. SCANTUNE_OUTPUT: the kept ones, or with SCANTUNE_SELECTED_INDICES their input indices.
 * SCANTUNE_COUNT: how many are kept; with three parts the second part's count follows. Further arrays of n each, or of
 * fewer where the request says so: SCANTUNE_FLAGS with SCANTUNE_FLAGGED or SCANTUNE_FLAG, SCANTUNE_VALUES and
 * SCANTUNE_VALUES_OUTPUT with a value_type, SCANTUNE_INDICES with SCANTUNE_SELECTED_ITEMS_AND_INDICES,
 * SCANTUNE_REJECTED with SCANTUNE_APART, and SCANTUNE_SECOND with SCANTUNE_APART and three parts. Nothing is written
 * after the last item of an output. The output may be the input, except with SCANTUNE_SELECTED_INDICES,
 * SCANTUNE_BEHIND, SCANTUNE_BEHIND_REVERSED or three parts; all other arrays must not overlap. The host does not wait
 * for the count. If n is 0, the count is 0.
 */
typedef struct scantune_select_request {
  scantune_head head;
  scantune_type input_type;
  scantune_type value_type; /* type of a value that moves with each item; SCANTUNE_DEFAULT_TYPE: no values */
  uint32_t custom_bytes;    /* size of items of SCANTUNE_CUSTOM_TYPE: 1 to 32, a multiple of custom_alignment; else 0 */
  uint32_t custom_alignment; /* alignment of it: 1, 2, 4, 8 or 16; else 0 */
  scantune_criterion criterion;
  scantune_selected selected;
  scantune_rejected rejected; /* SCANTUNE_DROPPED if indices or values are written, another one with three parts */
  scantune_type index_type; /* type of indices: an integer of 4 or 8 bytes, by default SCANTUNE_U64; without indices the
                               default is all that is allowed */
  scantune_type count_type; /* type of counts: an integer of 4 or 8 bytes, by default SCANTUNE_U64 */
  uint32_t spare;           /* must be 0 */
  const void* constant;     /* the item or flag to compare with, in host memory; NULL for other criteria */
  const scantune_function* function; /* for SCANTUNE_PREDICATE, SCANTUNE_UNIQUE_BY and SCANTUNE_PARTS; else NULL */
  scantune_type flag_type;           /* type of flags, a number; SCANTUNE_DEFAULT_TYPE: bytes, as SCANTUNE_U8 */
  scantune_subject subject;          /* SCANTUNE_ITEM with SCANTUNE_FLAGGED, SCANTUNE_UNIQUE and SCANTUNE_UNIQUE_BY */
  uint32_t value_bytes; /* size of a value_type SCANTUNE_CUSTOM_TYPE: 1 to 32, a multiple of value_alignment; else 0 */
  uint32_t value_alignment; /* alignment of it: 1, 2, 4, 8 or 16; else 0 */
  /* How many items there is room for, in host memory; NULL: n. capacity: kept ones, in SCANTUNE_OUTPUT,
   * SCANTUNE_VALUES_OUTPUT and SCANTUNE_INDICES. second_capacity: SCANTUNE_SECOND. rejected_capacity:
   * SCANTUNE_REJECTED. Nothing is written past it, and the count tells how many there are, which may be more. Arrays
   * with room for nothing may be NULL. With SCANTUNE_BEHIND and SCANTUNE_BEHIND_REVERSED the output
   * holds n items. */
  const uint64_t* capacity;
  const uint64_t* second_capacity;
  const uint64_t* rejected_capacity;
  /* Maps, as in scantune_scan_request: load makes the items that the criterion looks at, and store what is written of
   * them, to every output of items. An indexed store is told the place in that output. With SCANTUNE_FUNCTION_GENERATE
   * there is no SCANTUNE_INPUT, with SCANTUNE_FUNCTION_WRITE no SCANTUNE_OUTPUT; the latter is not allowed with
   * SCANTUNE_APART, where it could not tell the outputs apart, and no store with SCANTUNE_SELECTED_INDICES. With maps,
   * SCANTUNE_UNIQUE and SCANTUNE_UNIQUE_BY are never in place. NULL: none. */
  const scantune_function* load;
  const scantune_function* store;
  scantune_type item_type;   /* type of items after load and before store; SCANTUNE_DEFAULT_TYPE: input_type */
  scantune_type output_type; /* type of outputs of items; SCANTUNE_DEFAULT_TYPE: item_type */
} scantune_select_request;

/* clang-format off */
#define SCANTUNE_SELECT_REQUEST_INIT                                                                                  \
  {SCANTUNE_HEAD_INIT(SCANTUNE_SELECT, scantune_select_request, 4), SCANTUNE_DEFAULT_TYPE, SCANTUNE_DEFAULT_TYPE, 0,  \
   0, SCANTUNE_LESS, SCANTUNE_SELECTED_ITEMS, SCANTUNE_DROPPED, SCANTUNE_DEFAULT_TYPE, SCANTUNE_DEFAULT_TYPE, 0,      \
   NULL, NULL, SCANTUNE_DEFAULT_TYPE, SCANTUNE_ITEM, 0, 0, NULL, NULL, NULL, NULL, NULL, SCANTUNE_DEFAULT_TYPE,       \
   SCANTUNE_DEFAULT_TYPE}
/* clang-format on */

#endif
