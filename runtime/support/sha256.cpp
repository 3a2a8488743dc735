#include "support/sha256.h"

#include <sys/types.h>

#include <sha2.h>

#include <array>

namespace scantune {

struct Sha256::State {
  SHA2_CTX context;
};

Sha256::Sha256() : state_(std::make_unique<State>()) { SHA256Init(&state_->context); }
Sha256::~Sha256() = default;

Sha256& Sha256::add(std::string_view bytes) {
  SHA256Update(&state_->context, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  return *this;
}

Sha256& Sha256::add_field(std::string_view bytes) { return add(std::to_string(bytes.size()) + ":").add(bytes); }

std::string Sha256::hex() {
  std::array<char, SHA256_DIGEST_STRING_LENGTH> digits{};
  return SHA256End(&state_->context, digits.data());
}

}  // namespace scantune
