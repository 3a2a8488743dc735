/* Requests: one struct per algorithm, which begins with a scantune_head, and the arrays that it works on. */
#ifndef SCANTUNE_REQUESTS_H
#define SCANTUNE_REQUESTS_H

#include "scantune/function.h"
#include "scantune/types.h"

typedef enum scantune_algorithm {
  SCANTUNE_SCAN = 1,
  SCANTUNE_REDUCE = 2,
  SCANTUNE_SELECT = 3,
  SCANTUNE_LOAD_BALANCE = 4,
  SCANTUNE_SORT = 5,
  SCANTUNE_TOP_K = 6
} scantune_algorithm;

/* Each algorithm: the NAME of its scantune_NAME_request, its number, and the last member of the first version of that
 * request. */
#define SCANTUNE_ALGORITHMS(each)                                                                      \
  each(scan, SCANTUNE_SCAN, device_clamped) each(reduce, SCANTUNE_REDUCE, device_init)                 \
      each(select, SCANTUNE_SELECT, function) each(load_balance, SCANTUNE_LOAD_BALANCE, segment_count) \
          each(sort, SCANTUNE_SORT, rows) each(top_k, SCANTUNE_TOP_K, k)

/* Numbers from 1 up are reserved. */
typedef enum scantune_device {
  SCANTUNE_CURRENT_GPU = 0, /* of the thread's context; the host device if the variable SCANTUNE_DEVICE is host */
  SCANTUNE_HOST_DEVICE = -1 /* runs the kernels on the CPU before the call returns, and ignores streams */
} scantune_device;

/* The beginning of every request. The request's _INIT macro fills it: do not change algorithm and struct_bytes. A
 * request grows at its end, by members whose default is 0. A program compiled with an older header gets the defaults of
 * members that it does not have. A program compiled with a newer header is served if all members that this library does
 * not know are 0 and the request has at most 512 bytes. No function keeps a pointer to a request. */
typedef struct scantune_head {
  size_t struct_bytes; /* sizeof the whole request: tells the library which version this is */
  scantune_algorithm algorithm;
  scantune_device device;
  /* Number of items, over all rows or columns; with device_n an upper limit. If it is 0, scans, sorts, top-k and load
   * balances do nothing, selections write a count of 0, and reductions write the initial value or the identity. */
  uint64_t n;
  /* Reductions, selections, load balances, sorts and top-k always give equal bits for equal inputs on one device and
   * config. Reductions and load balances never rely on an order of CTAs. */
  scantune_determinism determinism;
  scantune_forward_progress forward_progress;
  scantune_latency latency;
  /* How many captured launches of one plan may be alive in graphs at the same time, 0 to 4096. Each needs a workspace:
   * a plan reserves them when it is created, scantune_run() when a first capture needs them. One more capture is a
   * SCANTUNE_REQUEST_ERROR. */
  int32_t captured_launches;
  /* The config to run, as JSON: {"family": "lookback", "parameters": {"block_threads": 256}}. Omitted parameters have
   * the family's default for this request. NULL: the library chooses. A config that cannot run the request is an error;
   * no other config is used instead. */
  const char* config;
  uint64_t spare[4]; /* reserved; must be 0 */
} scantune_head;

/* clang-format off */
#define SCANTUNE_HEAD_INIT(algorithm, request, captured_launches)                                                     \
  {sizeof(request), algorithm, SCANTUNE_CURRENT_GPU, 0, SCANTUNE_UNCONSTRAINED, SCANTUNE_IN_ORDER,                    \
   SCANTUNE_BACK_TO_BACK, captured_launches, NULL, {0, 0, 0, 0}}
/* clang-format on */

/* The role of an array. The header of each request lists the arrays that it has. */
typedef enum scantune_role {
  SCANTUNE_INPUT = 0,
  SCANTUNE_OUTPUT = 1,
  SCANTUNE_INDICES = 2, /* the input index of each output item */
  SCANTUNE_FLAGS = 3,   /* a flag per item */
  SCANTUNE_VALUES = 4,  /* values that move with the items */
  SCANTUNE_VALUES_OUTPUT = 5,
  SCANTUNE_SECOND = 6,         /* the second of three parts; the greatest items */
  SCANTUNE_REJECTED = 7,       /* items that are not kept */
  SCANTUNE_COUNT = 8,          /* how many items the output has; with three parts also the second part */
  SCANTUNE_SECOND_INDICES = 9, /* of SCANTUNE_SECOND */
  SCANTUNE_KEYS = 10,          /* a key per item; runs of equal ones are segments */
  SCANTUNE_KEYS_OUTPUT = 11,   /* the key of each segment */
  SCANTUNE_BEGINS = 12,        /* where each segment begins, and where the last one ends */
  SCANTUNE_ENDS = 13           /* the item after each segment; SCANTUNE_BEGINS has then no end of the last one */
} scantune_role;

#define SCANTUNE_ROLES 14

/* The arrays of a request, all in device memory. Set all arrays that the request has, and leave the others NULL.
 * Outputs are written through these pointers: pass a pointer to const only as an input. */
typedef struct scantune_arrays {
  uint64_t count;                 /* how many entries are read; later ones count as NULL */
  const void* of[SCANTUNE_ROLES]; /* by role */
} scantune_arrays;

/* clang-format off */
#define SCANTUNE_ARRAYS_INIT {SCANTUNE_ROLES, {NULL}}
/* clang-format on */

/* The request of each algorithm. */
#include "scantune/load_balance.h"
#include "scantune/reduce.h"
#include "scantune/scan.h"
#include "scantune/select.h"
#include "scantune/sort.h"
#include "scantune/top_k.h"

#endif
