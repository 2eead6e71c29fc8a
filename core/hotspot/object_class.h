/* SPDX-License-Identifier: Apache-2.0 */
/*
 * object_class: finds the class of an object from its header.
 *
 * A header has a Klass*, or a narrow Klass* that CompressedKlassPointers
 * widens; a compact header (JEP 450) has it in the mark word.  Klass and Symbol
 * lead to the name.
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

/* The path from an object's header to the name of its class. */
struct object_layout {
	struct method_layout method;
	uint64_t base;  /* widens a narrow Klass*: base + (narrow << shift) */
	uint32_t shift; /* see base */
	/*
	 * Compact headers have the class in the mark word, starting at this
	 * bit.
	 */
	uint32_t mark_shift;
	bool is_narrow, is_compact;
};

/* Reads the layout. ERROR_UNAVAILABLE names what this JVM does not export. */
int object_layout_read(struct object_layout *l, const struct vm_structs *v,
		       struct memory *memory, struct error *err);

/*
 * Returns the Klass* of an object by its first 16 bytes; 0 when it is unknown.
 * While the collector moves an object, both lowest bits of its mark word are
 * set, the rest is the new address, and a compact header has no class.
 */
uint64_t object_layout_klass(const struct object_layout *l,
			     const uint64_t header[2]);

struct object_classes; /* a cache of bounded size */

/* The layout is copied, the memory borrowed. */
struct object_classes *object_classes_new(const struct object_layout *layout,
					  struct memory *memory);
void object_classes_free(struct object_classes *c); /* NULL is fine */

/*
 * Returns the name of an object's class as in the JVM ("a/B", "[B"), by the
 * object's first 16 bytes; NULL when it is unreadable. The name is valid until
 * the next call, and not NUL-terminated.
 */
const char *object_classes_name(struct object_classes *c,
				const uint64_t header[2], size_t *len);

/*
 * Call before a batch of samples: checks each class again, once, before it is
 * used.
 */
void object_classes_begin(struct object_classes *c);

#endif
