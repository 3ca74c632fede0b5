// The translation unit that owns the precompiled header; see the Pch.h of its library.
