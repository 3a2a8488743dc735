/* A function of the caller's own, in CUDA C++ source that is compiled with the kernel. */
#ifndef SCANTUNE_FUNCTION_H
#define SCANTUNE_FUNCTION_H

#include "scantune/types.h"

/* What a function is for, and what its source defines at global scope. Value is the accumulator in combine(), the type
 * of the items in a selection's functions, the input's type in a load() and the accumulator in a store(); Result is the
 * accumulator in a load() and the output's type in a store(). */
typedef enum scantune_function_role {
  SCANTUNE_FUNCTION_COMBINE = 1,     /* Value combine(Value earlier, Value later): associative, need not commute */
  SCANTUNE_FUNCTION_MAP = 2,         /* Result load(Value item), or Result store(Value result) */
  SCANTUNE_FUNCTION_MAP_INDEXED = 3, /* the same, with unsigned long long index */
  SCANTUNE_FUNCTION_GENERATE = 4,    /* Result load(unsigned long long index): there is no input */
  SCANTUNE_FUNCTION_WRITE = 5,       /* void store(Value result, unsigned long long index): there is no output */
  SCANTUNE_FUNCTION_KEEP = 6,        /* bool keep(Value item): whether a selection keeps it */
  SCANTUNE_FUNCTION_EQUAL = 7,       /* bool equal(Value before, Value item) */
  SCANTUNE_FUNCTION_PART = 8         /* int part(Value item): 0, 1, or anything else for the third part */
} scantune_function_role;

/* What one combination costs. Operators without a name share tuning records by it and by the value's size. */
typedef enum scantune_cost {
  SCANTUNE_MODERATE = 0, /* a few multiplications and additions for each 4 bytes of a value */
  SCANTUNE_CHEAP = 1,    /* about one instruction for each 4 bytes */
  SCANTUNE_EXPENSIVE = 2 /* tens of instructions */
} scantune_cost;

/* The function of one role. All are __device__ functions. Value and Result are declared already where they are built-in
 * types, half-precision numbers as float in maps; a struct the source defines under that name (or names: using Value =
 * ...), trivially copyable, of the size and alignment that the request gives. The source may define whatever else it
 * needs, and its macros do not reach the kernels. It cannot include files: compiled kernels are kept under its text
 * alone, so whatever might read a file is refused before it is compiled (docs/tuning.md has the list); paste the file's
 * text in. A mistake in it is a SCANTUNE_COMPILE_ERROR whose log counts the lines of this text, as operator.cu,
 * load.cu, store.cu, keep.cu, equal.cu or part.cu. The source is code: take it only from people whom you trust.
 *
 * With a state the function takes a State after its other arguments, and the source defines a struct State, trivially
 * copyable, of state_bytes and aligned to at most 16. Its bytes come with every call, so another state needs no other
 * kernel. combine() is associative with each state.
 *
 * The index of an item is its place in the array, and that of a reduction's result its row or column. A map is called
 * for items that exist alone, in any order, and a load more than once for some. A function of a selection must give the
 * same answer whenever it is asked about an item: it is asked once or twice, and with another answer the results are
 * wrong, but nothing is written outside the arrays.
 *
 * Start from SCANTUNE_FUNCTION_INIT, or from zeroes but for struct_bytes and role. */
typedef struct scantune_function {
  size_t struct_bytes; /* sizeof(scantune_function), by which the library tells versions apart */
  scantune_function_role role;
  uint32_t state_bytes; /* of *state: 1 to 32; 0 if there is none */
  const char* source;
  const void* state; /* the source's State, in memory of the host; NULL if it has none */
  /* The rest is for SCANTUNE_FUNCTION_COMBINE. */
  const void* identity; /* an accumulator x with combine(x, y) = y, from which exclusive scans and reductions without
                           init start; exclusive scans and reductions of no items need it: NULL if there is none */
  scantune_type identity_type; /* the type of *identity, which must be the accumulator's; SCANTUNE_DEFAULT_TYPE if there
                                  is none */
  scantune_cost cost;
  const char* name; /* the key of its tuning records: 1 to 64 letters, digits, '_', '-' and '.'; or NULL */
} scantune_function;

/* clang-format off */
#define SCANTUNE_FUNCTION_INIT                                                                                        \
  {sizeof(scantune_function), SCANTUNE_FUNCTION_COMBINE, 0, NULL, NULL, NULL, SCANTUNE_DEFAULT_TYPE, SCANTUNE_MODERATE,\
   NULL}
/* clang-format on */

#endif
