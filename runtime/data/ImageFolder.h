// ImageFolder.h - images in files, a directory for each class.
//
// Layouts of a directory, of which one is there: train/ and val/, train/ and
// validation_preprocess/, or ilsvrc/ and ilsvrc_eval/, with held-out images in
// the second. Classes are the directories in the first, numbered in the order
// of their names; held-out images have the same or some of them. Images are all
// files below that are called .jpg, .jpeg or .png, in small or capital letters,
// in the order of their paths; other files are left alone. Only names are read
// here: what is wrong with an image is found when it is decoded.
#pragma once

#include "runtime/data/Dataset.h"

namespace boostrt {

/// What a directory of images holds, for messages.
inline constexpr const char *kImageFolders =
    "train/ and val/ with a directory of JPEG or PNG images for each class";

/// Whether a file of this name is one of its images.
bool hasImageName(std::string_view name);

/// Whether `directory` has a layout from above.
bool isImageFolder(const std::string &directory);

/// Fails with ExitCode::Data.
Result<DataSource> openImageFolder(const std::string &directory,
                                   HeldOut heldOut);

} // namespace boostrt
