// Registration.h - the passes that tools on textual IR know.
#pragma once

namespace boostc {

/// Our passes and the upstream ones that tests combine them with.
void registerPasses();

} // namespace boostc
