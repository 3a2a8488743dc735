// The declaration of a kernel, its thread's indices, its shared memory, the state of its operator, and values as bytes.
//
// Each header of this folder has the code for a GPU, and the same for the host device, where every access is a call
// into the machine that runs the fibres (host_abi.h). PTX is in this folder only.
//
// Call functions that take or return values of the caller's, or pointers to them, by their qualified names: otherwise
// the namespace of a caller's struct is searched, too, and a function of the same name there could be chosen. Take the
// addresses of such values by __builtin_addressof(), not by &, which a struct may define.
#pragma once

#include "core/contract/launch.h"

#ifdef __CUDACC_RTC__

#define SCANTUNE_DEVICE __device__ __forceinline__

// A kernel whose operator has a state keeps that before all else. Others are as if there were no states.
#ifdef SCANTUNE_OPERATOR_STATE
#define SCANTUNE_KERNEL_BODY(name) static SCANTUNE_DEVICE void name##_body(const ::scantune::KernelArguments& arguments)
#define SCANTUNE_DECLARED(name) SCANTUNE_KERNEL_BODY(name);
#define SCANTUNE_DEFINED(name)                                          \
  name(const __grid_constant__ ::scantune::KernelArguments arguments) { \
    ::scantune::keep_operator_state(arguments);                         \
    name##_body(arguments);                                             \
  }                                                                     \
  SCANTUNE_KERNEL_BODY(name)
#else
#define SCANTUNE_DECLARED(name)
#define SCANTUNE_DEFINED(name) name(const __grid_constant__ ::scantune::KernelArguments arguments)
#endif

#define SCANTUNE_KERNEL(name, block_threads, min_ctas) \
  SCANTUNE_DECLARED(name) extern "C" __global__ void __launch_bounds__(block_threads, min_ctas) SCANTUNE_DEFINED(name)

// A kernel that is always launched in clusters of this many CTAs. Where the compiler does not know that, the kernel
// checks at every barrier whether it has been.
#if __CUDA_ARCH__ >= 900
#define SCANTUNE_CLUSTER_KERNEL(name, block_threads, min_ctas, cluster_blocks)                                 \
  SCANTUNE_DECLARED(name)                                                                                      \
  extern "C" __global__ void __cluster_dims__(cluster_blocks, 1, 1) __launch_bounds__(block_threads, min_ctas) \
      SCANTUNE_DEFINED(name)
#else
#define SCANTUNE_CLUSTER_KERNEL(name, block_threads, min_ctas, cluster_blocks) \
  SCANTUNE_KERNEL(name, block_threads, min_ctas)
#endif

namespace scantune {

SCANTUNE_DEVICE void copy_bytes(void* to, const void* from, u32 bytes) { memcpy(to, from, bytes); }

SCANTUNE_DEVICE u32 thread_rank() { return threadIdx.x; }
SCANTUNE_DEVICE u32 block_rank() { return blockIdx.x; }
SCANTUNE_DEVICE u32 block_count() { return gridDim.x; }

// The kernel's shared memory, as the one struct that describes it.
template <class Shared>
SCANTUNE_DEVICE Shared& shared_memory() {
  extern __shared__ __align__(16) unsigned char bytes[];
  return *reinterpret_cast<Shared*>(bytes);
}

SCANTUNE_DEVICE void sync_block() { __syncthreads(); }

template <class T>
SCANTUNE_DEVICE T from_bits(auto bits) {
  static_assert(sizeof(T) == sizeof(bits));
  T value;
  scantune::copy_bytes(__builtin_addressof(value), &bits, sizeof(T));
  return value;
}

// The value whose bytes are at an address of any alignment.
template <class T>
SCANTUNE_DEVICE T from_bytes(const unsigned char* bytes) {
  T value;
  scantune::copy_bytes(__builtin_addressof(value), bytes, sizeof(T));
  return value;
}

#ifdef SCANTUNE_OPERATOR_STATE
// The state of the caller's operator. combine() is a static function and has no arguments of the kernel's, so the state
// is in registers with names, which all that is inlined into the kernel can read. Every access is volatile: one without
// inputs might else come before the registers are set.
SCANTUNE_DEVICE void keep_operator_state(const KernelArguments& arguments) {
  constexpr int kWords = ceil_div(SCANTUNE_OPERATOR_STATE, 8);
  u64 words[kWords];
  scantune::copy_bytes(words, arguments.states.combine, sizeof words);
  asm volatile(".reg .b64 scantune_state<4>;");
  asm volatile("mov.b64 scantune_state0, %0;" ::"l"(words[0]));
  if constexpr (kWords > 1) asm volatile("mov.b64 scantune_state1, %0;" ::"l"(words[1]));
  if constexpr (kWords > 2) asm volatile("mov.b64 scantune_state2, %0;" ::"l"(words[2]));
  if constexpr (kWords > 3) asm volatile("mov.b64 scantune_state3, %0;" ::"l"(words[3]));
}

template <class State>
SCANTUNE_DEVICE State operator_state() {
  constexpr int kWords = ceil_div(static_cast<int>(sizeof(State)), 8);
  static_assert(kWords <= 4);
  u64 words[kWords];
  asm volatile("mov.b64 %0, scantune_state0;" : "=l"(words[0]));
  if constexpr (kWords > 1) asm volatile("mov.b64 %0, scantune_state1;" : "=l"(words[1]));
  if constexpr (kWords > 2) asm volatile("mov.b64 %0, scantune_state2;" : "=l"(words[2]));
  if constexpr (kWords > 3) asm volatile("mov.b64 %0, scantune_state3;" : "=l"(words[3]));
  State state;
  scantune::copy_bytes(__builtin_addressof(state), words, sizeof state);
  return state;
}
#endif

}  // namespace scantune

#else

#include "core/machine/host_abi.h"

#define SCANTUNE_DEVICE inline
// NOLINTNEXTLINE: two definitions, the exported one unpacks the arguments
#define SCANTUNE_KERNEL(name, block_threads, min_ctas)                                                        \
  static void name##_body(const ::scantune::KernelArguments& arguments);                                      \
  extern "C" __attribute__((visibility("default"))) void name(const ::scantune::KernelArguments* arguments) { \
    ::scantune::keep_operator_state(*arguments);                                                              \
    name##_body(*arguments);                                                                                  \
  }                                                                                                           \
  static void name##_body(const ::scantune::KernelArguments& arguments)

// A GPU refuses to launch such a kernel in clusters of another size; the host device reads the size to do so too.
#define SCANTUNE_CLUSTER_KERNEL(name, block_threads, min_ctas, cluster_blocks)                                         \
  extern "C" __attribute__((visibility("default"))) ::scantune::i32 name##_cluster_blocks() { return cluster_blocks; } \
  SCANTUNE_KERNEL(name, block_threads, min_ctas)

namespace scantune {

namespace host {
inline Hooks* hooks = nullptr;
}

extern "C" __attribute__((visibility("default"), used)) inline void scantune_bind(host::Hooks* hooks) {
  host::hooks = hooks;
}

// Default arguments name the place of the call, not this file.
#define SCANTUNE_SITE host::Site site = {__builtin_FILE(), __builtin_LINE()}

// A function, not part of the macro above: an operator's source may have defined any name in it as a macro.
SCANTUNE_DEVICE void keep_operator_state(const KernelArguments& arguments) {
  host::hooks->lane->operator_state = arguments.states.combine;
}

SCANTUNE_DEVICE u32 thread_rank() { return host::hooks->lane->thread_rank; }
SCANTUNE_DEVICE u32 block_rank() { return host::hooks->lane->block_rank; }
SCANTUNE_DEVICE u32 block_count() { return host::hooks->lane->block_count; }

template <class Shared>
SCANTUNE_DEVICE Shared& shared_memory() {
  if (sizeof(Shared) > host::hooks->lane->shared_bytes) __builtin_trap();
  return *reinterpret_cast<Shared*>(host::hooks->lane->shared);
}

SCANTUNE_DEVICE void sync_block(SCANTUNE_SITE) { host::hooks->sync_block(site); }

SCANTUNE_DEVICE void copy_bytes(void* to, const void* from, u32 bytes) { __builtin_memcpy(to, from, bytes); }

template <class T>
SCANTUNE_DEVICE T from_bytes(const unsigned char* bytes) {
  T value;
  scantune::copy_bytes(__builtin_addressof(value), bytes, sizeof(T));
  return value;
}

// The state of the caller's operator.
template <class State>
SCANTUNE_DEVICE State operator_state() {
  return scantune::from_bytes<State>(host::hooks->lane->operator_state);
}

}  // namespace scantune

#endif
