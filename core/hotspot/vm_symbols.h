/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vm_symbols: Java names from the JVM's own metadata, read from outside.
 *
 * Method, ConstMethod, ConstantPool, Klass and Symbol give names and line
 * numbers; an nmethod's PcDescs and scopes (code/debugInfoRec, scopeDesc of
 * HotSpot) what was inlined where.  Nothing is asked of the JVM.
 */
#ifndef CORE_HOTSPOT_VM_SYMBOLS_H
#define CORE_HOTSPOT_VM_SYMBOLS_H

#include "core/base/error.h"
#include "core/hotspot/java_symbols.h"
#include "core/hotspot/metadata_layout.h"
#include "core/hotspot/process_view.h"
#include "core/hotspot/stub_names.h"
#include "core/hotspot/vm_structs.h"
#include "core/process/memory.h"

#include <stddef.h>
#include <stdint.h>

struct vm_symbols;

/* All is borrowed.  ERROR_UNAVAILABLE names what this JVM does not say. */
struct vm_symbols *vm_symbols_open(const struct vm_structs *v,
				   struct memory *memory, struct error *err);
/*
 * The same for a view, which is borrowed.  It also names the JVM's own
 * routines where libjvm has symbols.  ERROR_UNAVAILABLE if the view is limited.
 */
struct vm_symbols *vm_symbols_open_for(const struct process_view *view,
				       struct error *err);
/* The same where the layout is known already; it is copied. */
struct vm_symbols *vm_symbols_open_with(const struct metadata_layout *layout,
					struct memory *memory);
void vm_symbols_close(struct vm_symbols *s); /* NULL is fine */

struct java_symbols *vm_symbols_of(struct vm_symbols *s);

/*
 * Before a batch of samples: methods are looked at again, each once, before
 * they are believed, since a class that was unloaded leaves its place to
 * others.  What an nmethod holds is read once, while it is there.
 */
void vm_symbols_begin(struct vm_symbols *s);

/* What it cannot say of this JVM, in words; NULL = nothing. */
const char *vm_symbols_limits(const struct vm_symbols *s);

/*
 * Has the methods of so many blobs read at once, so that each costs less;
 * their inlined methods are not.
 */
void vm_symbols_prepare(struct vm_symbols *s,
			const struct code_blob *const *blobs, size_t count);

/* A method by its Method*, no line; 0 = not known, else 1. */
size_t vm_symbols_method(struct vm_symbols *s, uint64_t method,
			 struct java_frame *out);

/* The routines of the JVM that have names of their own, by address. */
const struct stub_name *vm_symbols_stubs(struct vm_symbols *s, size_t *count);

struct vm_symbols_counts {
	uint64_t compiled;       /* nmethods that were looked at */
	uint64_t without_scopes; /* of these: what they inline is not known */
	uint64_t unknown;        /* of these: their own names are not */
};

void vm_symbols_count(const struct vm_symbols *s,
		      struct vm_symbols_counts *counts);

#endif
