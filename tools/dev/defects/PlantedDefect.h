// PlantedDefect.h - The switch of a planted defect. tools/dev/plant-defects includes this in the
// files of a copy of the tree; nothing in the tree itself does.
#ifndef BOOSTC_TOOLS_DEV_DEFECTS_PLANTEDDEFECT_H
#define BOOSTC_TOOLS_DEV_DEFECTS_PLANTEDDEFECT_H

#include <cstdlib>

namespace boostc {

/// Whether BOOSTC_DEFECT in the environment names defect `number`. Processes that a test starts
/// inherit it.
inline bool isPlanted(int number) {
  static const int planted = [] {
    const char *text = std::getenv("BOOSTC_DEFECT");
    return text ? std::atoi(text) : 0;
  }();
  return planted == number;
}

} // namespace boostc

#endif
