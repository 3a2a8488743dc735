// The functions between libFuzzer and a target.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {
// The target defines it. It runs one input; -1 keeps the input out of the corpus.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
// The target may define it. It mutates an input and returns the new size.
std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most_bytes, unsigned seed);
// libFuzzer defines it: one mutation of bytes.
std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most_bytes);
}
