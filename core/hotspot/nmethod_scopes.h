/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nmethod_scopes: the methods that are inlined in compiled code.
 *
 * A PcDesc is a place in the code where the JVM can reconstruct its frames; it
 * names a scope. A scope is a method, a bci in it, and the scope that it is
 * inlined into (HotSpot's code/pcDesc, scopeDesc, debugInfoRec). All scopes of
 * an nmethod are read at once.
 */
#ifndef CORE_HOTSPOT_NMETHOD_SCOPES_H
#define CORE_HOTSPOT_NMETHOD_SCOPES_H

#include "core/hotspot/code_cache.h"
#include "core/hotspot/metadata_layout.h"
#include "core/process/memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SCOPE_NONE UINT32_MAX

/* The deepest inlining; HotSpot's MaxInlineLevel is 15. */
enum { SCOPE_DEPTH = 255 };
/* At most as many methods as java_method.h caches. */
enum { SCOPES_METHODS = 1 << 15 };

struct scope {
	uint32_t method; /* index of one of the methods */
	int32_t bci;     /* -1 = its entry */
	uint32_t sender; /* index of the scope that it is inlined into, which is
			    lower, or SCOPE_NONE */
	uint32_t depth;  /* number of scopes that it is inlined into */
};

/* Code up to and including the offset belongs to the scope. */
struct scope_place {
	uint32_t offset; /* from the beginning of the code */
	uint32_t scope;
};

struct nmethod_scopes {
	struct scope *scopes;
	size_t scope_count;
	struct scope_place *places; /* by offset */
	size_t place_count;
	uint64_t *methods; /* Method* */
	size_t method_count;
};

/*
 * Reads the scopes of an nmethod. Returns false, with *s empty, when they are
 * unreadable or inconsistent. nmethod_scopes_release() is due.
 */
bool nmethod_scopes_read(struct nmethod_scopes *s,
			 const struct metadata_layout *l, struct memory *memory,
			 const struct code_blob *blob);
void nmethod_scopes_release(struct nmethod_scopes *s); /* zeroed is fine */

/*
 * Returns the innermost scope at an offset of the code, or SCOPE_NONE. A return
 * address has the scope of its call. Other addresses get the scope of the next
 * recorded place, as HotSpot approximates it.
 */
uint32_t nmethod_scopes_at(const struct nmethod_scopes *s, uint64_t offset);

#endif
