#include "support/file_system.h"

#include <sys/vfs.h>

#include <algorithm>
#include <cstdint>

namespace scantune {
namespace {

// Network file systems, as statfs() reports them. The tuner knows them by name: tuner/scantune/store/file_system.py.
constexpr std::uint32_t kOfNetworks[] = {
    0x6969,      // NFS
    0x517B,      // SMB
    0xFE534D42,  // SMB 2 and 3
    0xFF534D42,  // CIFS
    0x65735546,  // FUSE, of which sshfs and many cluster file systems are made
    0x01021997,  // 9P
    0x564C,      // NCP
    0x00C36400,  // Ceph
    0x0BD00BD0,  // Lustre
    0x47504653,  // GPFS
    0x19830326,  // BeeGFS
    0xAAD7AAEA,  // PanFS
    0x20030528,  // OrangeFS
    0x5346414F,  // AFS
    0x6B414653,  // AFS, the kernel's own
    0x7461636F,  // OCFS2
    0x01161970,  // GFS2
    0x786F4256,  // shared folders of VirtualBox
};

}  // namespace

bool is_on_network(const std::filesystem::path& file) {
  struct statfs found {};
  if (::statfs(file.c_str(), &found) != 0) return false;
  return std::ranges::find(kOfNetworks, static_cast<std::uint32_t>(found.f_type)) != std::end(kOfNetworks);
}

}  // namespace scantune
