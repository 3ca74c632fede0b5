// TilingPolicy.h - an option of passes for GPUs.
#pragma once

namespace boostc {

/// Which sums of products blocks compute from factors that their threads read
/// together (SharedMemoryTiling.h), and in parts: those that are estimated to
/// be faster, all that can be, or none.
enum class TilingPolicy { Auto, Always, Never };

} // namespace boostc
