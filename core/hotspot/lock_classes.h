/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lock_classes: what the class of an object says about locks: whether it has an
 * owner, waits for a lock or is a thread, by its superclasses.
 */
#ifndef CORE_HOTSPOT_LOCK_CLASSES_H
#define CORE_HOTSPOT_LOCK_CLASSES_H

#include "core/base/error.h"
#include "core/hotspot/object_fields.h"
#include "core/hotspot/vm_structs.h"
#include "core/process/memory.h"

#include <stdbool.h>
#include <stdint.h>

struct lock_class {
	const char *name; /* as in the JVM: "a/B" */
	bool is_thread, is_virtual_thread;
	/* Offsets of fields; 0 = the class does not have the field. */
	uint32_t owner; /* AbstractOwnableSynchronizer.exclusiveOwnerThread */
	uint32_t tail;  /* AbstractQueuedSynchronizer.tail, long or int */
	uint32_t sync;  /* of a ConditionObject: the lock, this$0 */
	uint32_t node_thread, node_prev; /* of a node of a queue */
};

struct lock_classes; /* a cache of bounded size */

/* All is borrowed. ERROR_UNAVAILABLE names what this JVM does not export. */
struct lock_classes *lock_classes_open(const struct vm_structs *v,
				       struct memory *memory,
				       const struct field_reader *fields,
				       struct error *err);
void lock_classes_close(struct lock_classes *c); /* NULL is fine */

/* Call before a reading: checks each class again, once, before it is used. */
void lock_classes_begin(struct lock_classes *c);

/*
 * Returns the class of an object by its first 16 bytes; NULL when it is
 * unknown.  Valid until lock_classes_close().
 */
const struct lock_class *lock_classes_get(struct lock_classes *c,
					  const uint64_t header[2]);

#endif
