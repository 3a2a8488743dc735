// Entries of the kernel cache: a file that is no entry is a miss, and one that is read has no excess byte.
#include <sys/stat.h>

#include "jit/binary_cache.h"
#include "libfuzzer.h"
#include "require.h"
#include "scratch_directory.h"
#include "support/sha256.h"

namespace scantune::fuzz {
namespace {

const std::string kKey(64, 'a');
constexpr std::size_t kChecksumBytes = 64;

std::string content_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

bool is_equal(const Binary& a, const Binary& b) {
  return a.image == b.image && a.compiler == b.compiler && a.log == b.log;
}

// A cache in a folder that only its owner may write, and its one entry.
struct Entry {
  ScratchDirectory directory;
  BinaryCache cache{directory.path()};
  std::filesystem::path file = directory.path() / (kKey + ".bin");

  Entry() { umask(077); }
  std::optional<Binary> load(std::string_view content) {
    directory.put(kKey + ".bin", content);
    return cache.load(kKey);
  }
  std::string stored(const Binary& binary) {
    cache.store(kKey, binary);
    return content_of(file);
  }
};

// An entry of some content with its right checksum, because damage that the checksum finds is only half of all inputs.
std::string sealed(const std::string& empty_entry, std::string_view content) {
  const std::size_t magic_bytes = empty_entry.size() - kChecksumBytes - kKey.size() - 3 * sizeof(std::uint64_t);
  return empty_entry.substr(0, magic_bytes) + Sha256().add(content).hex().append(content);
}

void check_as_file(Entry& entry, std::string_view content) {
  const auto binary = entry.load(content);
  if (!binary) return;
  require(binary->compile_ms == 0, "what was cached took no time to compile");
  require(entry.stored(*binary) == content, "an entry that is read is stored again byte for byte");
}

void check_round_trip(Entry& entry, std::string_view content) {
  const auto third = [&](std::size_t index) { return content.substr(content.size() * index / 3, content.size() / 3); };
  const Binary binary{.image = {content.begin(), content.end()},
                      .compiler = std::string(third(1)),
                      .log = std::string(third(2)),
                      .compile_ms = 0};
  const auto loaded = entry.load(entry.stored(binary));
  require(loaded && is_equal(*loaded, binary), "what was stored is loaded");
}

}  // namespace
}  // namespace scantune::fuzz

// The first byte says what the others are: a file, or the content of one under its right checksum, after the right key
// or any other.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace scantune::fuzz;
  static Entry entry;
  static const std::string kEmpty = entry.stored({});
  if (size == 0) return -1;
  const std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 4) {
    case 0:
      check_as_file(entry, rest);
      break;
    case 1:
      check_as_file(entry, sealed(kEmpty, rest));
      break;
    case 2:
      check_as_file(entry, sealed(kEmpty, kKey + std::string(rest)));
      break;
    default:
      check_round_trip(entry, rest);
  }
  return 0;
}
