/* SPDX-License-Identifier: Apache-2.0 */
#include "core/hotspot/method_check.h"

#include "core/base/alloc.h"
#include "core/base/map64.h"

#include <stdlib.h>
#include <string.h>

#define MAX_KNOWN (1 << 18)
#define MAX_SIZE  512
#define USED_FOR  64 /* generations */

struct known {
	uint64_t method, const_method, pool;
	struct checked_method result;
	uint32_t generation; /* generation of the last check */
	uint32_t last_used;
	bool is_listed; /* listed in `used` */
};

/* Offsets of the fields. */
struct fields {
	uint32_t const_method;             /* of Method */
	uint32_t pool, code_size, size;    /* of ConstMethod */
	uint32_t holder;                   /* of ConstantPool */
	uint32_t holder_pool, holder_name; /* of InstanceKlass, Klass */
};

struct method_check {
	struct memory *memory;
	struct fields at;
	struct map64 by_address;
	struct known *all;
	size_t count, cap;
	uint32_t *used; /* methods that were used recently */
	size_t used_count, used_cap;
	uint32_t generation;
	uint64_t gone;
};

struct method_check *method_check_open(const struct vm_structs *v,
				       struct memory *memory, struct error *err)
{
	struct fields f;
	struct method_check *m;

	if (!vm_structs_offset(v, "Method", "_constMethod", &f.const_method) ||
	    !vm_structs_offset(v, "ConstMethod", "_constants", &f.pool) ||
	    !vm_structs_offset(v, "ConstMethod", "_code_size", &f.code_size) ||
	    !vm_structs_size(v, "ConstMethod", &f.size) ||
	    !vm_structs_offset(v, "ConstantPool", "_pool_holder", &f.holder) ||
	    !vm_structs_offset(v, "InstanceKlass", "_constants",
			       &f.holder_pool) ||
	    !vm_structs_offset(v, "Klass", "_name", &f.holder_name) ||
	    f.size > MAX_SIZE) {
		fail(err, ERROR_UNAVAILABLE,
		     "the JVM does not export the layout of Method");
		return NULL;
	}
	m = xcalloc(1, sizeof(*m));
	m->memory = memory;
	m->at = f;
	m->generation = 1;
	return m;
}

void method_check_close(struct method_check *m)
{
	if (!m)
		return;
	map64_release(&m->by_address);
	free(m->all);
	free(m->used);
	free(m);
}

static bool address_is_possible(uint64_t address)
{
	return address >= 4096 && !(address & 7) && address >> 47 == 0;
}

/*
 * Follows the references in a circle: the holder of the method's pool has this
 * pool or had it.  Running methods of a redefined class keep the old pool,
 * whose holder is the class (VM_RedefineClasses::redefine_single_class).
 */
static void check_method(struct method_check *m, struct known *k)
{
	uint64_t holder;
	uint64_t pair[2] = { 0 };
	uint16_t code_size = 0;
	struct memory_range parts[2];

	k->result = (struct checked_method){ 0 };
	k->const_method = k->pool = 0;
	if (!address_is_possible(k->method))
		return;
	k->const_method = memory_u64(m->memory, k->method + m->at.const_method);
	if (!address_is_possible(k->const_method))
		return;
	parts[0] = (struct memory_range){ k->const_method + m->at.pool,
					  &k->pool, 8, false };
	parts[1] = (struct memory_range){ k->const_method + m->at.code_size,
					  &code_size, 2, false };
	m->memory->read_all(m->memory, parts, 2);
	if (!parts[0].is_read || !parts[1].is_read ||
	    !address_is_possible(k->pool))
		return;
	holder = memory_u64(m->memory, k->pool + m->at.holder);
	if (!address_is_possible(holder))
		return;
	parts[0] = (struct memory_range){ holder + m->at.holder_pool, &pair[0],
					  8, false };
	parts[1] = (struct memory_range){ holder + m->at.holder_name, &pair[1],
					  8, false };
	m->memory->read_all(m->memory, parts, 2);
	if (!parts[0].is_read || !parts[1].is_read ||
	    !address_is_possible(pair[1]) ||
	    (pair[0] != k->pool &&
	     memory_u64(m->memory, pair[0] + m->at.holder) != holder))
		return;
	k->result.is_valid = true;
	k->result.code = k->const_method + m->at.size;
	k->result.len = code_size;
}

static uint32_t check_add(struct method_check *m, uint64_t address)
{
	struct known *k;

	/* No JVM has so many methods on its stacks. */
	if (m->count == MAX_KNOWN) {
		map64_clear(&m->by_address);
		m->count = m->used_count = 0;
	}
	array_reserve(m->all, m->cap, m->count + 1);
	k = &m->all[m->count];
	*k = (struct known){ .method = address };
	map64_add(&m->by_address, address, (uint32_t)m->count);
	return (uint32_t)m->count++;
}

const struct checked_method *method_check_find(struct method_check *m,
					       uint64_t address)
{
	uint32_t index = map64_get(&m->by_address, address);
	struct known *k;

	if (index == MAP64_NONE)
		index = check_add(m, address);
	k = &m->all[index];
	if (k->generation != m->generation) {
		check_method(m, k);
		k->generation = m->generation;
	}
	k->last_used = m->generation;
	if (!k->is_listed) {
		k->is_listed = true;
		array_add(m->used, m->used_count, m->used_cap, index);
	}
	return &k->result;
}

/* Methods that lead to the same structures as before remain valid. */
static void check_recheck_used(struct method_check *m)
{
	size_t n = m->used_count;
	struct memory_range *ranges = xcalloc(2 * n, sizeof(*ranges));
	uint64_t *values = xcalloc(2 * n, sizeof(*values));

	for (size_t i = 0; i < n; i++) {
		const struct known *k = &m->all[m->used[i]];

		ranges[2 * i] = (struct memory_range){
			k->method + m->at.const_method, &values[2 * i], 8, false
		};
		ranges[2 * i + 1] = (struct memory_range){ k->const_method +
								   m->at.pool,
							   &values[2 * i + 1],
							   8, false };
	}
	memory_read_again(m->memory, ranges, 2 * n);
	for (size_t i = 0; i < n; i++) {
		struct known *k = &m->all[m->used[i]];
		bool is_gone = !ranges[2 * i].is_read;

		/* Keep the result of memory that is unreadable now. */
		if (k->result.is_valid &&
		    (is_gone || (ranges[2 * i + 1].is_read &&
				 values[2 * i] == k->const_method &&
				 values[2 * i + 1] == k->pool)))
			k->generation = m->generation;
		else if (k->result.is_valid)
			m->gone++;
	}
	free(values);
	free(ranges);
}

/* Removes methods from the list that were not used for a long time. */
static void check_forget_unused(struct method_check *m)
{
	size_t kept = 0;

	for (size_t i = 0; i < m->used_count; i++) {
		struct known *k = &m->all[m->used[i]];

		k->is_listed = k->result.is_valid &&
			       m->generation - k->last_used <= USED_FOR;
		if (k->is_listed)
			m->used[kept++] = m->used[i];
	}
	m->used_count = kept;
}

uint64_t method_check_gone(const struct method_check *m) { return m->gone; }

void method_check_begin(struct method_check *m)
{
	m->generation++;
	check_forget_unused(m);
	if (m->used_count)
		check_recheck_used(m);
}
