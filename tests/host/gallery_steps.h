// What the kernels of the gallery combine, and in which order: the data of the pictures in docs/gallery.
#pragma once

#include <string>

namespace scantune {

// A line of JSON for each family: its config, how many items, and every operation as
// [earlier column, its step, later column, its step], in the order of steps. Runs the kernels on the host device.
std::string gallery_steps();

}  // namespace scantune
