/* SPDX-License-Identifier: Apache-2.0 */
/*
 * demangle: the names of C++ functions as people write them.
 */
#ifndef CORE_ELF_DEMANGLE_H
#define CORE_ELF_DEMANGLE_H

#include "core/base/text.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Appends a function's name without its parameters: "_ZN6Thread3runEv" gives
 * "Thread::run".  False, and nothing appended, when the name is not one of the
 * Itanium C++ ABI, or longer than such names are.
 */
bool demangle(struct text *out, const char *mangled);

/*
 * The length of a symbol's name without the suffixes of compilers that split,
 * specialise or move a function: "foo.isra.0", "foo.constprop.1.cold".
 */
size_t demangle_source_length(const char *symbol, size_t len);

#endif
