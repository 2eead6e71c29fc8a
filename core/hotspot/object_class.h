/* SPDX-License-Identifier: Apache-2.0 */
/*
 * object_class: the class of an object, by its header.
 *
 * An object's header has a Klass*, or a narrow one that CompressedKlassPointers
 * widens; with compact headers (JEP 450) it is in the mark word.  Klass and
 * Symbol have the name.
 */
#ifndef CORE_HOTSPOT_OBJECT_CLASS_H
#define CORE_HOTSPOT_OBJECT_CLASS_H

#include "core/base/error.h"
#include "core/hotspot/metadata_layout.h"
#include "core/hotspot/vm_structs.h"
#include "core/process/memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where an object's header and a class have what a name needs. */
struct object_layout {
	struct method_layout method;
	uint64_t base;  /* of narrow Klass*es, */
	uint32_t shift; /* which are shifted to the left by so much */
	/* Compact headers: in the mark word from this bit on. */
	uint32_t mark_shift;
	bool is_narrow, is_compact;
};

/* ERROR_UNAVAILABLE names what this JVM does not say. */
int object_layout_read(struct object_layout *l, const struct vm_structs *v,
		       struct memory *memory, struct error *err);

struct object_classes; /* those that are known, which are bounded */

/* The layout is copied, the memory borrowed. */
struct object_classes *object_classes_new(const struct object_layout *layout,
					  struct memory *memory);
void object_classes_free(struct object_classes *c); /* NULL is fine */

/*
 * The name of an object's class as the JVM has it ("a/B", "[B"), by the first
 * 16 bytes of the object; NULL when it cannot be had.  Valid until the next
 * call; not NUL-terminated.
 */
const char *object_classes_name(struct object_classes *c,
				const uint64_t header[2], size_t *len);

/* From now on a class is looked at again, once, before it is believed. */
void object_classes_begin(struct object_classes *c);

#endif
