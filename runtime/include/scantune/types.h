/* Statuses, types, and choices that several requests have. */
#ifndef SCANTUNE_TYPES_H
#define SCANTUNE_TYPES_H

#include <stddef.h>
#include <stdint.h>

/* More may be added: treat an unknown status as SCANTUNE_INTERNAL_ERROR. */
typedef enum scantune_status {
  SCANTUNE_OK = 0,
  SCANTUNE_REQUEST_ERROR = 1,  /* an argument is wrong, or no kernel solves the problem */
  SCANTUNE_COMPILE_ERROR = 2,  /* a kernel did not compile; the message has the compiler's whole log */
  SCANTUNE_DEVICE_ERROR = 3,   /* no device, no driver, or a failed call of the driver */
  SCANTUNE_OUT_OF_MEMORY = 4,  /* the device has too little free memory */
  SCANTUNE_DATABASE_ERROR = 5, /* a tuning database cannot be read */
  SCANTUNE_INTERNAL_ERROR = 6  /* anything else, such as too little host memory */
} scantune_status;

typedef enum scantune_type {
  SCANTUNE_DEFAULT_TYPE = 0, /* no type, or the member's default, such as SCANTUNE_U64 */
  SCANTUNE_I8 = 1,
  SCANTUNE_I16 = 2,
  SCANTUNE_I32 = 3,
  SCANTUNE_I64 = 4,
  SCANTUNE_U8 = 5,
  SCANTUNE_U16 = 6,
  SCANTUNE_U32 = 7,
  SCANTUNE_U64 = 8,
  SCANTUNE_F16 = 9,
  SCANTUNE_BF16 = 10,
  SCANTUNE_F32 = 11,
  SCANTUNE_F64 = 12,
  SCANTUNE_CUSTOM_TYPE = 13 /* the caller's struct, of custom_bytes and custom_alignment: one per request */
} scantune_type;

typedef enum scantune_operator {
  SCANTUNE_SUM = 0,     /* integers wrap */
  SCANTUNE_PRODUCT = 1, /* integers wrap */
  SCANTUNE_MIN = 2,     /* NaN propagates, -0 orders below +0 */
  SCANTUNE_MAX = 3,     /* like SCANTUNE_MIN */
  SCANTUNE_AND = 4,     /* this and the next two: integers only */
  SCANTUNE_OR = 5,
  SCANTUNE_XOR = 6,
  SCANTUNE_CUSTOM = 7 /* the request's function `combine` */
} scantune_operator;

typedef enum scantune_determinism {
  SCANTUNE_UNCONSTRAINED = 0,
  SCANTUNE_RUN_TO_RUN = 1 /* equal inputs give equal bits on every run of one device and config */
} scantune_determinism;

typedef enum scantune_forward_progress {
  SCANTUNE_IN_ORDER = 0,  /* relies on CTAs starting in blockIdx order, as every library scan does */
  SCANTUNE_DOCUMENTED = 1 /* relies only on what the programming model guarantees */
} scantune_forward_progress;

/* A hint for choosing the config: what runs around the scan. Tuning records of one are not used for the other. */
typedef enum scantune_latency {
  SCANTUNE_BACK_TO_BACK = 0, /* between other scans, which overlap it */
  SCANTUNE_ISOLATED = 1      /* between kernels that end before it starts and start after it ends */
} scantune_latency;

/* How the items are divided into sequences. Each is scanned or reduced on its own, from the initial value if there is
 * one. */
typedef enum scantune_segments {
  SCANTUNE_NO_SEGMENTS = 0, /* all items are one sequence */
  SCANTUNE_ROWS = 1,        /* rows of equal length, contiguous unless they have strides */
  SCANTUNE_COLUMNS = 2,     /* columns of equal length, side by side: item i is in column i % columns */
  /* Segments of any length. The first begins at item 0, and one at each item */
  SCANTUNE_BY_FLAGS = 3,  /* whose byte in SCANTUNE_FLAGS is not 0 */
  SCANTUNE_BY_BITS = 4,   /* whose bit is set: bit i % 32 of word i / 32 in SCANTUNE_FLAGS */
  SCANTUNE_BY_KEYS = 5,   /* whose key in SCANTUNE_KEYS differs from that of the item before it */
  SCANTUNE_BY_OFFSETS = 6 /* or each is where SCANTUNE_BEGINS and SCANTUNE_ENDS say */
} scantune_segments;

/* How offsets describe segments. */
typedef enum scantune_offset_form {
  SCANTUNE_BOUNDS = 0,         /* segment s is [begins[s], begins[s + 1]): one more offset than segments */
  SCANTUNE_BEGINS_AND_ENDS = 1 /* segment s is [begins[s], ends[s]), with SCANTUNE_ENDS */
} scantune_offset_form;

/* Which key of a sort, or of a top-k, comes first. Equal keys keep their order either way. */
typedef enum scantune_order { SCANTUNE_ASCENDING = 0, SCANTUNE_DESCENDING = 1 } scantune_order;

/* What a sort or a top-k writes, in the order of the keys. */
typedef enum scantune_sorted {
  SCANTUNE_SORTED_KEYS = 0,
  SCANTUNE_SORTED_PAIRS = 1,           /* the keys, and the value of each */
  SCANTUNE_SORTED_INDICES = 2,         /* the input index of each key, within its row or segment if there are such */
  SCANTUNE_SORTED_KEYS_AND_INDICES = 3 /* both, to two outputs */
} scantune_sorted;

#endif
