// Prints docs/gallery/steps.jsonl:  gallery_steps >docs/gallery/steps.jsonl
#include <iostream>

#include "gallery_steps.h"

int main() { std::cout << scantune::gallery_steps(); }
