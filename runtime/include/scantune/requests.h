/* What is asked for: a struct for each algorithm, which begins with one head, and the arrays that it works on. */
#ifndef SCANTUNE_REQUESTS_H
#define SCANTUNE_REQUESTS_H

#include "scantune/function.h"
#include "scantune/types.h"

typedef enum scantune_algorithm {
  SCANTUNE_SCAN = 1,
  SCANTUNE_REDUCE = 2,
  SCANTUNE_SELECT = 3,
  SCANTUNE_LOAD_BALANCE = 4,
  SCANTUNE_SORT = 5
} scantune_algorithm;

/* Each algorithm: what its request, scantune_NAME_request, is named after, its number, and the last member of the
 * request in the header that first had it. */
#define SCANTUNE_ALGORITHMS(each)                                                                      \
  each(scan, SCANTUNE_SCAN, device_clamped) each(reduce, SCANTUNE_REDUCE, device_init)                 \
      each(select, SCANTUNE_SELECT, function) each(load_balance, SCANTUNE_LOAD_BALANCE, segment_count) \
          each(sort, SCANTUNE_SORT, rows)

/* Numbers from 1 on are kept for later. */
typedef enum scantune_device {
  SCANTUNE_CURRENT_GPU = 0, /* of the thread's context; the host device where the variable SCANTUNE_DEVICE is host */
  SCANTUNE_HOST_DEVICE = -1 /* runs the kernels on the CPU, at once, and ignores streams */
} scantune_device;

/* The beginning of every request, which the request's _INIT macro fills: algorithm and struct_bytes must not be
 * changed. A request grows at its end, by members whose default is 0. A program that was compiled with an older header
 * is served with the defaults of what that lacks. One that was compiled with a newer header is served as long as all
 * that this library does not know is 0, and the request has at most 512 bytes. No function keeps a pointer to a
 * request. */
typedef struct scantune_head {
  size_t struct_bytes; /* sizeof the request that this begins, by which the library tells versions apart */
  scantune_algorithm algorithm;
  scantune_device device;
  /* Items, of all rows or columns; with device_n the most of them. Of 0 items scans, sorts and load balances do
   * nothing, selections write a count of 0, and reductions the initial value or the identity. */
  uint64_t n;
  /* Reductions, selections, load balances and sorts always give equal bits for equal inputs on one device and config,
   * and reductions and load balances rely on no order of CTAs, whatever these two say. */
  scantune_determinism determinism;
  scantune_forward_progress forward_progress;
  scantune_latency latency;
  /* Launches of one plan that may be captured into graphs and be alive at the same time, 0 to 4096. A plan reserves a
   * workspace for each when it is made, scantune_run() when a first capture needs it. One capture more is a
   * SCANTUNE_REQUEST_ERROR. */
  int32_t captured_launches;
  /* The config that runs in place of the one that would be chosen, as JSON: {"family": "lookback", "parameters":
   * {"block_threads": 256}}. Parameters that are left out have the family's default for this request. Where it is
   * NULL, the library chooses. A config that cannot run the request is an error: no other takes its place. */
  const char* config;
  uint64_t spare[4]; /* for members to come; must be 0 */
} scantune_head;

/* clang-format off */
#define SCANTUNE_HEAD_INIT(algorithm, request, captured_launches)                                                     \
  {sizeof(request), algorithm, SCANTUNE_CURRENT_GPU, 0, SCANTUNE_UNCONSTRAINED, SCANTUNE_IN_ORDER,                    \
   SCANTUNE_BACK_TO_BACK, captured_launches, NULL, {0, 0, 0, 0}}
/* clang-format on */

/* What an array is for. Each request's header says which arrays it has. */
typedef enum scantune_role {
  SCANTUNE_INPUT = 0,
  SCANTUNE_OUTPUT = 1,
  SCANTUNE_INDICES = 2, /* the indices of the output's items in the input */
  SCANTUNE_FLAGS = 3,   /* a byte for each item */
  SCANTUNE_VALUES = 4,  /* what goes where items go */
  SCANTUNE_VALUES_OUTPUT = 5,
  SCANTUNE_SECOND = 6,   /* the second of three parts */
  SCANTUNE_REJECTED = 7, /* the items that are not kept */
  SCANTUNE_COUNT = 8     /* how many items the output has, and of three parts the second */
} scantune_role;

#define SCANTUNE_ROLES 9

/* The arrays of a request, all of them memory of the device. What a request has must be given, and all else be NULL.
 * Outputs are written through these pointers: pointers to const are for inputs alone. */
typedef struct scantune_arrays {
  uint64_t count;                 /* how many of them are read, from the first on: the others count as NULL */
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

#endif
