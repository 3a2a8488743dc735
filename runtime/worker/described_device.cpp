#include "worker/described_device.h"

#include "scantune/error.hpp"

namespace scantune {
namespace {

[[noreturn]] void refuse_for(const std::string& device) {
  throw RequestError(device + " is described and not opened, so nothing can be compiled for it or run on it");
}

}  // namespace

void DescribedDevice::refuse() const { refuse_for(compiler_.device()); }

Binary DescribedDevice::NoCompiler::compile(const Instantiation&, const std::string&) { refuse_for(device_); }

std::unique_ptr<Module> DescribedDevice::load(const Binary&, std::span<const std::string>, std::span<const int>) {
  refuse();
}
void DescribedDevice::launch(const Module&, const Launch&, KernelArguments&, Stream) { refuse(); }
void* DescribedDevice::allocate(u64) { refuse(); }
void DescribedDevice::fill(void*, std::byte, u64) { refuse(); }
void DescribedDevice::upload(void*, const void*, u64) { refuse(); }
void DescribedDevice::download(void*, const void*, u64) { refuse(); }
void DescribedDevice::copy(void*, const void*, u64) { refuse(); }
StreamState DescribedDevice::stream_state(Stream) { refuse(); }
std::string DescribedDevice::pointer_fault(const void*, u64, unsigned) { refuse(); }
std::string DescribedDevice::stream_fault(Stream) { refuse(); }
void DescribedDevice::retain_until_graph_dies(void*, void (*)(void*), void*) { refuse(); }
double DescribedDevice::time_us(const std::function<void(Stream)>&, int) { refuse(); }

}  // namespace scantune
