/* SPDX-License-Identifier: Apache-2.0 */
/*
 * java_method: the names and line numbers of a Method*.
 *
 * The path leads from Method through ConstMethod and ConstantPool to Klass and
 * Symbol (HotSpot's oops/).  A Method* is freed when its class is unloaded, and
 * its memory may be reused, so each step checks the structure that it reads.
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
