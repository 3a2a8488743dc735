// A pending bulk copy: it reads its source at one time and writes its destination later. A value that a CTA sends to a
// peer of its cluster does the same.
#pragma once

#include <vector>

#include "core/machine/host_abi.h"
#include "device/host/unfenced_writes.h"

namespace scantune {

struct Cta;
struct CudaThread;

struct BulkCopy {
  enum class Direction : u8 { load, store, send };  // send moves a value to a peer

  Direction direction;
  bool has_read = false;
  u32 grid;
  u32 cta_serial;  // a store may outlive its CTA
  Cta* cta;        // the CTA whose shared memory takes part
  CudaThread* issuer;
  u32 group;    // the store's group among those of its issuer
  u32 barrier;  // where the bytes of a load or send arrive
  unsigned char* shared;
  unsigned char* global;
  u32 bytes;
  host::Site site;
  u64 due = 0;  // step at which it goes on by itself
  // NOLINTBEGIN(readability-redundant-member-init): g++ warns without them where designators leave members out
  std::vector<UnfencedWrites::HiddenByte> hidden = {};  // bytes in the source of a store
  std::vector<unsigned char> data = {};                 // what was read
  // NOLINTEND(readability-redundant-member-init)
};

}  // namespace scantune
