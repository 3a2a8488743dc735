// Copies rows that are contiguous on both sides by vectors of the output.
#pragma once

#include "copy/parts/strided_problem.h"
#include "copy/parts/tile_division.h"
#include "core/parts/item_access.h"

namespace scantune {

template <int kBytes>
struct alignas(kBytes) RowVector {
  u32 words[kBytes / sizeof(u32)];
};

// The vector that begins `shift` bytes into two others, one after the other.
template <int kBytes>
SCANTUNE_DEVICE RowVector<kBytes> shifted(const RowVector<kBytes>& low, const RowVector<kBytes>& high, u32 shift) {
  constexpr int kWords = kBytes / sizeof(u32);
  if (shift == 0) return low;
  u32 words[2 * kWords];
#pragma unroll
  for (int word = 0; word < kWords; ++word) {
    words[word] = low.words[word];
    words[word + kWords] = high.words[word];
  }
#pragma unroll
  for (int step = kWords / 2; step > 0; step /= 2)
#pragma unroll
    for (int word = 0; word + step < 2 * kWords; ++word)
      words[word] = (shift & step * sizeof(u32)) != 0 ? words[word + step] : words[word];
  RowVector<kBytes> result;
#pragma unroll
  for (int word = 0; word < kWords; ++word)
    result.words[word] = static_cast<u32>((u64{words[word + 1]} << 32 | words[word]) >> (shift % 4 * 8));
  return result;
}

// Threads take vectors of the output, row by row. One that begins elsewhere in the input is put together from the two
// aligned vectors that hold its bytes. They may have bytes of gaps, and some before the array, since memory is
// allocated from a boundary on; but past the array's end there may be no memory.
template <class Problem, CopyStridedConfig kConfig>
class RowCopy {
  using Its = StridedProblem<Problem>;
  static constexpr u32 kBytes = Its::kBytes, kUnitBytes = Its::kUnitBytes, kVectorBytes = kConfig.vector_bytes;
  static constexpr u32 kUnroll = kConfig.unroll, kThreads = kConfig.block_threads, kTile = kConfig.tile();
  static constexpr bool kTurns = turns_vectors(Problem::kRequest);
  using Vector = RowVector<kVectorBytes>;
  using Unit = OpaqueItem<kUnitBytes, kUnitBytes>;  // an item where vectors are turned around

  // A vector of the output.
  struct Place {
    u64 to;          // its address
    u64 from;        // the address in the input of the bytes that belong there, in the order of the input
    u32 begin, end;  // the bytes of it that the row has; equal if it has no byte
  };
  // The aligned vectors that hold its bytes in the input, as far as they do.
  struct Halves {
    Vector low, high;
    bool are_read;
  };

 public:
  SCANTUNE_DEVICE explicit RowCopy(const KernelArguments& arguments)
      : axes_(Its::axes(arguments)),
        input_(reinterpret_cast<u64>(Its::input(arguments))),
        output_(reinterpret_cast<u64>(Its::output(arguments))),
        row_bytes_(axes_.x.count * kBytes),
        rows_(axes_.y.count * axes_.z.count),
        descends_(axes_.x.in != axes_.x.out),
        vectors_(vectors_of_row()),
        by_vectors_(vectors_),
        by_lines_(axes_.y.count) {
    // Rows begin with the item whose address is the lowest.
    const u64 to_last = row_bytes_ - kBytes;
    if (axes_.x.in < 0) input_ -= to_last;
    if (axes_.x.out < 0) output_ -= to_last;
    input_end_ = input_ + row_bytes_;
    extend(axes_.y);
    extend(axes_.z);
    const Divided row = divided(u64{block_rank()} * kTile, vectors_), plane = divided(row.quotient, axes_.y.count);
    vector_ = row.rest;
    row_ = row.quotient;
    line_ = plane.rest;
    plane_ = plane.quotient;
  }

  SCANTUNE_DEVICE void copy() const {
    Place places[kUnroll];
    Halves halves[kUnroll];
#pragma unroll
    for (u32 step = 0; step < kUnroll; ++step) {
      places[step] = place(step * kThreads + thread_rank());
      halves[step] = read(places[step]);
    }
#pragma unroll
    for (u32 step = 0; step < kUnroll; ++step) write(places[step], halves[step]);
  }

 private:
  SCANTUNE_DEVICE static u64 bytes(i64 items) { return static_cast<u64>(items) * kBytes; }

  // Moves the end of the array on to that of the last row along an axis.
  SCANTUNE_DEVICE void extend(const CopyAxis& axis) {
    if (axis.in > 0) input_end_ += bytes(axis.in) * (axis.count - 1);
  }

  // Where all rows begin as far past a boundary as the first one it is known; otherwise it is the most.
  SCANTUNE_DEVICE u64 vectors_of_row() const {
    const bool are_alike = bytes(axes_.y.out | axes_.z.out) % kVectorBytes == 0;
    const u64 lowest = output_ - (axes_.x.out < 0 ? row_bytes_ - kBytes : 0);
    return row_vectors(row_bytes_, are_alike ? lowest % kVectorBytes : kVectorBytes - kUnitBytes, kVectorBytes);
  }

  // The vector so many after the tile's first one.
  SCANTUNE_DEVICE Place place(u32 ahead) const {
    const Divided row = by_vectors_.of(vector_ + ahead), plane = by_lines_.of(line_ + row.quotient);
    const u64 line = plane.rest, z = plane_ + plane.quotient;
    const u64 from = input_ + line * bytes(axes_.y.in) + z * bytes(axes_.z.in);
    const u64 begin = output_ + line * bytes(axes_.y.out) + z * bytes(axes_.z.out), end = begin + row_bytes_;
    Place place{};
    const u64 to = begin - begin % kVectorBytes + row.rest * kVectorBytes;
    if (row_ + row.quotient >= rows_ || to >= end) return place;
    place.to = to;
    place.begin = place.to < begin ? static_cast<u32>(begin - place.to) : 0;
    place.end = end - place.to < kVectorBytes ? static_cast<u32>(end - place.to) : kVectorBytes;
    const u64 into_row = place.to - begin;  // of the first vector it may be negative
    place.from = from + (descends_ ? row_bytes_ - kVectorBytes - into_row : into_row);
    return place;
  }

  SCANTUNE_DEVICE Halves read(const Place& place) const {
    Halves halves{};
    if (place.begin == place.end) return halves;
    const u64 low = place.from - place.from % kVectorBytes, middle = low + kVectorBytes;
    const u64 first = place.from + (descends_ ? kVectorBytes - place.end : place.begin);
    const u64 last = place.from + (descends_ ? kVectorBytes - place.begin : place.end) - 1;
    const bool reads_high = last >= middle;
    halves.are_read = (reads_high ? middle + kVectorBytes : middle) <= input_end_;
    if (!halves.are_read) return halves;
    if (first < middle) halves.low = scantune::load_global<kConfig.load_hint>(reinterpret_cast<const Vector*>(low));
    if (reads_high) halves.high = scantune::load_global<kConfig.load_hint>(reinterpret_cast<const Vector*>(middle));
    return halves;
  }

  SCANTUNE_DEVICE void write(const Place& place, const Halves& halves) const {
    if (place.begin == place.end) return;
    if (!halves.are_read) return copy_units(place);
    Vector vector = scantune::shifted(halves.low, halves.high, static_cast<u32>(place.from % kVectorBytes));
    if constexpr (kTurns)
      if (descends_) vector = scantune::reversed<Unit>(vector);
    if (place.begin == 0 && place.end == kVectorBytes)
      scantune::store_global<kConfig.store_hint>(reinterpret_cast<Vector*>(place.to), vector);
    else
      write_part(place, vector);
  }

  // Stores as few words as their alignment allows: wider ones from the beginning on, then narrower ones.
  SCANTUNE_DEVICE static void write_part(const Place& place, const Vector& vector) {
    u32 begin = place.begin;
    widen<kUnitBytes>(place, vector, begin);
    narrow<kVectorBytes / 2>(place, vector, begin);
  }
  template <u32 kWordBytes>
  SCANTUNE_DEVICE static void widen(const Place& place, const Vector& vector, u32& begin) {
    if constexpr (kWordBytes < kVectorBytes) {
      if ((begin & kWordBytes) != 0) write_word<kWordBytes>(place, vector, begin);
      widen<2 * kWordBytes>(place, vector, begin);
    }
  }
  template <u32 kWordBytes>
  SCANTUNE_DEVICE static void narrow(const Place& place, const Vector& vector, u32& begin) {
    if constexpr (kWordBytes >= kUnitBytes) {
      write_word<kWordBytes>(place, vector, begin);
      narrow<kWordBytes / 2>(place, vector, begin);
    }
  }

  // Stores the bytes from `begin` on, and moves that, if the row has so many.
  template <u32 kWordBytes>
  SCANTUNE_DEVICE static void write_word(const Place& place, const Vector& vector, u32& begin) {
    using Word = typename UnitOfBytes<kWordBytes>::Type;
    if (begin + kWordBytes > place.end) return;
    u64 halves[2] = {};
    scantune::copy_bytes(halves, vector.words, kVectorBytes);
    const u64 half = begin < 8 ? halves[0] : halves[1], next = begin < 8 ? halves[1] : 0;
    const u32 shift = begin % 8 * 8;
    const u64 bits = half >> shift | (shift == 0 ? 0 : next << (64 - shift));
    scantune::store_global<kConfig.store_hint>(reinterpret_cast<Word*>(place.to + begin), static_cast<Word>(bits));
    begin += kWordBytes;
  }

  // At the end of the array.
  SCANTUNE_DEVICE void copy_units(const Place& place) const {
    for (u32 at = place.begin; at < place.end; at += kUnitBytes) {
      const u64 from = place.from + (descends_ ? kVectorBytes - kUnitBytes - at : at);
      scantune::store_global<kConfig.store_hint>(
          reinterpret_cast<Unit*>(place.to + at),
          scantune::load_global<kConfig.load_hint>(reinterpret_cast<const Unit*>(from)));
    }
  }

  CopyAxes axes_;
  u64 input_, output_;  // addresses of the row with which the others are counted
  u64 row_bytes_, rows_;
  bool descends_;  // the input where the output ascends
  u64 vectors_;    // of a row
  TileDivision<kTile> by_vectors_, by_lines_;
  u64 input_end_;                    // of the whole array
  u64 vector_, row_, line_, plane_;  // of the tile's first vector
};

}  // namespace scantune
