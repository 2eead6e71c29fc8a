/* SPDX-License-Identifier: Apache-2.0 */
#include "core/hotspot/vm_flags.h"

#include "core/base/alloc.h"
#include "core/process/memory_strings.h"
#include "core/process/raw.h"

#include <stdlib.h>
#include <string.h>

enum {
	FLAGS_MOST = 1 << 14,
	FLAG_BYTES_MOST = 256,
};

/* The layout of the JVM's table of flags. */
struct flag_layout {
	uint64_t flags, count;
	uint32_t size, name, value;
};

static bool flags_find(struct flag_layout *l, const struct vm_structs *v,
		       struct memory *memory)
{
	/* The type had the second name until JDK 9, the fields until JDK 16. */
	static const char *const types[] = { "JVMFlag", "Flag" };
	static const char *const fields[][2] = { { "_name", "_addr" },
						 { "name", "addr" } };
	uint64_t flags, count;

	for (size_t i = 0; i < 4; i++) {
		const char *type = types[i / 2];

		if (!vm_structs_static(v, type, "flags", &flags) ||
		    !vm_structs_static(v, type, "numFlags", &count) ||
		    !vm_structs_size(v, type, &l->size) ||
		    !vm_structs_offset(v, type, fields[i % 2][0], &l->name) ||
		    !vm_structs_offset(v, type, fields[i % 2][1], &l->value))
			continue;
		l->flags = memory_u64(memory, flags);
		l->count = memory_u64(memory, count);
		return l->flags && l->count <= FLAGS_MOST &&
		       l->size <= FLAG_BYTES_MOST &&
		       l->name + sizeof(uint64_t) <= l->size &&
		       l->value + sizeof(uint64_t) <= l->size;
	}
	return false;
}

/*
 * Reads a boolean flag; leaves *value unchanged if this JVM does not have it.
 */
static void flags_read_one(const struct flag_layout *l, const uint8_t *table,
			   const struct memory_strings *names,
			   struct memory *memory, const char *name, bool *value)
{
	for (uint64_t i = 0; i < l->count; i++) {
		const uint8_t *flag = table + i * l->size;
		size_t len;
		const char *text = memory_strings_at(
			names, raw_u64(flag, l->name), &len);
		uint8_t byte;

		if (text && len == strlen(name) &&
		    memcmp(text, name, len) == 0 &&
		    memory_read(memory, raw_u64(flag, l->value), &byte, 1))
			*value = byte != 0;
	}
}

bool vm_flags_read(const struct vm_structs *v, struct memory *memory,
		   const struct vm_flag *flags, size_t count)
{
	struct memory_strings names = { 0 };
	struct flag_layout l;
	uint64_t *addresses;
	uint8_t *table;
	size_t len;
	bool is_read;

	if (!flags_find(&l, v, memory))
		return false;
	len = (size_t)l.count * l.size;
	table = xcalloc(len + 1, 1);
	addresses = xcalloc((size_t)l.count + 1, sizeof(*addresses));
	is_read = memory_read(memory, l.flags, table, len);
	if (is_read) {
		for (uint64_t i = 0; i < l.count; i++)
			addresses[i] = raw_u64(table + i * l.size, l.name);
		memory_strings_read(&names, memory, addresses, (size_t)l.count);
		for (size_t i = 0; i < count; i++)
			flags_read_one(&l, table, &names, memory, flags[i].name,
				       flags[i].value);
		memory_strings_release(&names);
	}
	free(addresses);
	free(table);
	return is_read;
}
