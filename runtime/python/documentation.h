// What the documentation of several functions says.
#pragma once

namespace scantune::python {

// A function of Python by an operation, and what help() says of it.
struct Function {
  const char* name;
  const char* operation;  // nullptr: by an argument
  const char* signature;
  const char* documentation;
};

}  // namespace scantune::python

#define SCANTUNE_ANY_STRIDES                                                                                           \
  "x: an array of NumPy, or one with __dlpack__() or __cuda_array_interface__, of bool, integers or floats of\n"       \
  "16 to 64 bits, with any strides. Arrays in the CPU's memory are worked on by the host device, those of torch and\n" \
  "CuPy by their own GPU, all others by the current GPU.\n"

#define SCANTUNE_ARRAYS \
  SCANTUNE_ANY_STRIDES  \
  "Nothing is copied but a scalar of NumPy, and an array that repeats one item along the axis (a stride of 0).\n"

#define SCANTUNE_ERRORS                                                                                             \
  "Raises TypeError for a wrong type, ValueError for a wrong value, IndexError for an axis that x does not have,\n" \
  "each after the name of the argument, and RuntimeError if no kernel can be compiled or run, as without a C++\n"   \
  "compiler on the host."

#define SCANTUNE_DTYPE                                                                                              \
  "dtype: of the results. By default bool and integers become 64 bits wide, as the library of x widens them, and\n" \
  "floats keep their type. Integers wrap; 16-bit floats are accumulated in 32 bits. Floats do not become\n"         \
  "integers.\n"

#define SCANTUNE_OUT                                                                                                \
  "out: the array for the results, of their shape and on the device of x; the default dtype is then that of out.\n" \
  "It may be x, if its items are of the same size, and overlaps it in no other way.\n"

#define SCANTUNE_OUT_APART                                                                                          \
  "out: the array for the results, of their shape and on the device of x; the default dtype is then that of out.\n" \
  "It must not overlap x.\n"

#define SCANTUNE_STREAM \
  "stream: of a GPU, a number or an object of its library; by default the library's current one.\n"

// An array of one dimension, which is read one item after the other.
#define SCANTUNE_ITEMS                                                                                             \
  "x: a one-dimensional array of NumPy, or one with __dlpack__() or __cuda_array_interface__, of bool, integers\n" \
  "or floats of 16 to 64 bits. Arrays in the CPU's memory are worked on by the host device, those of torch and\n"  \
  "CuPy by their own GPU, all others by the current GPU. An array that is not contiguous is copied first.\n"

#define SCANTUNE_OFFSETS                                                                                              \
  "offsets: where each segment begins, and where the last one ends: an array of integers of 32 or 64 bits, of the\n"  \
  "library of x. Segment s has the items from offsets[s] to offsets[s + 1] - 1. Nothing waits for offsets to be\n"    \
  "checked: those below 0 count as 0, those beyond the end as the end, and a segment that ends before it begins is\n" \
  "empty.\n"

// Where results go whose number depends on the items.
#define SCANTUNE_SIZES(first, others)                                                                                 \
  "size: how many results there are, for a call that does not wait: results beyond are dropped, and where there\n"    \
  "are fewer, " first " fill_value" others                                                                            \
  ".\n"                                                                                                               \
  "out, count: results go to the beginning of out, contiguous and one-dimensional, and their number to count, an\n"   \
  "array of one integer of 32 or 64 bits; the call does not wait. Results that out has no room for are counted and\n" \
  "not written. Nothing is written after the results. Neither may overlap the other, nor an input.\n"

#define SCANTUNE_LENGTHS(first, others)                                                                            \
  SCANTUNE_SIZES(first, others)                                                                                    \
  SCANTUNE_STREAM                                                                                                  \
  "\nWithout size and out, the call waits for the number of results once: they are the beginning of an array as\n" \
  "long as x.\n"

#define SCANTUNE_OP "op: sum, product, min, max, bit_and, bit_or or bit_xor, or an Op; min and max propagate NaN.\n"
