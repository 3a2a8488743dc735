/* A function that the caller writes in CUDA C++. It is compiled with the kernel. */
#ifndef SCANTUNE_FUNCTION_H
#define SCANTUNE_FUNCTION_H

#include "scantune/types.h"

/* The role of a function, and what its source defines at global scope. Value is the accumulator in combine() and
 * less(), the key of a sort in less(), float for a half-precision one, the item or flag type in the functions of a
 * selection, the type of the keys in equal() of a scan, the input type in load() and the accumulator in store(). Result
 * is the accumulator in load() and the output type in store(). In maps of a selection the accumulator is its item_type.
 */
typedef enum scantune_function_role {
  SCANTUNE_FUNCTION_COMBINE = 1,     /* Value combine(Value earlier, Value later): associative, need not commute */
  SCANTUNE_FUNCTION_MAP = 2,         /* Result load(Value item), or Result store(Value result) */
  SCANTUNE_FUNCTION_MAP_INDEXED = 3, /* the same, with unsigned long long index */
  SCANTUNE_FUNCTION_GENERATE = 4,    /* Result load(unsigned long long index): there is no input */
  SCANTUNE_FUNCTION_WRITE = 5,       /* void store(Value result, unsigned long long index): there is no output */
  SCANTUNE_FUNCTION_KEEP = 6,        /* bool keep(Value item): whether a selection keeps it */
  SCANTUNE_FUNCTION_EQUAL = 7,       /* bool equal(Value before, Value item) */
  SCANTUNE_FUNCTION_PART = 8,        /* int part(Value item): 0, 1, or anything else for the third part */
  SCANTUNE_FUNCTION_LESS = 9         /* bool less(Value a, Value b): a strict weak order */
} scantune_function_role;

/* What one combination costs. Operators without a name share tuning records if cost and value size agree. */
typedef enum scantune_cost {
  SCANTUNE_MODERATE = 0, /* a few multiplications and additions for each 4 bytes of a value */
  SCANTUNE_CHEAP = 1,    /* about one instruction for each 4 bytes */
  SCANTUNE_EXPENSIVE = 2 /* tens of instructions */
} scantune_cost;

/* A __device__ function of one role. Built-in types Value and Result are already declared; in maps, and among keys, a
 * half-precision number is a float. The source defines a struct type itself, under that name or by an alias (using
 * Value = ...): trivially copyable, with the size and alignment that the request gives. The source may define more; its
 * macros do not reach the kernels. It cannot include files, because the kernel cache knows this text alone: anything
 * that might read a file is refused before compilation (docs/tuning.md has the list). Paste the file's text instead. An
 * error in the source is a SCANTUNE_COMPILE_ERROR, whose log counts the lines of this text as operator.cu, load.cu,
 * store.cu, keep.cu, equal.cu, part.cu or less.cu. The source is code: accept it only from people whom you trust.
 *
 * A function with a state takes a State as its last argument. The source defines struct State: trivially copyable, of
 * state_bytes bytes, aligned to at most 16. Every call passes the bytes of its state, so a new state needs no new
 * kernel. combine() must be associative for every state.
 *
 * The index of an item is its position in the array; the index of a reduction's result is its row or column. A map is
 * called only for items that exist, in any order; a load may be called more than once for an item. So may a function of
 * a selection, and equal() of a scan, which must return the same answer each time. If it does not, the results are
 * wrong, but nothing is written outside the arrays.
 *
 * Start from SCANTUNE_FUNCTION_INIT, or from zeroes with struct_bytes and role set. */
typedef struct scantune_function {
  size_t struct_bytes; /* sizeof(scantune_function): tells the library which version this is */
  scantune_function_role role;
  uint32_t state_bytes; /* size of *state: 1 to 32; 0 without a state */
  const char* source;
  const void* state; /* the source's State, in host memory; NULL without a state */
  /* The rest applies to SCANTUNE_FUNCTION_COMBINE only. */
  const void* identity; /* an accumulator x with combine(x, y) = y, or NULL. Exclusive scans and reductions without init
                           start from it. Without init an exclusive scan needs it, and so does a reduction of n = 0 */
  scantune_type identity_type; /* the type of *identity: the accumulator's; SCANTUNE_DEFAULT_TYPE without an identity */
  scantune_cost cost;
  const char* name; /* the key of its tuning records: 1 to 64 letters, digits, '_', '-' and '.'; or NULL */
} scantune_function;

/* clang-format off */
#define SCANTUNE_FUNCTION_INIT                                                                                        \
  {sizeof(scantune_function), SCANTUNE_FUNCTION_COMBINE, 0, NULL, NULL, NULL, SCANTUNE_DEFAULT_TYPE, SCANTUNE_MODERATE,\
   NULL}
/* clang-format on */

#endif
