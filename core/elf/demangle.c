/* SPDX-License-Identifier: Apache-2.0 */
#include "core/elf/demangle.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <string.h>

enum {
	/*
	 * libjvm's longest name has 350 bytes; the library's stack use grows
	 * with the square of the length.
	 */
	MANGLED_MAX = 768,
	/*
	 * A name may refer to its own parts, and double its length each time.
	 */
	DEMANGLED_MAX = 4096,
};

struct demangling {
	struct text *out;
	size_t begin;
	jmp_buf enough;
};

static void demangle_take_part(const char *part, size_t len, void *opaque)
{
	struct demangling *d = opaque;

	/*
	 * The library has no other way to stop.  Jumping out is safe because
	 * the library allocates only on the stack.
	 */
	if (d->out->len - d->begin + len > DEMANGLED_MAX)
		longjmp(d->enough, 1);
	text_add(d->out, part, len);
}

static bool demangle_run(struct demangling *d, const char *mangled)
{
	if (setjmp(d->enough))
		return false;
	return cplus_demangle_v3_callback(mangled, DMGL_NO_OPTS,
					  demangle_take_part, d);
}

bool demangle(struct text *out, const char *mangled)
{
	struct demangling d = { .out = out, .begin = out->len };

	if (strncmp(mangled, "_Z", 2) != 0 ||
	    strnlen(mangled, MANGLED_MAX + 1) > MANGLED_MAX)
		return false;
	if (demangle_run(&d, mangled) && out->len > d.begin)
		return true;
	if (out->bytes) {
		out->len = d.begin;
		out->bytes[out->len] = '\0';
	}
	return false;
}

/* Returns the length of a name without its last suffix. */
static size_t name_drop_suffix(const char *symbol, size_t len)
{
	/* GCC's create_clone_name() and LTO; LLVM's promoted locals. */
	static const char *const suffixes[] = { "isra", "constprop", "part",
						"cold", "lto_priv",  "llvm" };
	size_t end = len, dot;

	while (end && symbol[end - 1] >= '0' && symbol[end - 1] <= '9')
		end--;
	/* A number is preceded by a dot of its own. */
	if (end == len || !end || symbol[end - 1] != '.')
		end = len;
	else
		end--;
	for (dot = end; dot && symbol[dot - 1] != '.';)
		dot--;
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++)
		if (dot > 1 && end - dot == strlen(suffixes[i]) &&
		    memcmp(symbol + dot, suffixes[i], end - dot) == 0)
			return dot - 1;
	return len;
}

size_t demangle_source_length(const char *symbol, size_t len)
{
	size_t shorter;

	while ((shorter = name_drop_suffix(symbol, len)) < len)
		len = shorter;
	return len;
}
