/* SPDX-License-Identifier: Apache-2.0 */
#include "core/native/elf/demangle.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <string.h>

enum {
	/* In libjvm 350; what the library puts on the stack grows with its
	   square. */
	MANGLED_MAX = 768,
	/* A name may repeat parts of itself: its length doubles each time. */
	DEMANGLED_MAX = 4096,
};

struct demangling {
	struct text *out;
	size_t begin;
	jmp_buf enough;
};

static void take(const char *part, size_t len, void *opaque)
{
	struct demangling *d = opaque;

	/*
	 * There is no other way to stop it than to leave it, which is safe
	 * since it has no memory but the stack's.
	 */
	if (d->out->len - d->begin + len > DEMANGLED_MAX)
		longjmp(d->enough, 1);
	text_add(d->out, part, len);
}

static bool run(struct demangling *d, const char *mangled)
{
	if (setjmp(d->enough))
		return false;
	return cplus_demangle_v3_callback(mangled, DMGL_NO_OPTS, take, d);
}

bool demangle(struct text *out, const char *mangled)
{
	struct demangling d = { .out = out, .begin = out->len };

	if (strncmp(mangled, "_Z", 2) != 0 ||
	    strnlen(mangled, MANGLED_MAX + 1) > MANGLED_MAX)
		return false;
	if (run(&d, mangled) && out->len > d.begin)
		return true;
	if (out->bytes) {
		out->len = d.begin;
		out->bytes[out->len] = '\0';
	}
	return false;
}
