// What a request reads and writes: host side only. Pointer checks, kernel arguments, buffers and bytes moved follow.
#pragma once

#ifndef __CUDACC_RTC__

namespace scantune {

enum class OperandRole {
  input,   // read; may be the output's very range
  output,  // written
  init     // read, in the place of an initial value among the kernel's arguments
};
template <class Enum>
struct Tokens;
template <>
struct Tokens<OperandRole> {
  static constexpr const char* kNames[] = {"input", "output", "init"};
};

struct Operand {
  static constexpr const char* kItems = "n";  // extents that every request has
  static constexpr const char* kOne = "one";

  const char* name;  // of the argument, in messages
  OperandRole role;
  const char* type;    // the member that says of which type its items are
  const char* extent;  // how many there are: kItems, kOne, or the name of another extent
};

struct OperandList {
  static constexpr int kCapacity = 4;
  Operand operands[kCapacity] = {};
  int count = 0;

  constexpr void add(const Operand& operand) { operands[count++] = operand; }
};

}  // namespace scantune

#endif
