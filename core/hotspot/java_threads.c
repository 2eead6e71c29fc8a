/* SPDX-License-Identifier: Apache-2.0 */
#include "core/hotspot/java_threads.h"

#include "core/base/alloc.h"
#include "core/base/map64.h"

#include <stdlib.h>

enum {
	MOST = 1 << 16,  /* maximum number of threads */
	LOWEST = 4096,   /* ANONYMOUS_OWNER, DEFLATER_MARKER are lower */
	TRIES = 3,       /* attempts while threads start and end */
	LAST_MARKER = 2, /* DEFLATER_MARKER, as an ID */
	WORD = 8,
	LOCKS = 8, /* LockStack::CAPACITY */
};

struct java_threads {
	struct memory *memory;
	struct thread_layout layout;
	bool is_read;
	struct java_thread *all;
	size_t count, cap;
};

static bool thread_field_offset(const struct vm_structs *v, const char *field,
				uint32_t *out)
{
	return vm_structs_offset(v, "JavaThread", field, out) ||
	       vm_structs_offset(v, "Thread", field, out);
}

bool java_thread_list_find(struct java_thread_list *l,
			   const struct vm_structs *v)
{
	*l = (struct java_thread_list){ 0 };
	if (vm_structs_static(v, "ThreadsSMRSupport", "_java_thread_list",
			      &l->list) &&
	    vm_structs_offset(v, "ThreadsList", "_length", &l->length) &&
	    vm_structs_offset(v, "ThreadsList", "_threads", &l->threads))
		return true;
	l->list = 0;
	return vm_structs_static(v, "Threads", "_thread_list", &l->first) &&
	       thread_field_offset(v, "_next", &l->next);
}

static void layout_find_lock_stack(struct lock_stack_layout *l,
				   const struct vm_structs *v)
{
	uint32_t stack;

	if (!vm_structs_offset(v, "JavaThread", "_lock_stack", &stack) ||
	    !vm_structs_offset(v, "LockStack", "_top", &l->top) ||
	    !vm_structs_offset(v, "LockStack", "_base[0]", &l->base)) {
		*l = (struct lock_stack_layout){ 0 };
		return;
	}
	l->top += stack;
	l->base += stack;
}

/* Finds all offsets; returns what is missing, or NULL. */
static const char *layout_find_all(struct thread_layout *l,
				   const struct vm_structs *v)
{
	uint32_t *f = l->fields;

	if (!java_thread_list_find(&l->list, v))
		return "ThreadsSMRSupport";
	if (!vm_structs_size(v, "JavaThread", &l->size))
		return "JavaThread";
	if (!thread_field_offset(v, "_osthread", &f[THREAD_OSTHREAD]))
		return "Thread::_osthread";
	if (!vm_structs_offset(v, "OSThread", "_thread_id", &l->os_id))
		return "OSThread::_thread_id";
	if (!thread_field_offset(v, "_stack_base", &f[THREAD_STACK_BASE]) ||
	    !thread_field_offset(v, "_stack_size", &f[THREAD_STACK_SIZE]))
		return "JavaThread::_stack_base";
	if (!thread_field_offset(v, "_current_pending_monitor",
				 &l->places.pending))
		return "JavaThread::_current_pending_monitor";
	if (!vm_structs_offset(v, "ObjectMonitor", "_owner", &l->places.owner))
		return "ObjectMonitor::_owner";
	thread_field_offset(v, "_monitor_owner_id", &f[THREAD_OWNER_ID]);
	thread_field_offset(v, "_threadObj", &f[THREAD_OBJECT]);
	thread_field_offset(v, "_vthread", &f[THREAD_CARRIED]);
	layout_find_lock_stack(&l->lock_stack, v);
	return NULL;
}

int thread_layout_read(struct thread_layout *l, const struct vm_structs *v,
		       struct error *err)
{
	const char *missing;

	*l = (struct thread_layout){ 0 };
	missing = layout_find_all(l, v);
	return missing ? fail(err, ERROR_UNAVAILABLE,
			      "the JVM does not export %s", missing)
		       : 0;
}

struct java_threads *java_threads_new(const struct thread_layout *layout,
				      struct memory *memory)
{
	struct java_threads *t = xcalloc(1, sizeof(*t));

	t->layout = *layout;
	t->memory = memory;
	return t;
}

void java_threads_free(struct java_threads *t)
{
	if (!t)
		return;
	free(t->all);
	free(t);
}

void java_threads_begin(struct java_threads *t) { t->is_read = false; }

/*
 * Reads the array of a ThreadsList.  The JVM replaces the list but never
 * changes it.
 */
static size_t thread_list_read_array(const struct java_thread_list *l,
				     struct memory *memory, uint64_t **out)
{
	uint64_t list = memory_u64(memory, l->list);
	uint32_t count = list ? memory_u32(memory, list + l->length) : 0;
	uint64_t at = list ? memory_u64(memory, list + l->threads) : 0;

	if (!at || !count || count > MOST)
		return 0;
	*out = xcalloc(count, WORD);
	if (memory_read(memory, at, *out, (size_t)count * WORD) &&
	    memory_u64(memory, l->list) == list)
		return count;
	free(*out);
	*out = NULL;
	return 0;
}

/*
 * Follows the links of JDK 8 to 13.  The link of a thread that ends may be
 * invalid.
 */
static size_t thread_list_follow(const struct java_thread_list *l,
				 struct memory *memory, uint64_t **out)
{
	uint64_t at = memory_u64(memory, l->first);
	size_t count = 0, cap = 0;

	while (at >= LOWEST && at % WORD == 0 && count < MOST) {
		array_reserve(*out, cap, count + 1);
		(*out)[count++] = at;
		at = memory_u64(memory, at + l->next);
	}
	if (at == 0)
		return count;
	free(*out);
	*out = NULL;
	return 0;
}

size_t java_thread_list_read(const struct java_thread_list *l,
			     struct memory *memory, uint64_t **out)
{
	size_t count = 0;

	*out = NULL;
	if (!l->list)
		return thread_list_follow(l, memory, out);
	for (int i = 0; i < TRIES && !count; i++)
		count = thread_list_read_array(l, memory, out);
	return count;
}

static void range_set(struct memory_range *r, uint64_t address, void *bytes,
		      size_t len)
{
	*r = (struct memory_range){ address, bytes, len, false };
}

/* Reads the fields of all threads, one read per step; 0 where unreadable. */
static void threads_read_fields(struct java_threads *t)
{
	struct memory_range *r = xcalloc(t->count * THREAD_FIELDS + 1,
					 sizeof(*r));
	uint32_t owner_id = t->layout.fields[THREAD_OWNER_ID];
	size_t n = 0;

	for (size_t i = 0; i < t->count; i++) {
		struct java_thread *j = &t->all[i];

		for (int f = 0; f < THREAD_FIELDS; f++) {
			if (t->layout.fields[f])
				range_set(&r[n++],
					  j->address + t->layout.fields[f],
					  &j->fields[f], WORD);
		}
	}
	t->memory->read_all(t->memory, r, n);
	n = 0;
	for (size_t i = 0; i < t->count; i++) {
		struct java_thread *j = &t->all[i];

		if (j->fields[THREAD_OSTHREAD] >= LOWEST)
			range_set(&r[n++],
				  j->fields[THREAD_OSTHREAD] + t->layout.os_id,
				  &j->ns_tid, sizeof(j->ns_tid));
		if (j->fields[THREAD_OBJECT] >= LOWEST &&
		    j->fields[THREAD_CARRIED] >= LOWEST) {
			range_set(&r[n++], j->fields[THREAD_OBJECT], &j->java,
				  WORD);
			range_set(&r[n++], j->fields[THREAD_CARRIED],
				  &j->carried, WORD);
		}
		if (owner_id)
			range_set(&r[n++], j->address + owner_id,
				  &j->owner_id_then, WORD);
	}
	t->memory->read_all(t->memory, r, n);
	free(r);
}

static void threads_read(struct java_threads *t)
{
	uint64_t *addresses;
	size_t count;

	if (t->is_read)
		return;
	t->is_read = true;
	t->count = 0;
	count = java_thread_list_read(&t->layout.list, t->memory, &addresses);
	if (!count) {
		free(addresses);
		return;
	}
	array_reserve(t->all, t->cap, count);
	for (size_t i = 0; i < count; i++)
		t->all[i] = (struct java_thread){ .address = addresses[i] };
	t->count = count;
	free(addresses);
	threads_read_fields(t);
}

bool java_threads_places(struct java_threads *t, uint64_t jni,
			 struct monitor_places *places)
{
	threads_read(t);
	for (size_t i = 0; jni && i < t->count; i++) {
		uint64_t at = t->all[i].address;

		if (jni < at || jni - at >= t->layout.size)
			continue;
		*places = t->layout.places;
		places->env = (uint32_t)(jni - at);
		return true;
	}
	return false;
}

/*
 * The carrier of a virtual thread has that thread's ID.  A thread that
 * unmounted the virtual thread between the two reads is not the owner.
 */
static bool threads_find_id(struct java_threads *t, uint64_t id,
			    struct monitor_owner *out)
{
	if (id <= LAST_MARKER || id > INT64_MAX)
		return false;
	*out = (struct monitor_owner){ .java_id = (int64_t)id };
	threads_read(t);
	for (size_t i = 0; i < t->count; i++) {
		const struct java_thread *j = &t->all[i];

		if (j->fields[THREAD_OWNER_ID] != id)
			continue;
		out->is_virtual = j->carried && j->java != j->carried;
		if (!out->is_virtual && j->owner_id_then == id)
			out->ns_tid = (pid_t)j->ns_tid;
	}
	return true;
}

bool java_threads_owner(struct java_threads *t, uint64_t owner,
			struct monitor_owner *out)
{
	if (t->layout.fields[THREAD_OWNER_ID])
		return threads_find_id(t, owner, out);
	if (owner < LOWEST)
		return false;
	threads_read(t);
	for (size_t i = 0; i < t->count; i++) {
		const struct java_thread *j = &t->all[i];
		uint64_t base = j->fields[THREAD_STACK_BASE];

		if (j->address != owner &&
		    (owner >= base ||
		     base - owner > j->fields[THREAD_STACK_SIZE]))
			continue;
		*out = (struct monitor_owner){ .ns_tid = (pid_t)j->ns_tid };
		return j->ns_tid != 0;
	}
	return false;
}

const struct java_thread *java_threads_all(struct java_threads *t,
					   size_t *count)
{
	threads_read(t);
	*count = t->count;
	return t->all;
}

/* The objects of a lock stack; top is the offset of its end in a JavaThread. */
struct lock_stack {
	uint64_t objects[LOCKS];
	uint32_t top;
};

/* Reads the lock stacks of all threads; those that are unreadable are empty. */
static struct lock_stack *threads_read_lock_stacks(struct java_threads *t)
{
	const struct lock_stack_layout *l = &t->layout.lock_stack;
	struct lock_stack *all = xcalloc(t->count + 1, sizeof(*all));
	struct memory_range *r = xcalloc(t->count + 1, 2 * sizeof(*r));

	for (size_t i = 0; i < t->count; i++) {
		uint64_t at = t->all[i].address;

		range_set(&r[2 * i], at + l->base, all[i].objects,
			  sizeof(all[i].objects));
		range_set(&r[2 * i + 1], at + l->top, &all[i].top,
			  sizeof(all[i].top));
	}
	t->memory->read_all(t->memory, r, 2 * t->count);
	for (size_t i = 0; i < t->count; i++) {
		if (!r[2 * i].is_read || !r[2 * i + 1].is_read)
			all[i].top = 0;
	}
	free(r);
	return all;
}

void java_threads_lock_holders(struct java_threads *t, const uint64_t *objects,
			       size_t count, const struct java_thread **out)
{
	const uint32_t base = t->layout.lock_stack.base;
	struct lock_stack *stacks;
	struct map64 holders = { 0 };

	for (size_t i = 0; i < count; i++)
		out[i] = NULL;
	if (!base || !count)
		return;
	threads_read(t);
	stacks = threads_read_lock_stacks(t);
	for (size_t i = 0; i < t->count; i++) {
		for (uint32_t k = 0;
		     k < LOCKS && base + k * WORD < stacks[i].top; k++)
			map64_add(&holders, stacks[i].objects[k], (uint32_t)i);
	}
	for (size_t i = 0; i < count; i++) {
		uint32_t at = objects[i] ? map64_get(&holders, objects[i])
					 : MAP64_NONE;

		if (at != MAP64_NONE)
			out[i] = &t->all[at];
	}
	map64_release(&holders);
	free(stacks);
}

/* ---- anchors ---- */

static bool anchor_word(const struct vm_structs *v, const char *field,
			uint32_t *out)
{
	if (!vm_structs_offset(v, "JavaFrameAnchor", field, out) ||
	    *out % WORD || *out / WORD >= JAVA_ANCHOR_WORDS)
		return false;
	*out /= WORD;
	return true;
}

bool java_anchor_layout_read(struct java_anchor_layout *l,
			     const struct vm_structs *v)
{
	*l = (struct java_anchor_layout){ 0 };
	return java_thread_list_find(&l->list, v) &&
	       thread_field_offset(v, "_osthread", &l->os_thread) &&
	       vm_structs_offset(v, "OSThread", "_thread_id", &l->os_id) &&
	       thread_field_offset(v, "_anchor", &l->anchor) &&
	       anchor_word(v, "_last_Java_sp", &l->sp) &&
	       anchor_word(v, "_last_Java_pc", &l->pc) &&
	       anchor_word(v, "_last_Java_fp", &l->fp);
}

size_t java_anchors_read(const struct java_anchor_layout *l,
			 struct memory *memory, struct java_anchor_place **out)
{
	uint64_t *addresses, *os;
	size_t count = java_thread_list_read(&l->list, memory, &addresses);
	struct memory_range *r = xcalloc(count + 1, sizeof(*r));
	size_t n = 0;

	os = xcalloc(count + 1, WORD);
	*out = xcalloc(count + 1, sizeof(**out));
	for (size_t i = 0; i < count; i++) {
		range_set(&r[i], addresses[i] + l->os_thread, &os[i], WORD);
		(*out)[i].address = addresses[i] + l->anchor;
	}
	memory->read_all(memory, r, count);
	for (size_t i = 0; i < count; i++) {
		if (os[i] >= LOWEST)
			range_set(&r[n++], os[i] + l->os_id, &(*out)[i].ns_tid,
				  sizeof((*out)[i].ns_tid));
	}
	memory->read_all(memory, r, n);
	free(r);
	free(os);
	free(addresses);
	return count;
}
