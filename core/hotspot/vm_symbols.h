/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vm_symbols: Java names from the JVM's metadata, read from outside.
 *
 * Method, ConstMethod, ConstantPool, Klass and Symbol have the names and line
 * numbers; an nmethod's PcDescs and scopes (code/debugInfoRec, scopeDesc) have
 * the inlined methods.  The JVM is not involved.
 */
#ifndef CORE_HOTSPOT_VM_SYMBOLS_H
#define CORE_HOTSPOT_VM_SYMBOLS_H

#include "core/base/error.h"
#include "core/hotspot/java_names.h"
#include "core/hotspot/java_symbols.h"
#include "core/hotspot/line_table.h"
#include "core/hotspot/metadata_layout.h"
#include "core/hotspot/process_view.h"
#include "core/hotspot/stub_names.h"
#include "core/hotspot/vm_structs.h"
#include "core/process/memory.h"

#include <stddef.h>
#include <stdint.h>

/*
 * The deepest inlining that is read (HotSpot's MaxInlineLevel is 15), and the
 * maximum number of methods in one nmethod; both for tests.
 */
enum { VM_SYMBOLS_INLINING = 255, VM_SYMBOLS_METHODS = 1 << 15 };

struct vm_symbols;

/* All is borrowed. ERROR_UNAVAILABLE names what this JVM does not export. */
struct vm_symbols *vm_symbols_open(const struct vm_structs *v,
				   struct memory *memory, struct error *err);
/*
 * The same for a view, which is borrowed.  It also names the JVM's own routines
 * if libjvm has symbols.  ERROR_UNAVAILABLE if the view is limited.
 */
struct vm_symbols *vm_symbols_open_for(const struct process_view *view,
				       struct error *err);
/* The same with a layout that is known; it is copied. */
struct vm_symbols *vm_symbols_open_with(const struct metadata_layout *layout,
					struct memory *memory);
void vm_symbols_close(struct vm_symbols *s); /* NULL is fine */

/* Returns the bytes of all cached methods and names. */
size_t vm_symbols_bytes(const struct vm_symbols *s);

/* Frees all cached methods and names; they are read again when needed. */
void vm_symbols_drop(struct vm_symbols *s);

struct java_symbols *vm_symbols_of(struct vm_symbols *s);

/*
 * Call before a batch of samples: checks each method again, once, before it is
 * used, because other data may take the place of an unloaded class.  The scopes
 * of an nmethod are read once, while it exists.
 */
void vm_symbols_begin(struct vm_symbols *s);

/* Returns what is unavailable in this JVM, as a text, or NULL. */
const char *vm_symbols_limits(const struct vm_symbols *s);

/*
 * Reads the methods of many blobs at once, which costs less; not the inlined
 * methods.
 */
void vm_symbols_prepare(struct vm_symbols *s,
			const struct code_blob *const *blobs, size_t count);

/*
 * Names a method, without a line, by its Method*. Returns 1, or 0 when it is
 * unknown.
 */
size_t vm_symbols_method(struct vm_symbols *s, uint64_t method,
			 struct java_frame *out);

/* Returns the JVM's own routines that have names, by address. */
const struct stub_name *vm_symbols_stubs(struct vm_symbols *s, size_t *count);

struct vm_symbols_counts {
	uint64_t compiled;       /* nmethods that were read */
	uint64_t without_scopes; /* of these: inlining is unknown */
	uint64_t unknown;        /* of these: the method's name is unknown */
};

void vm_symbols_count(const struct vm_symbols *s,
		      struct vm_symbols_counts *counts);

/*
 * ---- java_method.c ----
 *
 * The names and line numbers of a Method*.
 *
 * The path leads from Method through ConstMethod and ConstantPool to Klass and
 * Symbol (HotSpot's oops/).  A Method* is freed when its class is unloaded, and
 * its memory may be reused, so each step checks the structure that it reads.
 */

struct java_method {
	uint32_t name; /* in the java_names; 0 = there is no such method */
	struct line_table lines;
};

struct java_methods; /* a cache of bounded size */

/* Number of methods that can be prepared at once and stay cached. */
enum { JAVA_METHODS_AT_ONCE = 1 << 15 };

/* All is borrowed. */
struct java_methods *java_methods_new(const struct method_layout *layout,
				      struct memory *memory,
				      struct java_names *names);
void java_methods_free(struct java_methods *s); /* NULL is fine */

/*
 * Returns the method, valid until the next call; never NULL. A cached method is
 * checked again only after java_methods_begin().
 */
const struct java_method *java_methods_get(struct java_methods *s,
					   uint64_t method);

/*
 * Reads many methods at once and caches them until other methods are prepared
 * or read.  Ignores methods beyond JAVA_METHODS_AT_ONCE.
 */
void java_methods_prepare(struct java_methods *s, const uint64_t *methods,
			  size_t count);

/*
 * Call before a batch of samples: checks each method again, once, before it is
 * used.
 */
void java_methods_begin(struct java_methods *s);

#endif
