/* The request of a selection. */
#ifndef SCANTUNE_SELECT_H
#define SCANTUNE_SELECT_H

#include "scantune/requests.h"

/* What decides whether an item is kept. */
typedef enum scantune_criterion {
  SCANTUNE_LESS = 0, /* than the constant, as C++ compares numbers of the type; so the next five */
  SCANTUNE_LESS_EQUAL = 1,
  SCANTUNE_GREATER = 2,
  SCANTUNE_GREATER_EQUAL = 3,
  SCANTUNE_EQUAL = 4,
  SCANTUNE_NOT_EQUAL = 5,
  SCANTUNE_FLAGGED = 6,   /* a byte of its own, which is not 0 */
  SCANTUNE_UNIQUE = 7,    /* the item before it, from which it differs; the first item is kept */
  SCANTUNE_PREDICATE = 8, /* the request's function keep() */
  SCANTUNE_UNIQUE_BY = 9, /* the item before it, to which it is not equal by the request's function equal() */
  /* The last two tell three parts apart, of which the first are the kept items. */
  SCANTUNE_PARTS = 10, /* the request's function part() */
  SCANTUNE_AROUND = 11 /* less than the constant, equal to it, or neither */
} scantune_criterion;

/* What is written of a kept item. */
typedef enum scantune_selected {
  SCANTUNE_SELECTED_ITEMS = 0,
  SCANTUNE_SELECTED_INDICES = 1, /* its index in the input */
  SCANTUNE_SELECTED_ITEMS_AND_INDICES = 2
} scantune_selected;

/* What becomes of the other items. */
typedef enum scantune_rejected {
  SCANTUNE_DROPPED = 0,
  SCANTUNE_APART = 1, /* they are written, in their order, to an output of their own */
  SCANTUNE_BEHIND = 2 /* they are written, in their order, after the kept items, which then do not take the place of
                        the input */
} scantune_rejected;

/* A selection: which of n items are kept, and what is written of them, in the order of the input. Start from
 * SCANTUNE_SELECT_REQUEST_INIT.
 *
 * SCANTUNE_INPUT has the items, SCANTUNE_OUTPUT the kept ones, or with SCANTUNE_SELECTED_INDICES their indices in
 * the input, and SCANTUNE_COUNT how many they are; of three parts the second one's count follows it. There are also, of
 * n each, SCANTUNE_FLAGS with SCANTUNE_FLAGGED, SCANTUNE_VALUES and SCANTUNE_VALUES_OUTPUT with a value_type,
 * SCANTUNE_INDICES with SCANTUNE_SELECTED_ITEMS_AND_INDICES, SCANTUNE_REJECTED with SCANTUNE_APART, and
 * SCANTUNE_SECOND if that has three parts. Nothing is written after the items that belong there. The output may be the
 * input, but neither with SCANTUNE_BEHIND nor of three parts; all else lies apart. Nothing waits for the count. Of 0
 * items it is 0. */
typedef struct scantune_select_request {
  scantune_head head;
  scantune_type input_type;
  scantune_type value_type;  /* of a value beside each item, which is moved as it is: a number aligned to its size, or
                                for what else has 1, 2, 4 or 8 bytes an integer of as many; SCANTUNE_DEFAULT_TYPE is
                                for none */
  uint32_t custom_bytes;     /* size of SCANTUNE_CUSTOM_TYPE: 1 to 32, a multiple of custom_alignment; else 0 */
  uint32_t custom_alignment; /* alignment of SCANTUNE_CUSTOM_TYPE: 1, 2, 4, 8 or 16; else 0 */
  scantune_criterion criterion;
  scantune_selected selected;
  scantune_rejected rejected; /* SCANTUNE_DROPPED where indices or values are written, and not of three parts */
  scantune_type index_type;   /* of indices: an integer of 4 or 8 bytes; SCANTUNE_DEFAULT_TYPE is SCANTUNE_U64, and all
                                 that selections without indices take */
  scantune_type count_type;   /* of counts: an integer of 4 or 8 bytes; SCANTUNE_DEFAULT_TYPE is SCANTUNE_U64 */
  uint32_t spare;             /* must be 0 */
  const void* constant;       /* what items are compared with, an item in memory of the host; NULL for other criteria */
  const scantune_function* function; /* of SCANTUNE_PREDICATE, SCANTUNE_UNIQUE_BY and SCANTUNE_PARTS; else NULL */
} scantune_select_request;

/* clang-format off */
#define SCANTUNE_SELECT_REQUEST_INIT                                                                                  \
  {SCANTUNE_HEAD_INIT(SCANTUNE_SELECT, scantune_select_request, 4), SCANTUNE_DEFAULT_TYPE, SCANTUNE_DEFAULT_TYPE, 0,  \
   0, SCANTUNE_LESS, SCANTUNE_SELECTED_ITEMS, SCANTUNE_DROPPED, SCANTUNE_DEFAULT_TYPE, SCANTUNE_DEFAULT_TYPE, 0,      \
   NULL, NULL}
/* clang-format on */

#endif
