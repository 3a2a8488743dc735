// CUB's selections behind one C function, for selections.py. It is compiled once for every build of CUB into a library
// of its own. The count has 32 bits, as in programs that call CUB.
#include <cub/device/device_partition.cuh>
#include <cub/device/device_select.cuh>
#include <cub/version.cuh>

// What selections.py asks for.
struct CubCall {
  // 0: less than *bound; 1: flagged; 2: unique; 3: less than *bound, the others behind in one array; 4: three parts,
  // less than *bound, equal to it, and others, each in an array of its own
  int criterion;
  int item_type;    // 0: u8, 1: i16, 2: i32, 3: i64, 4: f32, 5: f64
  void* temporary;  // null: only *temporary_bytes is written
  size_t* temporary_bytes;
  const void* input;
  const void* flags;  // a byte each
  void* output;
  void* second;
  void* rest;
  int* count;
  int n;
  const void* bound;  // an item, in memory of the host
  cudaStream_t stream;
};

namespace {

template <class Item>
struct Less {
  Item bound;
  __device__ bool operator()(Item item) const { return item < bound; }
};

template <class Item>
struct Equal {
  Item bound;
  __device__ bool operator()(Item item) const { return item == bound; }
};

template <class Item>
cudaError_t run(const CubCall& call) {
  const auto* input = static_cast<const Item*>(call.input);
  auto* output = static_cast<Item*>(call.output);
  size_t& bytes = *call.temporary_bytes;
  const Less<Item> less{*static_cast<const Item*>(call.bound)};
  switch (call.criterion) {
    case 0:
      return cub::DeviceSelect::If(call.temporary, bytes, input, output, call.count, call.n, less, call.stream);
    case 1:
      return cub::DeviceSelect::Flagged(call.temporary, bytes, input, static_cast<const unsigned char*>(call.flags),
                                        output, call.count, call.n, call.stream);
    case 2:
      return cub::DeviceSelect::Unique(call.temporary, bytes, input, output, call.count, call.n, call.stream);
    case 3:
      return cub::DevicePartition::If(call.temporary, bytes, input, output, call.count, call.n, less, call.stream);
    case 4:
      return cub::DevicePartition::If(call.temporary, bytes, input, output, static_cast<Item*>(call.second),
                                      static_cast<Item*>(call.rest), call.count, call.n, less, Equal<Item>{less.bound},
                                      call.stream);
    default:
      return cudaErrorInvalidValue;
  }
}

}  // namespace

extern "C" int cub_version() { return CUB_VERSION; }

extern "C" int cub_select(const CubCall* call) {
  switch (call->item_type) {
    case 0:
      return run<unsigned char>(*call);
    case 1:
      return run<short>(*call);
    case 2:
      return run<int>(*call);
    case 3:
      return run<long long>(*call);
    case 4:
      return run<float>(*call);
    case 5:
      return run<double>(*call);
    default:
      return cudaErrorInvalidValue;
  }
}
