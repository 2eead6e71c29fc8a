/* SPDX-License-Identifier: Apache-2.0 */
/* demangle: C++ function names in readable form. */
#ifndef CORE_ELF_DEMANGLE_H
#define CORE_ELF_DEMANGLE_H

#include "core/base/text.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Appends a function's name without its parameters: "_ZN6Thread3runEv" gives
 * "Thread::run". Returns false and appends nothing when the name is not mangled
 * by the Itanium C++ ABI, or is too long.
 */
bool demangle(struct text *out, const char *mangled);

/*
 * Returns the length of a symbol's name without suffixes that compilers add
 * when they split, specialize or move a function: "foo.isra.0",
 * "foo.constprop.1.cold".
 */
size_t demangle_source_length(const char *symbol, size_t len);

#endif
