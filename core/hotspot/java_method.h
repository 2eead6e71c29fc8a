/* SPDX-License-Identifier: Apache-2.0 */
/*
 * java_method: what a Method* of the JVM is: its names and its lines.
 *
 * From Method by ConstMethod and ConstantPool to Klass and Symbol (HotSpot's
 * oops/).  What is behind a Method* is gone when its class is unloaded, and may
 * be another's; what the way there must look like is checked at each step.
 */
#ifndef CORE_HOTSPOT_JAVA_METHOD_H
#define CORE_HOTSPOT_JAVA_METHOD_H

#include "core/hotspot/java_names.h"
#include "core/hotspot/line_table.h"
#include "core/hotspot/metadata_layout.h"
#include "core/process/memory.h"

#include <stddef.h>
#include <stdint.h>

struct java_method {
	uint32_t name; /* of the java_names; 0 = there is no such method */
	struct line_table lines;
};

struct java_methods; /* those that are known, which are bounded */

/* So many can be prepared at once, and are then kept. */
enum { JAVA_METHODS_AT_ONCE = 1 << 15 };

/* All is borrowed. */
struct java_methods *java_methods_new(const struct method_layout *layout,
				      struct memory *memory,
				      struct java_names *names);
void java_methods_free(struct java_methods *s); /* NULL is fine */

/*
 * The method, valid until the next call; never NULL.  A method that is known is
 * not read again before java_methods_begin().
 */
const struct java_method *java_methods_get(struct java_methods *s,
					   uint64_t method);

/*
 * Has so many methods read at once, each of which java_methods_get() then has
 * until others are prepared or read; those beyond JAVA_METHODS_AT_ONCE are not.
 */
void java_methods_prepare(struct java_methods *s, const uint64_t *methods,
			  size_t count);

/* From now on a method is looked at again, once, before it is believed. */
void java_methods_begin(struct java_methods *s);

#endif
