// Cifar10.h - reading the binary version of CIFAR-10: files of records of one
// label byte and 3 x 32 x 32 pixels, channels first. There is no header; the
// number of records follows from the size. Plain, gzip or xz.
#pragma once

#include "runtime/data/Dataset.h"

namespace boostrt {

inline constexpr SampleShape kCifarShape = {3, 32, 32};
inline constexpr int64_t kCifarRecordBytes = 1 + 3 * 32 * 32;
/// Limit of one file's records, unpacked: ten times the original's. It bounds
/// what a hostile compressed file can cost.
inline constexpr int64_t kCifarMaxRecords = 100000;

/// Reads data_batch_1.bin to data_batch_5.bin and test_batch.bin, each with or
/// without ".gz" or ".xz", from `directory`. The files may hold fewer records
/// than the original's 10000. Fails with ExitCode::Data.
Result<DataSource> openCifar10(const std::string &directory,
                               HeldOut heldOut = HeldOut::Required);

/// Whether `directory` holds the first training file for openCifar10().
bool isCifar10(const std::string &directory);

} // namespace boostrt
