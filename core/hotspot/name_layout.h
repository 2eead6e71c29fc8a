/* SPDX-License-Identifier: Apache-2.0 */
/*
 * name_layout: where in Java objects stands what names of threads need.
 *
 * Offsets are those of the fields that the JVM's own classes have (its
 * InstanceKlass says), and the headers of objects follow from them.
 */
#ifndef CORE_HOTSPOT_NAME_LAYOUT_H
#define CORE_HOTSPOT_NAME_LAYOUT_H

#include "core/base/error.h"
#include "core/hotspot/vm_structs.h"
#include "core/process/memory.h"

#include <stdbool.h>
#include <stdint.h>

struct name_layout {
	/* Of java.lang.Thread: name is a String; early JDK 8: a char[]. */
	uint32_t thread_name, thread_id, thread_address;
	bool name_is_chars;
	/* Of java.lang.String; coder 0 = none: value is a char[] (JDK 8). */
	uint32_t string_value, string_coder;
	uint32_t header; /* of an object: 8, 12 or 16 bytes */
	uint32_t array_length, array_data;
	/* References in objects: 4 bytes to be decoded, or 8. */
	bool is_narrow;
	uint64_t narrow_base;
	uint32_t narrow_shift;
	uint64_t string_class; /* as an object's header has it */
	uint32_t class_shift;  /* in a header of 8 bytes */
};

/*
 * ERROR_UNAVAILABLE says what this JVM does not say, or not yet: its classes
 * come a moment after it was started.
 */
int name_layout_read(struct name_layout *l, const struct vm_structs *v,
		     struct memory *memory, struct error *err);

/* The address that a reference of 4 or 8 bytes leads to; 0 = null or none. */
uint64_t name_layout_decode(const struct name_layout *l, uint64_t value);
/* The same of a reference that is no field of an object's. */
uint64_t name_layout_decode_wide(uint64_t value);

/* Whether an object's first 16 bytes are those of a String. */
bool name_layout_is_string(const struct name_layout *l,
			   const uint8_t header[16]);

#endif
