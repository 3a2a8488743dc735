// Objects as bytes, whatever operators of their own they have.
#pragma once

namespace scantune {

// The address of an object: & of a caller's struct may be another.
template <class T>
constexpr T* address_of(T& object) {
  return __builtin_addressof(object);
}

}  // namespace scantune
