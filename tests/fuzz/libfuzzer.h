// The functions between libFuzzer and a target.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {
// The target's: runs one input; -1 keeps it out of the corpus.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
// The target's, where it has one: returns the new size.
std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most_bytes, unsigned seed);
// libFuzzer's: one mutation of bytes.
std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most_bytes);
}
