/* SPDX-License-Identifier: Apache-2.0 */
/*
 * method_check: whether an address is that of a Method of HotSpot's.
 *
 * What stands in an interpreted frame need not be one: the frame may be half
 * made, or none.  A Method is believed when its ConstMethod has a ConstantPool
 * whose holder, a Klass with a name, has that pool, or one with the same
 * holder: methods of a class that was redefined run on with the pool of before.
 */
#ifndef CORE_HOTSPOT_METHOD_CHECK_H
#define CORE_HOTSPOT_METHOD_CHECK_H

#include "core/base/error.h"
#include "core/hotspot/vm_structs.h"
#include "core/process/memory.h"

#include <stdbool.h>
#include <stdint.h>

struct method_check;

struct checked_method {
	bool is_valid;
	uint64_t code; /* the address of its bytecodes, */
	uint32_t len;  /* and how many bytes they are */
};

struct method_check *method_check_open(const struct vm_structs *v,
				       struct memory *memory,
				       struct error *err);
void method_check_close(struct method_check *m); /* NULL is fine */

/* What is known of the address; valid until the next call. */
const struct checked_method *method_check_find(struct method_check *m,
					       uint64_t address);

/* How many that were believed were found to be others', since the beginning. */
uint64_t method_check_gone(const struct method_check *m);

/* From now on each is looked at again before it is believed. */
void method_check_begin(struct method_check *m);

#endif
