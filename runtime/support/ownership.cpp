#include "support/ownership.h"

namespace scantune {

std::string changeable_because(const struct stat& status, uid_t user) {
  if (status.st_uid != user && status.st_uid != 0) return "it belongs to user " + std::to_string(status.st_uid);
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0) return "others than its owner may write to it";
  return {};
}

}  // namespace scantune
