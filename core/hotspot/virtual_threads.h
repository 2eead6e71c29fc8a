/* SPDX-License-Identifier: Apache-2.0 */
/*
 * virtual_threads: the virtual threads of a JVM (JDK 21 and later), from its
 * memory.
 *
 * The JVM has no list of them.  The JDK keeps those that were not started by an
 * executor in a set of jdk.internal.vm.ThreadContainers, unless
 * -Djdk.trackAllThreads=false is set, and the executors in another.  Both are
 * ConcurrentHashMaps, which are read while the program changes them: threads
 * that start or end may be missing.
 */
#ifndef CORE_HOTSPOT_VIRTUAL_THREADS_H
#define CORE_HOTSPOT_VIRTUAL_THREADS_H

#include "core/hotspot/java_heap.h"
#include "core/hotspot/lock_classes.h"
#include "core/hotspot/object_fields.h"
#include "core/hotspot/vm_structs.h"
#include "core/process/memory.h"
#include "core/process/read_budget.h"

#include <stddef.h>
#include <stdint.h>

struct virtual_threads;

/*
 * All is borrowed.  Returns NULL if the JVM has no such sets, or if they are
 * not found within the budget.
 */
struct virtual_threads *virtual_threads_open(const struct vm_structs *v,
					     struct memory *memory,
					     const struct field_reader *fields,
					     const struct object_shape *shape,
					     struct java_heap *heap,
					     struct lock_classes *classes,
					     const struct read_budget *budget);
void virtual_threads_close(struct virtual_threads *t); /* NULL is fine */

/*
 * Reads the addresses of at most `most` Threads, also of some that are not
 * virtual, within the budget.  Returns their number.
 */
size_t virtual_threads_read(struct virtual_threads *t,
			    const struct read_budget *budget, uint64_t *out,
			    size_t most);

/*
 * Finds the virtual threads, at these addresses, that are not mounted and have
 * the objects in their lock stacks (JDK 24 and later): the owners of monitors
 * whose owner is anonymous.  holders gets their addresses, or 0.
 */
void virtual_threads_lock_holders(struct virtual_threads *t,
				  const struct read_budget *budget,
				  const uint64_t *threads, size_t count,
				  const uint64_t *objects, uint64_t *holders,
				  size_t object_count);

#endif
