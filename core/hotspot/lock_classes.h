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

/* Fields that classes of the JDK declare, by the class and the field's name. */
enum lock_field {
	LOCK_OWNER, /* AbstractOwnableSynchronizer.exclusiveOwnerThread */
	LOCK_TAIL,  /* AbstractQueuedSynchronizer.tail, with int or long */
	LOCK_SYNC,  /* of a ConditionObject: the lock, this$0 */
	LOCK_NODE_THREAD, /* of a node of a queue */
	LOCK_NODE_PREV,
	LOCK_CONTINUATION,  /* of a VirtualThread */
	LOCK_CHUNK,         /* of a Continuation: the last StackChunk */
	LOCK_CHUNK_LOCKS,   /* StackChunk.lockStackSize, injected (JDK 24) */
	LOCK_CHUNK_STACK,   /* of a StackChunk: the end of its fields */
	LOCK_OBJECT_WAITER, /* VirtualThread: an ObjectWaiter*, JDK 24 */
	LOCK_VIEW_MAP,      /* of the key set of a ConcurrentHashMap */
	LOCK_MAP_TABLE,
	LOCK_ENTRY_KEY,
	LOCK_ENTRY_NEXT,
	LOCK_TREE_FIRST,
	LOCK_REFERENT,          /* java.lang.ref.Reference */
	LOCK_CONTAINER_THREADS, /* of an executor or a ThreadFlock */
	LOCK_FIELDS
};

struct lock_class {
	const char *name; /* as in the JVM: "a/B" */
	bool is_thread, is_virtual_thread;
	/* Offsets of fields; 0 = the class does not have the field. */
	uint32_t fields[LOCK_FIELDS];
};

struct lock_classes; /* a cache of bounded size */

/* All is borrowed. ERROR_UNAVAILABLE names what this JVM does not export. */
struct lock_classes *lock_classes_open(const struct vm_structs *v,
				       struct memory *memory,
				       const struct field_reader *fields,
				       const struct object_shape *shape,
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
/* The same by the address of an object. */
const struct lock_class *lock_classes_of(struct lock_classes *c,
					 uint64_t object);

#endif
