// The translation unit that owns the precompiled header; see Pch.h.
