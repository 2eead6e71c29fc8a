/* SPDX-License-Identifier: Apache-2.0 */
/*
 * java_heap: the references of a JVM's heap, and where they lead to, read from
 * outside while the JVM runs.
 *
 * Serial, Parallel and G1 move objects only in pauses, which the JVM counts.
 * ZGC and Shenandoah move objects while the program runs: a reference may lead
 * to the old place of an object.  Shenandoah's old place has the address of the
 * copy.  ZGC's references have a color; one with a bad color is looked up in a
 * table of moved objects (gc/z/zForwarding).
 */
#ifndef CORE_HOTSPOT_JAVA_HEAP_H
#define CORE_HOTSPOT_JAVA_HEAP_H

#include "core/base/error.h"
#include "core/hotspot/object_fields.h"
#include "core/hotspot/vm_structs.h"
#include "core/process/memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct java_heap;

/* All is borrowed. ERROR_UNAVAILABLE names what this JVM does not export. */
struct java_heap *java_heap_open(const struct vm_structs *v,
				 struct memory *memory,
				 const struct object_shape *shape,
				 struct error *err);
void java_heap_close(struct java_heap *h); /* NULL is fine */

/*
 * Sets the addresses that the JVM reserved for its heap.  Returns false if they
 * are unreadable, or if the collector does not export them (ZGC).
 */
bool java_heap_range(const struct vm_structs *v, struct memory *memory,
		     uint64_t *begin, uint64_t *end);

/*
 * Reads the number of collections.  Returns false if it is unreadable, or if
 * the JVM is in a pause that may move objects.  If the number is equal before
 * and after some reads, no pause moved an object between them.
 */
bool java_heap_epoch(struct java_heap *h, uint32_t *epoch);

struct java_reference {
	uint64_t value;   /* 4 bytes, or 8 */
	bool is_in_vm;    /* read from a handle of the JVM, not an object */
	bool is_known;    /* set by java_heap_resolve() */
	uint64_t address; /* of the object; 0 = null */
};

/*
 * Finds the objects that the references lead to.  A reference is not known if
 * its color is invalid, or if its object may have moved to an unknown place.
 * The result is a guess until the same path is read again with the same result.
 */
void java_heap_resolve(struct java_heap *h, struct java_reference **all,
		       size_t count);

/*
 * Reads the reference at an address, in an object or, with is_in_vm, in a
 * handle, and resolves it.  Returns false, with *out = 0, if it is unreadable
 * or not known.
 */
bool java_heap_follow(struct java_heap *h, uint64_t address, bool is_in_vm,
		      uint64_t *out);

#endif
