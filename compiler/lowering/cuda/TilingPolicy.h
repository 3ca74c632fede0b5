// TilingPolicy.h - an option of passes for GPUs.
#pragma once

namespace boostc {

/// Which contractions blocks compute from factors that their threads read
/// together (SharedMemoryTiling.h), and in partial sums: those that are
/// estimated to be faster, all that can be, or none.
enum class TilingPolicy { Auto, Always, Never };

} // namespace boostc
