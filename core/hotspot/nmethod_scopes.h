/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nmethod_scopes: which methods are inlined where in compiled code.
 *
 * A PcDesc is a place in the code at which the JVM can tell its frames, and
 * names a scope; a scope is a method, a bci in it, and the scope that it is
 * inlined into (HotSpot's code/pcDesc, scopeDesc, debugInfoRec).  All of an
 * nmethod is read at once, and kept as what can be asked of it.
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

/* No method is inlined deeper; MaxInlineLevel of HotSpot is 15. */
enum { SCOPE_DEPTH = 255 };
/* More methods than are kept at a time (java_method.h) have no names. */
enum { SCOPES_METHODS = 1 << 15 };

struct scope {
	uint32_t method; /* index of one of the methods */
	int32_t bci;     /* -1 = its entry */
	uint32_t sender; /* index of the scope it is inlined into; less than its
			    own; or SCOPE_NONE */
	uint32_t depth;  /* how many it is inlined into */
};

/* Code up to and with an offset belongs to a scope. */
struct scope_place {
	uint32_t offset; /* from the code's begin */
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
 * Reads the scopes of an nmethod.  False when they cannot be had or do not make
 * sense, *s being empty then.  nmethod_scopes_release() is due.
 */
bool nmethod_scopes_read(struct nmethod_scopes *s,
			 const struct metadata_layout *l, struct memory *memory,
			 const struct code_blob *blob);
void nmethod_scopes_release(struct nmethod_scopes *s); /* zeroed is fine */

/*
 * The innermost scope at an offset of the code, or SCOPE_NONE.  Of a return
 * address it is that of its call.  Of any other there may be no exact one: it
 * is that of the next place that is known, as HotSpot approximates it.
 */
uint32_t nmethod_scopes_at(const struct nmethod_scopes *s, uint64_t offset);

#endif
