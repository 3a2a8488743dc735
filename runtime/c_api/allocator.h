// A C caller's allocator in the types of the library.
#pragma once

#include "launch/allocator.h"
#include "scantune/scantune.h"

namespace scantune::c_api {

// The driver for null. Throws a RequestError that names the wrong member.
Allocator checked_allocator(const scantune_allocator* caller);

}  // namespace scantune::c_api
