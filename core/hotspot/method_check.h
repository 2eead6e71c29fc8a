/* SPDX-License-Identifier: Apache-2.0 */
/*
 * method_check: checks whether an address is a Method of HotSpot.
 *
 * An interpreted frame may be incomplete, or another kind of frame.  A Method
 * is valid when its ConstMethod has a ConstantPool whose holder, a Klass with a
 * name, has this pool or a pool with the same holder: methods of a redefined
 * class keep the old pool.
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
	uint64_t code; /* address and number of its bytecodes */
	uint32_t len;  /* in bytes */
};

struct method_check *method_check_open(const struct vm_structs *v,
				       struct memory *memory,
				       struct error *err);
void method_check_close(struct method_check *m); /* NULL is fine */

/* Checks an address. The result is valid until the next call. */
const struct checked_method *method_check_find(struct method_check *m,
					       uint64_t address);

/* Returns the number of valid methods that were replaced later. */
uint64_t method_check_gone(const struct method_check *m);

/* Call before a batch of samples: checks each method again on next use. */
void method_check_begin(struct method_check *m);

#endif
