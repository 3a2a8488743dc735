#include "rehearsal.h"

namespace scantune {

Rehearsal& rehearsal() {
  static Rehearsal instance;
  return instance;
}

}  // namespace scantune
