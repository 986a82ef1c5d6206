/// @file
/// Functions of a few vector instructions that compilers otherwise call, which costs more than they
/// do: in a large module the optimiser's budget for inlining is spent before it comes to them.
#pragma once

/// Stands where `inline` would.
#if defined(_MSC_VER)
#define SPIELLEITER_FORCE_INLINE __forceinline
#else
#define SPIELLEITER_FORCE_INLINE [[gnu::always_inline]] inline
#endif
