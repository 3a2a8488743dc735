/* scantune for C and everything that can call C: prefix scans that run the kernel tuned for this GPU and this n.
 *
 *   scantune_problem problem = SCANTUNE_PROBLEM_INIT;
 *   problem.input_type = problem.output_type = SCANTUNE_I32;
 *   problem.n = n;
 *   if (scantune_scan(&problem, device_input, device_output, stream) != SCANTUNE_OK)
 *     fprintf(stderr, "%s\n", scantune_error_message());
 *
 * Every function that can fail returns a status and never throws; scantune_error_message() says what was requested,
 * what was found and what to do. After a SCANTUNE_REQUEST_ERROR nothing was launched or changed; after another error of
 * a scan of several launches the output may hold anything. All functions may be called from any thread. The rules for
 * streams, plans and graphs are in docs/concurrency.md.
 */
#ifndef SCANTUNE_H
#define SCANTUNE_H

#include <stddef.h>
#include <stdint.h>

/* The version of this header; scantune_version() tells the library's. */
#define SCANTUNE_VERSION_MAJOR 0
#define SCANTUNE_VERSION_MINOR 2
#define SCANTUNE_VERSION_PATCH 0

#if defined(__GNUC__)
#define SCANTUNE_API __attribute__((visibility("default")))
#else
#define SCANTUNE_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum scantune_status {
  SCANTUNE_OK = 0,
  SCANTUNE_REQUEST_ERROR = 1, /* an argument is wrong, or no kernel solves the problem */
  SCANTUNE_COMPILE_ERROR = 2, /* a kernel did not compile; the message holds the compiler's whole log */
  SCANTUNE_DEVICE_ERROR = 3,  /* no device, no driver, or a failed call of the driver */
  SCANTUNE_OUT_OF_MEMORY = 4, /* the device has too little free memory */
  SCANTUNE_DATABASE_ERROR = 5,
  SCANTUNE_INTERNAL_ERROR = 6 /* anything else, such as too little memory of the host */
} scantune_status;

typedef enum scantune_type {
  SCANTUNE_DEFAULT_TYPE = 0, /* an accumulator as by scantune_accumulator(), or numbers of SCANTUNE_U64 */
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
  SCANTUNE_CUSTOM_TYPE = 13 /* a struct of the caller's; input, accumulator and output at once */
} scantune_type;

typedef enum scantune_operator {
  SCANTUNE_SUM = 0,     /* integers wrap */
  SCANTUNE_PRODUCT = 1, /* integers wrap */
  SCANTUNE_MIN = 2,     /* NaN propagates, -0 orders below +0 */
  SCANTUNE_MAX = 3,     /* like SCANTUNE_MIN */
  SCANTUNE_AND = 4,     /* the last three: integers only */
  SCANTUNE_OR = 5,
  SCANTUNE_XOR = 6,
  SCANTUNE_CUSTOM = 7 /* scantune_problem.custom says which */
} scantune_operator;

typedef enum scantune_kind { SCANTUNE_INCLUSIVE = 0, SCANTUNE_EXCLUSIVE = 1 } scantune_kind;

typedef enum scantune_determinism {
  SCANTUNE_UNCONSTRAINED = 0,
  SCANTUNE_RUN_TO_RUN = 1 /* equal inputs give equal bits on every run of one device and config */
} scantune_determinism;

typedef enum scantune_forward_progress {
  SCANTUNE_IN_ORDER = 0,  /* relies on CTAs starting in blockIdx order, as every library scan does */
  SCANTUNE_DOCUMENTED = 1 /* relies only on what the programming model guarantees */
} scantune_forward_progress;

/* A hint for the choice of the config: the surroundings in which the scan is to be fast. Where one has no tuning
 * records, those of the other serve. */
typedef enum scantune_latency {
  SCANTUNE_BACK_TO_BACK = 0, /* between other scans, which overlap with it */
  SCANTUNE_ISOLATED = 1      /* between kernels that end before it starts and start after it ends */
} scantune_latency;

/* How the items are cut into sequences, each a scan or reduction of its own that begins from the initial value, if
 * there is one. */
typedef enum scantune_segments {
  SCANTUNE_NO_SEGMENTS = 0, /* all items are one sequence */
  SCANTUNE_ROWS = 1,        /* rows of equal length, one after the other in memory but where they have strides */
  SCANTUNE_COLUMNS = 2      /* columns of equal length, side by side: item i is in column i % columns */
} scantune_segments;

/* The order in which a scan combines items. In reverse each result combines its item and those behind it, from the last
 * one on; of rows or columns, those behind it in its own. */
typedef enum scantune_direction { SCANTUNE_FORWARD = 0, SCANTUNE_REVERSE = 1 } scantune_direction;

/* What one combination costs. Operators without a name share tuning records by it and by the value's size. */
typedef enum scantune_cost {
  SCANTUNE_MODERATE = 0, /* a few multiplications and additions for each 4 bytes of a value */
  SCANTUNE_CHEAP = 1,    /* about one instruction for each 4 bytes */
  SCANTUNE_EXPENSIVE = 2 /* tens of instructions */
} scantune_cost;

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
  SCANTUNE_PREDICATE = 8, /* keep() of a source of the caller's */
  SCANTUNE_UNIQUE_BY = 9, /* the item before it, to which it is not equal by equal() of a source of the caller's */
  /* The last two tell three parts apart, of which the first are the kept items. */
  SCANTUNE_PARTS = 10, /* part() of a source of the caller's: 0, 1, or anything else */
  SCANTUNE_AROUND = 11 /* less than the constant, equal to it, or neither */
} scantune_criterion;

/* What is written of a kept item. */
typedef enum scantune_selected {
  SCANTUNE_ITEMS = 0,
  SCANTUNE_INDICES = 1, /* where it stands in the input */
  SCANTUNE_ITEMS_AND_INDICES = 2
} scantune_selected;

/* What becomes of the other items. */
typedef enum scantune_rejected {
  SCANTUNE_DROPPED = 0,
  SCANTUNE_APART = 1, /* they are written, in their order, to an output of their own */
  SCANTUNE_BEHIND = 2 /* they are written, in their order, behind the kept items, which then do not take the place of
                         the input */
} scantune_rejected;

/* What a load balance writes for an item. */
typedef enum scantune_assigned {
  SCANTUNE_SEGMENT_OF = 0,       /* the segment that it is in */
  SCANTUNE_RANK_OF = 1,          /* its place in that segment, from 0 on */
  SCANTUNE_SEGMENT_AND_RANK = 2, /* both, each to an output of its own */
  SCANTUNE_VALUE_OF = 3          /* the value of that segment */
} scantune_assigned;

/* Which key of a sort comes first. Equal keys keep their order either way. */
typedef enum scantune_order { SCANTUNE_ASCENDING = 0, SCANTUNE_DESCENDING = 1 } scantune_order;

/* What a sort writes in the order of the keys. */
typedef enum scantune_sorted {
  SCANTUNE_SORTED_KEYS = 0,
  SCANTUNE_SORTED_PAIRS = 1,           /* the keys, and the value beside each */
  SCANTUNE_SORTED_INDICES = 2,         /* where each key stood, in its row if there are rows */
  SCANTUNE_SORTED_KEYS_AND_INDICES = 3 /* both, each to an output of its own */
} scantune_sorted;

/* An operator in CUDA C++ source, which is compiled with the kernel. It defines
 *     __device__ Value combine(Value earlier, Value later)
 * at global scope, associative but not necessarily commutative. Value is the accumulator: declared already when that is
 * a built-in type, else a struct that the source defines (or names: using Value = ...), trivially copyable, of the size
 * and alignment given here. The source may define whatever else it needs, and its macros do not reach the kernels. It
 * cannot include files: compiled kernels are kept under its text alone, so whatever might read a file is refused before
 * it is compiled (docs/tuning.md has the list); paste the file's text in. A mistake in it is a SCANTUNE_COMPILE_ERROR
 * whose log counts the lines of this text, as operator.cu. The source is code: take it only from people whom you trust.
 * With a state it defines combine(Value earlier, Value later, State state) and a struct State, trivially copyable, of
 * state_bytes and aligned to at most 16. Its bytes come with every call, so another state needs no other kernel; with
 * each of them combine is associative.
 * Start from SCANTUNE_CUSTOM_OPERATOR_INIT, or from zeroes but for struct_bytes. */
typedef struct scantune_custom_operator {
  size_t struct_bytes; /* sizeof(scantune_custom_operator), by which the library tells versions apart */
  const char* source;
  const void* identity; /* an accumulator x with combine(x, y) = y, from which exclusive scans and reductions without
                           init start; exclusive scans and reductions of no items need it: NULL if there is none */
  scantune_type value_type; /* the type of *identity, which must be the accumulator's */
  uint32_t value_bytes;     /* size of SCANTUNE_CUSTOM_TYPE: 1 to 32, a multiple of value_alignment; else 0 */
  uint32_t value_alignment; /* alignment of SCANTUNE_CUSTOM_TYPE: 1, 2, 4, 8 or 16; else 0 */
  scantune_cost cost;
  const char* name;     /* the key of its tuning records: letters, digits, '_', '-' and '.', at most 64; or NULL */
  const void* state;    /* the source's State, in memory of the host; NULL if it has none */
  uint32_t state_bytes; /* of *state: 1 to 32; 0 if there is none */
  uint32_t reserved;    /* not read by this version; 0 with SCANTUNE_CUSTOM_OPERATOR_INIT */
} scantune_custom_operator;

#define SCANTUNE_CUSTOM_OPERATOR_INIT \
  {sizeof(scantune_custom_operator), NULL, NULL, SCANTUNE_DEFAULT_TYPE, 0, 0, SCANTUNE_MODERATE, NULL, NULL, 0, 0}

/* What the function of a map takes, and so what lies in memory. */
typedef enum scantune_map_kind {
  SCANTUNE_MAP_ITEM = 0,      /* load(item) or store(result) */
  SCANTUNE_MAP_INDEXED = 1,   /* load(item, index) or store(result, index) */
  SCANTUNE_MAP_GENERATED = 2, /* load(index): there is no input, which is NULL */
  SCANTUNE_MAP_WRITING = 3    /* store(result, index), which writes by itself: there is no output, which is NULL */
} scantune_map_kind;

/* A map: a function in CUDA C++ source that items go through on their way in, or results on their way out. It defines
 *     __device__ Result load(Value item)       whose result is combined; Value is the input's type, Result the
 *                                              accumulator
 *     __device__ Result store(Value result)    whose result is an item of the output; Value is the accumulator, Result
 *                                              the output's type
 * or one of those above, with unsigned long long index. The index of an item is its place in the array, and that of a
 * reduction's result its row or column. Value and Result are declared already, half-precision numbers as float; a
 * struct that is not the operator's the source defines under that name. A struct State, trivially copyable, of
 * state_bytes and aligned to at most 16, may stand behind the other arguments. Its bytes come with every call, so
 * another state needs no other kernel. A function is called for items that exist alone, in any order, and that of a
 * load more than once for some. All else holds as for the source of a scantune_custom_operator; a mistake counts its
 * lines as load.cu or store.cu. Start from SCANTUNE_MAP_INIT, or from zeroes but for struct_bytes. */
typedef struct scantune_map {
  size_t struct_bytes; /* sizeof(scantune_map), by which the library tells versions apart */
  const char* source;
  scantune_map_kind kind;
  uint32_t state_bytes; /* of *state: 1 to 32; 0 if there is none */
  const void* state;    /* the source's State, in memory of the host; NULL if it has none */
} scantune_map;

#define SCANTUNE_MAP_INIT {sizeof(scantune_map), NULL, SCANTUNE_MAP_ITEM, 0, NULL}

/* Structs grow at their ends, by members whose default is 0. A program that was compiled with an older header is served
 * with the defaults of what that lacks. One that was compiled with a newer header is served as long as all that this
 * library does not know is 0, and the struct has at most 256 bytes. */

/* The problem. Set every member to its default first, with SCANTUNE_PROBLEM_INIT or scantune_problem_init(). No
 * function keeps a pointer to it. */
typedef struct scantune_problem {
  size_t struct_bytes; /* sizeof(scantune_problem): by which the library tells versions apart */
  uint64_t n;          /* items; 0 is a scan that does nothing; with device_n, the most that are scanned */
  scantune_type input_type;
  scantune_type accumulator_type;
  scantune_type output_type;
  scantune_operator op;
  scantune_kind kind;
  scantune_determinism determinism;
  scantune_forward_progress forward_progress;
  scantune_latency latency;
  /* An accumulator combined before the first item, in memory of the host or of the device; at most one of the two.
   * device_init is read when the scan runs, in the stream's order, and must lie outside the output. Without either an
   * exclusive scan starts from the operator's identity, which leaves every item as it is: for SCANTUNE_MIN the greatest
   * value of the input type, or of an accumulator that does not hold all of them; for SCANTUNE_MAX the least. */
  const void* init;
  const void* device_init;
  const scantune_custom_operator* custom; /* the operator where op is SCANTUNE_CUSTOM, else NULL */
  /* Launches of one plan that may be captured into graphs and be alive at the same time. */
  int32_t captured_launches;
  uint32_t reserved; /* not read by this version; 0 with SCANTUNE_PROBLEM_INIT */
  /* The config that runs in place of the one that would be chosen, as JSON: {"family": "lookback", "parameters":
   * {"block_threads": 256}}. Parameters that are left out have the family's default for this problem. Where it
   * is NULL, the library chooses. A config that cannot run the problem is an error: no other takes its place. */
  const char* config;
  scantune_segments segments;
  uint32_t more_reserved; /* not read by this version; 0 with SCANTUNE_PROBLEM_INIT */
  uint64_t rows;          /* how many rows n items are, each of n / rows items; 0 unless segments is SCANTUNE_ROWS */
  /* How many items there are, in memory of the device, for scans without segments; NULL: n. It is read when the scan
   * runs, in the stream's order, so it may change between replays of one graph. It must lie outside the output. If it
   * is more than n, n items are scanned. Of 0 items nothing is written. Input and output have room for n items, and
   * nothing is written behind those that are scanned. */
  const uint64_t* device_n;
  /* Where the scan writes, beside its output, 1 if *device_n is more than n, and else 0; or NULL. */
  uint32_t* device_clamped;
  /* How many columns n items are, each of n / columns items; 0 unless segments is SCANTUNE_COLUMNS. The items lie in
   * lines, one of each column: those of a column are `columns` items apart. Of rows and columns, too, n may be 0. */
  uint64_t columns;
  scantune_direction direction; /* of a scan, not with device_n */
  uint32_t last_reserved;       /* not read by this version; 0 with SCANTUNE_PROBLEM_INIT */
  /* Where rows lie that are not one behind the other, with SCANTUNE_ROWS. Strides are in items and may be negative:
   * item i of row r of plane p is at input + p * plane_stride + r * row_stride + i * item_stride, where r counts in its
   * plane. So columns are rows with a row_stride of 1. Rows are cut into as many planes, each of rows / planes rows:
   * those along any axis of an array; 0 planes are one. A stride of the input that is 0 follows from the others: an
   * item_stride is 1, a row_stride |item_stride| times the items of a row, and a plane_stride that, or |row_stride|
   * times the rows of a plane if that is more. Strides of the output that are 0 are those of the input; the results of
   * a reduction lie one behind the other. */
  int64_t row_stride;
  int64_t item_stride;
  int64_t out_row_stride;
  int64_t out_item_stride;
  uint64_t planes;
  int64_t plane_stride;
  int64_t out_plane_stride;
  /* An accumulator for each row or column of a scan, in their order, in place of init and device_init: in memory of the
   * device, outside the output, read when the scan runs. */
  const void* device_inits;
  /* Maps of items on their way in and of results on their way out; NULL: they convert as in C. With a load, input and
   * accumulator may be of any two types, and with a store accumulator and output. Maps that take an index do not go
   * with strides, and a store not with scantune_arg_reduce(). */
  const scantune_map* load;
  const scantune_map* store;
  uint32_t item_bytes;     /* size of a SCANTUNE_CUSTOM_TYPE that is the input's or the output's and not the */
  uint32_t item_alignment; /* accumulator's, and its alignment, as of a scantune_custom_operator; else 0 */
} scantune_problem;

#define SCANTUNE_PROBLEM_INIT \
  {sizeof(scantune_problem),  \
   0,                         \
   SCANTUNE_DEFAULT_TYPE,     \
   SCANTUNE_DEFAULT_TYPE,     \
   SCANTUNE_DEFAULT_TYPE,     \
   SCANTUNE_SUM,              \
   SCANTUNE_INCLUSIVE,        \
   SCANTUNE_UNCONSTRAINED,    \
   SCANTUNE_IN_ORDER,         \
   SCANTUNE_BACK_TO_BACK,     \
   NULL,                      \
   NULL,                      \
   NULL,                      \
   4,                         \
   0,                         \
   NULL,                      \
   SCANTUNE_NO_SEGMENTS,      \
   0,                         \
   0,                         \
   NULL,                      \
   NULL,                      \
   0,                         \
   SCANTUNE_FORWARD,          \
   0,                         \
   0,                         \
   0,                         \
   0,                         \
   0,                         \
   0,                         \
   0,                         \
   0,                         \
   NULL,                      \
   NULL,                      \
   NULL,                      \
   0,                         \
   0}

/* A selection: which items of an array are kept, and what is written of them. Start from SCANTUNE_SELECTION_INIT, or
 * from zeroes but for struct_bytes. No function keeps a pointer to it, nor one that it holds.
 *
 * The source of SCANTUNE_PREDICATE, SCANTUNE_UNIQUE_BY and SCANTUNE_PARTS defines, at global scope,
 *     __device__ bool keep(Value item)                or  keep(Value item, State state)
 *     __device__ bool equal(Value before, Value item) or  equal(Value before, Value item, State state)
 *     __device__ int part(Value item)                 or  part(Value item, State state)
 * Value is the type of the items: declared already when that is a built-in type, else a struct that the source defines,
 * of the size and alignment given here. State is a struct that the source defines, trivially copyable, of state_bytes
 * and aligned to at most 16. Its bytes come with every call, so another state needs no other kernel. A function must
 * give the same answer whenever it is asked about an item: it is asked once or twice, and with another answer the
 * results are wrong, but nothing is written outside the arrays. A log counts the lines of the source as keep.cu,
 * equal.cu or part.cu. All else holds as for the source of a scantune_custom_operator. */
typedef struct scantune_selection {
  size_t struct_bytes;      /* sizeof(scantune_selection), by which the library tells versions apart */
  uint64_t n;               /* items; of 0 items the count is 0 */
  scantune_type type;       /* of the items */
  uint32_t item_bytes;      /* size of SCANTUNE_CUSTOM_TYPE: 1 to 32, a multiple of item_alignment; else 0 */
  uint32_t item_alignment;  /* alignment of SCANTUNE_CUSTOM_TYPE: 1, 2, 4, 8 or 16; else 0 */
  scantune_type index_type; /* of indices: an integer of 4 or 8 bytes; SCANTUNE_DEFAULT_TYPE is SCANTUNE_U64, and all
                               that selections without indices take */
  scantune_criterion criterion;
  scantune_selected selected;
  scantune_rejected rejected; /* SCANTUNE_DROPPED with indices or values; something else of three parts */
  uint32_t value_bytes;       /* of a value beside each item, which goes where the item goes: 1, 2, 4 or 8; 0: none */
  scantune_forward_progress forward_progress;
  scantune_latency latency;
  const void* constant;      /* what items are compared with, an item in memory of the host; NULL for other criteria */
  const char* source;        /* of the criteria that have one, else NULL */
  const void* state;         /* the source's State, in memory of the host; NULL if it has none */
  uint32_t state_bytes;      /* of *state: 1 to 32; 0 if there is none */
  int32_t captured_launches; /* launches of one plan that may be captured into graphs and alive at the same time */
  const char* config;        /* as scantune_problem has one: {"family": "select_lookback"}; NULL: the library chooses */
} scantune_selection;

#define SCANTUNE_SELECTION_INIT \
  {sizeof(scantune_selection),  \
   0,                           \
   SCANTUNE_DEFAULT_TYPE,       \
   0,                           \
   0,                           \
   SCANTUNE_DEFAULT_TYPE,       \
   SCANTUNE_LESS,               \
   SCANTUNE_ITEMS,              \
   SCANTUNE_DROPPED,            \
   0,                           \
   SCANTUNE_IN_ORDER,           \
   SCANTUNE_BACK_TO_BACK,       \
   NULL,                        \
   NULL,                        \
   NULL,                        \
   0,                           \
   4,                           \
   NULL}

/* What a selection reads and writes, all of it memory of the device. Each has room for n items, and nothing is written
 * behind those that belong there. The output may be the input, but neither with SCANTUNE_BEHIND nor of three parts; all
 * else lies apart. What the selection does not have is NULL. Start from SCANTUNE_SELECTION_ARRAYS_INIT, or from zeroes
 * but for struct_bytes. */
typedef struct scantune_selection_arrays {
  size_t struct_bytes;  /* sizeof(scantune_selection_arrays) */
  const void* input;    /* the items */
  void* output;         /* the kept items, in their order; NULL with SCANTUNE_INDICES */
  uint64_t* count;      /* where the number of kept items goes; of three parts behind it that of the second */
  const uint8_t* flags; /* with SCANTUNE_FLAGGED, one for each item */
  const void* values;   /* with value_bytes, one for each item; values are aligned to their size */
  void* values_output;  /* with value_bytes, those of kept items */
  void* indices;        /* with SCANTUNE_INDICES and SCANTUNE_ITEMS_AND_INDICES, where kept items stand in the input */
  void* rejected;       /* with SCANTUNE_APART, the other items, in their order */
  void* second;         /* with SCANTUNE_APART, of three parts the second */
} scantune_selection_arrays;

#define SCANTUNE_SELECTION_ARRAYS_INIT \
  {sizeof(scantune_selection_arrays), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL}

/* A load balance: which segment each of n items is in. Segment s has the items from offsets[s] on and before
 * offsets[s + 1]. Start from SCANTUNE_BALANCE_INIT, or from zeroes but for struct_bytes. No function keeps a pointer to
 * it, nor one that it holds. */
typedef struct scantune_balance {
  size_t struct_bytes;       /* sizeof(scantune_balance), by which the library tells versions apart */
  uint64_t n;                /* items; of 0 items nothing is written */
  uint64_t segments;         /* of any lengths, 0 among them; there is one offset more */
  scantune_type offset_type; /* an integer of 4 or 8 bytes */
  scantune_assigned assigned;
  scantune_type output_type; /* of segments and ranks, an integer of 4 or 8 bytes: SCANTUNE_DEFAULT_TYPE is
                                SCANTUNE_U64; with SCANTUNE_VALUE_OF that of the values, which must be named */
  uint32_t value_bytes;      /* size of SCANTUNE_CUSTOM_TYPE: 1 to 32, a multiple of value_alignment; else 0 */
  uint32_t value_alignment;  /* alignment of SCANTUNE_CUSTOM_TYPE: 1, 2, 4, 8 or 16; else 0 */
  scantune_latency latency;
  uint32_t check;     /* 1: the offsets are checked first, which waits for the stream; refused while it is captured */
  uint32_t reserved;  /* not read by this version; 0 with SCANTUNE_BALANCE_INIT */
  const char* config; /* as scantune_problem has one: {"family": "load_balance_merge"}; NULL: the library chooses */
} scantune_balance;

#define SCANTUNE_BALANCE_INIT \
  {sizeof(scantune_balance),  \
   0,                         \
   0,                         \
   SCANTUNE_DEFAULT_TYPE,     \
   SCANTUNE_SEGMENT_OF,       \
   SCANTUNE_DEFAULT_TYPE,     \
   0,                         \
   0,                         \
   SCANTUNE_BACK_TO_BACK,     \
   0,                         \
   0,                         \
   NULL}

/* What a load balance reads and writes, all of it memory of the device. Outputs lie apart from all else. What the load
 * balance does not have is NULL. Start from SCANTUNE_BALANCE_ARRAYS_INIT, or from zeroes but for struct_bytes. */
typedef struct scantune_balance_arrays {
  size_t struct_bytes; /* sizeof(scantune_balance_arrays) */
  const void* offsets; /* segments + 1 of them, ascending from 0 to n. The host does not look at them. Wrong ones give
                          wrong results, and touch no memory but these arrays */
  const void* values;  /* with SCANTUNE_VALUE_OF, one for each segment */
  void* segment_of;    /* with SCANTUNE_SEGMENT_OF and SCANTUNE_SEGMENT_AND_RANK, one for each item */
  void* rank_of;       /* with SCANTUNE_RANK_OF and SCANTUNE_SEGMENT_AND_RANK, one for each item */
  void* output;        /* with SCANTUNE_VALUE_OF, a value for each item */
} scantune_balance_arrays;

#define SCANTUNE_BALANCE_ARRAYS_INIT {sizeof(scantune_balance_arrays), NULL, NULL, NULL, NULL, NULL}

/* A sort of n keys, or of each row of them by itself. It is stable: equal keys keep their order. Integers compare as in
 * C. Floating-point numbers have a total order: -NaN < -infinity < ... < -0 < +0 < ... < +infinity < NaN, and NaNs of
 * one sign by their bits. Start from SCANTUNE_SORTING_INIT, or from zeroes but for struct_bytes. No function keeps a
 * pointer to it, nor one that it holds. */
typedef struct scantune_sorting {
  size_t struct_bytes;      /* sizeof(scantune_sorting), by which the library tells versions apart */
  uint64_t n;               /* keys, of all rows; of 0 keys nothing is written */
  scantune_type key_type;   /* a number; items of another kind are the values of keys that stand for them */
  scantune_type value_type; /* with SCANTUNE_SORTED_PAIRS that of the values, which must be named; of indices an integer
                               of 4 or 8 bytes: SCANTUNE_DEFAULT_TYPE is SCANTUNE_U64, and all that keys alone take */
  uint32_t value_bytes;     /* size of SCANTUNE_CUSTOM_TYPE: 1 to 32, a multiple of value_alignment; else 0 */
  uint32_t value_alignment; /* alignment of SCANTUNE_CUSTOM_TYPE: 1, 2, 4, 8 or 16; else 0 */
  scantune_sorted sorted;
  scantune_order order;
  /* The bits of a key that are compared: those from begin_bit on and before end_bit, counted from the lowest bit of the
   * unsigned number that stands for the key in ascending order. That is an unsigned key itself; a signed one has its
   * highest bit flipped, a floating-point number that bit, and all others if it is negative. An end_bit of 0 is behind
   * the key's highest bit. */
  int32_t begin_bit;
  int32_t end_bit;
  scantune_segments segments; /* SCANTUNE_ROWS: each row is sorted by itself; columns are not sorted */
  scantune_forward_progress forward_progress;
  uint64_t rows; /* how many rows n keys are, each of n / rows keys; 0 unless segments is SCANTUNE_ROWS */
  scantune_latency latency;
  int32_t captured_launches; /* launches of one plan that may be captured into graphs and alive at the same time; each
                                has a workspace with room for about one more copy of the keys and what goes with them,
                                or two of keys that are not put out */
  const char* config;        /* as scantune_problem has one: {"family": "sort_block"}; NULL: the library chooses */
} scantune_sorting;

#define SCANTUNE_SORTING_INIT \
  {sizeof(scantune_sorting),  \
   0,                         \
   SCANTUNE_DEFAULT_TYPE,     \
   SCANTUNE_DEFAULT_TYPE,     \
   0,                         \
   0,                         \
   SCANTUNE_SORTED_KEYS,      \
   SCANTUNE_ASCENDING,        \
   0,                         \
   0,                         \
   SCANTUNE_NO_SEGMENTS,      \
   SCANTUNE_IN_ORDER,         \
   0,                         \
   SCANTUNE_BACK_TO_BACK,     \
   1,                         \
   NULL}

/* What a sort reads and writes, all of it memory of the device, n items each. All arrays lie apart: no output takes the
 * place of an input. What the sort does not have is NULL. Start from SCANTUNE_SORTING_ARRAYS_INIT, or from zeroes but
 * for struct_bytes. */
typedef struct scantune_sorting_arrays {
  size_t struct_bytes; /* sizeof(scantune_sorting_arrays) */
  const void* input;   /* the keys */
  void* output;        /* the keys in order; NULL with SCANTUNE_SORTED_INDICES */
  const void* values;  /* with SCANTUNE_SORTED_PAIRS, one beside each key */
  void* values_output; /* with SCANTUNE_SORTED_PAIRS, in the order of their keys */
  void* indices;       /* with SCANTUNE_SORTED_INDICES and SCANTUNE_SORTED_KEYS_AND_INDICES, where each key stood */
} scantune_sorting_arrays;

#define SCANTUNE_SORTING_ARRAYS_INIT {sizeof(scantune_sorting_arrays), NULL, NULL, NULL, NULL, NULL}

typedef struct scantune_plan scantune_plan;
typedef struct scantune_buffer scantune_buffer;
typedef void* scantune_stream; /* a cudaStream_t or CUstream; NULL is the legacy default stream */

/* The message of the last failed call of this thread; never NULL, valid until this thread's next failure. */
SCANTUNE_API const char* scantune_error_message(void);
/* The CUresult of the call of CUDA's driver that made this thread's last failed call fail; 0 if none did. The message
 * names it, too. */
SCANTUNE_API int32_t scantune_error_cuda_result(void);
SCANTUNE_API const char* scantune_version(void); /* MAJOR.MINOR.PATCH */

/* Takes the library's remarks: that nothing was tuned and the default config runs, that the kernel cache cannot be
 * written, and the like. Each is made once in a process, and is text without a newline at its end. */
typedef void (*scantune_log)(void* user, const char* remark);

/* Lets log(user, remark) take the remarks, in the place of standard error. NULL brings back standard error, which
 * SCANTUNE_LOG=quiet silences. Calls of log come from any thread, one after another. When this function returns, the
 * log before it is no longer called. A log must not throw, nor wait for a thread that may be inside a function of this
 * library; it may call the library itself. */
SCANTUNE_API void scantune_set_log(scantune_log log, void* user);

/* The accumulator that SCANTUNE_DEFAULT_TYPE stands for: the output's type, or the input's if that is wider and of the
 * same class (integer, floating-point), at least 4 bytes wide. SCANTUNE_DEFAULT_TYPE if either is no type. */
SCANTUNE_API scantune_type scantune_accumulator(scantune_type input, scantune_type output);

/* Sets every member to its default, as SCANTUNE_PROBLEM_INIT does. struct_bytes: sizeof(scantune_problem) as the caller
 * knows it; no byte beyond is touched. */
SCANTUNE_API scantune_status scantune_problem_init(scantune_problem* problem, size_t struct_bytes);

/* Scans input[0, n) into output[0, n), both in memory of the device; in place if they are equal. Checks everything
 * that can be checked, returns as soon as the work is in the stream. */
SCANTUNE_API scantune_status scantune_scan(const scantune_problem* problem, const void* input, void* output,
                                           scantune_stream stream);

/* Reduces input[0, n) to output[0], both in memory of the device: init, or the operator's identity, and every item
 * behind it. Of no items init alone is the result; an operator of the caller's without identity then needs one. The
 * problem's kind must be SCANTUNE_INCLUSIVE. Of rows each has a result of its own, output[0, rows), and of
 * columns output[0, columns). determinism and forward_progress are kept whatever is asked for: equal inputs give
 * equal bits on every run of one device and config. */
SCANTUNE_API scantune_status scantune_reduce(const scantune_problem* problem, const void* input, void* output,
                                             scantune_stream stream);
/* The minimum or maximum, as op is SCANTUNE_MIN or SCANTUNE_MAX, to output[0], and where it stands first to index[0],
 * both in memory of the device. The first NaN is the result of any input that has one. Each row or column has a
 * result of its own, whose index counts from its start. No items, or an init, is an error. */
SCANTUNE_API scantune_status scantune_arg_reduce(const scantune_problem* problem, const void* input, void* output,
                                                 uint64_t* index, scantune_stream stream);

/* Writes the kept items, where they stand, and what else the selection asks for, in the order of the input, and how
 * many they are to *arrays->count. Returns as soon as the work is in the stream: nothing waits for the count. */
SCANTUNE_API scantune_status scantune_select(const scantune_selection* selection,
                                             const scantune_selection_arrays* arrays, scantune_stream stream);

/* Writes the segment of every item, its rank there, or the value of the segment. Returns as soon as the work is in the
 * stream, unless the offsets are to be checked: then it waits for the stream, and a wrong one is a
 * SCANTUNE_REQUEST_ERROR that names the first. */
SCANTUNE_API scantune_status scantune_load_balance(const scantune_balance* balance,
                                                   const scantune_balance_arrays* arrays, scantune_stream stream);

/* Writes the keys in order, and the values beside them or where they stood, as the sort asks for. Returns as soon as
 * the work is in the stream. */
SCANTUNE_API scantune_status scantune_sort(const scantune_sorting* sorting, const scantune_sorting_arrays* arrays,
                                           scantune_stream stream);

/* A scan of exactly problem->n items, or of at most as many with device_n, ready to launch: kernels chosen, compiled
 * and loaded. The problem is copied, what init, custom, load, store and config point to as well; device_init,
 * device_inits, device_n and device_clamped are kept as pointers. Any number of threads may run one plan, or several,
 * on one stream or on many. */
SCANTUNE_API scantune_status scantune_plan_create(const scantune_problem* problem, scantune_plan** plan);
/* Runs the plan, and returns as soon as the work is in the stream. It allocates nothing once the stream has been used,
 * and may be captured into a graph. It checks what arithmetic can (NULL, alignment, overlap), but not whether the
 * memory is there. */
SCANTUNE_API scantune_status scantune_plan_run(scantune_plan* plan, const void* input, void* output,
                                               scantune_stream stream);
/* The same of reductions; what scantune_arg_reduce() does is run by scantune_plan_run_arg(). */
SCANTUNE_API scantune_status scantune_reduce_plan_create(const scantune_problem* problem, scantune_plan** plan);
SCANTUNE_API scantune_status scantune_arg_reduce_plan_create(const scantune_problem* problem, scantune_plan** plan);
SCANTUNE_API scantune_status scantune_plan_run_arg(scantune_plan* plan, const void* input, void* output,
                                                   uint64_t* index, scantune_stream stream);

/* The same of selections, of exactly selection->n items. What constant, source, state and config point to is
 * copied, so a plan keeps its state. Plans of scans and reductions are run by the functions above, and these by the one
 * below: another function refuses them. */
SCANTUNE_API scantune_status scantune_select_plan_create(const scantune_selection* selection, scantune_plan** plan);
SCANTUNE_API scantune_status scantune_plan_run_select(scantune_plan* plan, const scantune_selection_arrays* arrays,
                                                      scantune_stream stream);

/* The same of load balances, of exactly balance->n items and balance->segments segments. They need no workspace. */
SCANTUNE_API scantune_status scantune_load_balance_plan_create(const scantune_balance* balance, scantune_plan** plan);
SCANTUNE_API scantune_status scantune_plan_run_load_balance(scantune_plan* plan, const scantune_balance_arrays* arrays,
                                                            scantune_stream stream);

/* The same of sorts, of exactly sorting->n keys. */
SCANTUNE_API scantune_status scantune_sort_plan_create(const scantune_sorting* sorting, scantune_plan** plan);
SCANTUNE_API scantune_status scantune_plan_run_sort(scantune_plan* plan, const scantune_sorting_arrays* arrays,
                                                    scantune_stream stream);

/* Bytes of workspace that one run of the plan needs: 0 where it needs none, and for NULL. */
SCANTUNE_API uint64_t scantune_plan_workspace_bytes(const scantune_plan* plan);
/* What the address of a workspace must be a multiple of, in bytes; all memory that CUDA allocates is. */
#define SCANTUNE_WORKSPACE_ALIGNMENT 256
/* The same as scantune_plan_run(), scantune_plan_run_arg(), scantune_plan_run_select() and scantune_plan_run_sort(), in
 * memory of the caller's: the library allocates nothing for the run and keeps nothing for its stream, and a capture
 * takes none of captured_launches. The workspace lies on the device, apart from all that the run reads or writes, and
 * may hold anything: what has to be zero there is zeroed in the stream, before the scan. Its first
 * scantune_plan_workspace_bytes() bytes are used. It serves one run at a time: runs enqueued one after another in one
 * stream may share it, and a graph needs it at every replay. Calls from several threads with one workspace must take
 * turns. A plan that needs no workspace takes any, and NULL. */
SCANTUNE_API scantune_status scantune_plan_run_in(scantune_plan* plan, const void* input, void* output, void* workspace,
                                                  uint64_t workspace_bytes, scantune_stream stream);
SCANTUNE_API scantune_status scantune_plan_run_arg_in(scantune_plan* plan, const void* input, void* output,
                                                      uint64_t* index, void* workspace, uint64_t workspace_bytes,
                                                      scantune_stream stream);
SCANTUNE_API scantune_status scantune_plan_run_select_in(scantune_plan* plan, const scantune_selection_arrays* arrays,
                                                         void* workspace, uint64_t workspace_bytes,
                                                         scantune_stream stream);
SCANTUNE_API scantune_status scantune_plan_run_sort_in(scantune_plan* plan, const scantune_sorting_arrays* arrays,
                                                       void* workspace, uint64_t workspace_bytes,
                                                       scantune_stream stream);

/* Which config runs, from which record, and why. The text belongs to the plan; it is "" for NULL. */
SCANTUNE_API const char* scantune_plan_description(const scantune_plan* plan);
/* No call may be using the plan; its scans may still be waiting to run. NULL is fine. */
SCANTUNE_API void scantune_plan_destroy(scantune_plan* plan);

/* Functions of the program that provide the memory of workspaces, such as those of a framework's caching allocator.
 * Each is called with user, and with the number of the GPU as CUDA counts them, whose context is current; -1 is the
 * host device. They are called in functions of this library, on the thread of whoever called these, also while a stream
 * is being captured; the library holds no lock meanwhile. They must not throw, and must not call this library. */
/* Returns memory of the device, a multiple of SCANTUNE_WORKSPACE_ALIGNMENT, or NULL if there is none. It is used at
 * once on any stream: what may still be in use by work of some stream must wait for that first. */
typedef void* (*scantune_allocate)(void* user, uint64_t bytes, int32_t device);
/* Takes back memory that no work uses any more. bytes: what it was allocated with. */
typedef void (*scantune_deallocate)(void* user, void* memory, uint64_t bytes, int32_t device);

typedef struct scantune_allocator {
  size_t struct_bytes; /* sizeof(scantune_allocator) */
  scantune_allocate allocate;
  scantune_deallocate deallocate;
  void* user;
} scantune_allocator;

#define SCANTUNE_ALLOCATOR_INIT {sizeof(scantune_allocator), NULL, NULL, NULL}

/* Takes the memory of new workspaces, in the whole process, from the allocator, whose struct is copied; NULL: from the
 * driver, as without this call. Memory goes back to what it came from, so an allocator must go on taking it back after
 * another has replaced it: until scantune_trim(), once plans and graphs with captured launches are gone. A call that
 * runs meanwhile may use either. Buffers are the driver's memory. */
SCANTUNE_API scantune_status scantune_set_allocator(const scantune_allocator* allocator);

/* Gives back what is kept for a stream that is about to be destroyed. No scan may run on it or be made meanwhile. */
SCANTUNE_API scantune_status scantune_release(scantune_stream stream);

/* Gives kept memory back to the driver, or to the allocator that it came from: the workspaces of all streams, and those
 * that wait for a new owner, on every GPU. It waits for these GPUs first. No other function may be called meanwhile,
 * and no stream captured: CUDA would refuse the wait, which is an error that leaves all as it was, and break the
 * capture off. Workspaces of captured launches stay, those of graphs and those reserved by plans, until these are gone,
 * and so do loaded kernels. Later calls allocate anew. freed_bytes: where the number of bytes given back goes, or NULL.
 */
SCANTUNE_API scantune_status scantune_trim(uint64_t* freed_bytes);

/* Memory of the device that scans run on: the GPU of the current context, or the host device. */
SCANTUNE_API scantune_status scantune_buffer_create(uint64_t bytes, scantune_buffer** buffer);
/* Where the buffer's bytes lie on the device; NULL if the buffer is NULL or holds none. */
SCANTUNE_API void* scantune_buffer_data(const scantune_buffer* buffer);
/* Both copy the first bytes of the buffer. They wait for the scans on the device, so they must not be called while a
 * stream is being captured. */
SCANTUNE_API scantune_status scantune_buffer_upload(scantune_buffer* buffer, const void* source, uint64_t bytes);
SCANTUNE_API scantune_status scantune_buffer_download(const scantune_buffer* buffer, void* destination, uint64_t bytes);
/* No call may be using the buffer, and no scan its memory. NULL is fine. */
SCANTUNE_API void scantune_buffer_destroy(scantune_buffer* buffer);

#ifdef __cplusplus
}
#endif

#endif
