/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The document "sjkc.mem/1".  Rows of constant tables name the members of both
 * directions, so what is read is what was written.
 */
#include "core/mem/verdict.h"

#include "core/base/alloc.h"
#include "core/base/json.h"
#include "core/base/lines.h"

#include <string.h>

/* Sizes of blocks in a document, those with the most bytes. */
enum { JSON_SIZES = 200 };

struct member {
	const char *key;
	size_t offset;
};

#define IN(type, member) offsetof(struct type, member)

static const struct member account_members[] = {
	{ "uptime_ns", IN(mem_account, uptime_ns) },
	{ "rss_bytes", IN(mem_account, rss) },
	{ "pss_bytes", IN(mem_account, pss) },
	{ "swapped_bytes", IN(mem_account, swapped) },
	{ "parts_bytes", IN(mem_account, total) },
	{ "classes", IN(mem_account, classes) },
	{ "loaders", IN(mem_account, loaders) },
	{ "code_cache_bytes", IN(mem_account, code_size) },
};

static const struct member heap_members[] = {
	{ "max_bytes", IN(mem_heap, max) },
	{ "objects_bytes", IN(mem_heap, objects) },
	{ "free_resident_bytes", IN(mem_heap, free_resident) },
};

static const struct member direct_members[] = {
	{ "count", IN(mem_direct, count) },
	{ "capacity_bytes", IN(mem_direct, capacity) },
	{ "reserved_bytes", IN(mem_direct, reserved) },
	{ "max_bytes", IN(mem_direct, max) },
};

static const struct member part_members[] = {
	{ "resident_bytes", IN(mem_size, resident) },
	{ "committed_bytes", IN(mem_size, committed) },
	{ "swapped_bytes", IN(mem_size, swapped) },
	{ "huge_bytes", IN(mem_size, huge) },
};

static const struct member arena_members[] = {
	{ "system_bytes", IN(malloc_arena, system) },
	{ "resident_bytes", IN(malloc_arena, resident) },
	{ "in_use_bytes", IN(malloc_arena, in_use) },
	{ "in_use_resident_bytes", IN(malloc_arena, in_use_resident) },
	{ "blocks", IN(malloc_arena, blocks) },
	{ "free_bytes", IN(malloc_arena, free) },
	{ "free_resident_bytes", IN(malloc_arena, free_resident) },
	{ "top_resident_bytes", IN(malloc_arena, top_resident) },
	{ "trimmable_bytes", IN(malloc_arena, trimmable) },
	{ "swapped_bytes", IN(malloc_arena, swapped) },
	{ "not_walked_bytes", IN(malloc_arena, unwalked) },
	{ "threads", IN(malloc_arena, threads) },
};

static const struct member size_members[] = {
	{ "size_bytes", IN(malloc_size, size) },
	{ "blocks", IN(malloc_size, blocks) },
};

static const struct member mapped_members[] = {
	{ "bytes", IN(glibc_heap, mapped) },
	{ "blocks", IN(glibc_heap, mapped_count) },
};

static const struct member container_members[] = {
	{ "limit_bytes", IN(mem_container, limit) },
	{ "current_bytes", IN(mem_container, memory.current) },
	{ "peak_bytes", IN(mem_container, memory.peak) },
	{ "anonymous_bytes", IN(mem_container, memory.anonymous) },
	{ "file_bytes", IN(mem_container, memory.files) },
	{ "inactive_file_bytes", IN(mem_container, memory.inactive_files) },
	{ "kernel_bytes", IN(mem_container, memory.kernel) },
	{ "swapped_bytes", IN(mem_container, memory.swapped) },
	{ "oom_kills", IN(mem_container, memory.oom_kills) },
};

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* ---- writing ---- */

static void add_members(struct json *j, const void *from,
			const struct member *all, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t value;

		memcpy(&value, (const char *)from + all[i].offset,
		       sizeof(value));
		json_add_uint(j, all[i].key, value);
	}
}

/* Negative numbers are unknown. */
static void add_container(struct json *j, const struct mem_container *c)
{
	json_add_object(j, "container");
	for (size_t i = 0; i < COUNT(container_members); i++) {
		int64_t value;

		memcpy(&value, (const char *)c + container_members[i].offset,
		       sizeof(value));
		if (value < 0)
			json_add_null(j, container_members[i].key);
		else
			json_add_int(j, container_members[i].key, value);
	}
	json_close_object(j);
}

static void add_parts(struct json *j, const struct mem_account *a)
{
	struct text detail = { 0 };

	json_add_array(j, "parts");
	for (size_t i = 0; i < MEM_PARTS; i++) {
		text_clear(&detail);
		mem_add_detail(&detail, a, (enum mem_part)i);
		json_open_object(j);
		json_add_text(j, "name", mem_part_names[i]);
		add_members(j, &a->parts[i], part_members, COUNT(part_members));
		json_add_text(j, "detail", detail.len ? detail.bytes : NULL);
		json_close_object(j);
	}
	json_close_array(j);
	text_release(&detail);
}

static void add_arenas(struct json *j, const struct mem_account *a)
{
	json_add_array(j, "arenas");
	for (size_t i = 0; i < a->glibc.arena_count; i++) {
		json_open_object(j);
		json_add_bool(j, "main", a->glibc.arenas[i].is_main);
		add_members(j, &a->glibc.arenas[i], arena_members,
			    COUNT(arena_members));
		json_close_object(j);
	}
	json_close_array(j);
	json_add_array(j, "sizes");
	for (size_t i = 0; i < a->glibc.size_count && i < JSON_SIZES; i++) {
		json_open_object(j);
		add_members(j, &a->glibc.sizes[i], size_members,
			    COUNT(size_members));
		json_close_object(j);
	}
	json_close_array(j);
	if (a->glibc.has_mapped) {
		json_add_object(j, "mapped");
		add_members(j, &a->glibc, mapped_members,
			    COUNT(mapped_members));
		json_close_object(j);
	}
}

static void add_heap(struct json *j, const struct mem_heap *h)
{
	json_add_object(j, "heap");
	json_add_text(j, "collector", *h->collector ? h->collector : NULL);
	json_add_bool(j, "has_objects", h->has_objects);
	json_add_uint(j, "mapped_times", h->mapped_times);
	add_members(j, h, heap_members, COUNT(heap_members));
	json_close_object(j);
}

static void add_stacks(struct json *j, const struct mem_account *a)
{
	json_add_array(j, "threads");
	for (size_t i = 0; i < a->stack_count; i++) {
		const struct mem_stack *s = &a->stacks[i];

		json_open_object(j);
		json_add_id(j, "tid", s->tid);
		json_add_text(j, "name", s->name);
		json_add_bool(j, "java", s->is_java);
		add_members(j, &s->size, part_members, COUNT(part_members));
		json_close_object(j);
	}
	json_close_array(j);
}

static void add_verdict(struct json *j, const struct mem_verdict *v)
{
	json_add_array(j, "verdict");
	for (size_t i = 0; i < v->count; i++) {
		const struct mem_finding *f = &v->all[i];

		json_open_object(j);
		json_add_text(j, "rule", f->rule);
		json_add_text(j, "sentence", f->sentence.bytes);
		json_add_text(j, "next", f->now.bytes);
		json_add_text(j, "lasting", f->lasting.bytes);
		json_close_object(j);
	}
	json_close_array(j);
	json_add_text(j, "fit", v->fit.len ? v->fit.bytes : NULL);
}

void mem_account_add_json(struct text *out, const struct mem_account *a,
			  const struct mem_verdict *v,
			  const struct mem_container *c)
{
	struct json j = json_document(out, "sjkc.mem/1");

	json_add_int(&j, "pid", a->pid);
	json_add_int(&j, "time_ns", a->wall_ns);
	json_add_text(&j, "allocator", *a->allocator ? a->allocator : NULL);
	add_members(&j, a, account_members, COUNT(account_members));
	json_add_uint(&j, "trimmable_bytes", mem_trimmable(a));
	if (v)
		add_verdict(&j, v);
	add_parts(&j, a);
	add_heap(&j, &a->heap);
	if (a->direct.is_known) {
		json_add_object(&j, "direct");
		add_members(&j, &a->direct, direct_members,
			    COUNT(direct_members));
		json_close_object(&j);
	}
	add_arenas(&j, a);
	add_stacks(&j, a);
	if (c)
		add_container(&j, c);
	json_add_text(&j, "limits", a->limits.len ? a->limits.bytes : NULL);
	json_end_document(&j);
}

/* ---- reading ---- */

/* Reads the value of a member that is in the table; returns false if not. */
static bool read_number(struct json_reader *r, struct line key, void *to,
			const struct member *all, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t value;

		if (!line_is(key, all[i].key))
			continue;
		value = json_read_uint(r);
		memcpy((char *)to + all[i].offset, &value, sizeof(value));
		return true;
	}
	return false;
}

/* Reads an object whose members are in a table, and skips the others. */
static void read_numbers(struct json_reader *r, void *to,
			 const struct member *all, size_t count)
{
	struct line key;

	if (!json_enter_object(r))
		return;
	while (json_next_member(r, &key))
		if (!read_number(r, key, to, all, count))
			json_skip(r);
}

static void read_short(struct json_reader *r, char *to, size_t size)
{
	struct text text = { 0 };

	if (!json_accept_null(r))
		json_read_text(r, &text);
	if (text.len && text.len < size)
		memcpy(to, text.bytes, text.len + 1);
	text_release(&text);
}

static void read_part(struct json_reader *r, struct mem_account *a)
{
	struct mem_size size = { 0 };
	char name[32] = "";
	struct line key;

	if (!json_enter_object(r))
		return;
	while (json_next_member(r, &key)) {
		if (line_is(key, "name"))
			read_short(r, name, sizeof(name));
		else if (!read_number(r, key, &size, part_members,
				      COUNT(part_members)))
			json_skip(r);
	}
	for (size_t i = 0; i < MEM_PARTS; i++)
		if (strcmp(name, mem_part_names[i]) == 0)
			a->parts[i] = size;
}

static void read_heap(struct json_reader *r, struct mem_heap *h)
{
	struct line key;

	if (!json_enter_object(r))
		return;
	while (json_next_member(r, &key)) {
		if (line_is(key, "collector"))
			read_short(r, h->collector, sizeof(h->collector));
		else if (line_is(key, "has_objects"))
			h->has_objects = json_read_bool(r);
		else if (!read_number(r, key, h, heap_members,
				      COUNT(heap_members)))
			json_skip(r);
	}
}

static void read_arena(struct json_reader *r, struct glibc_heap *h)
{
	struct malloc_arena arena = { 0 };
	struct line key;

	if (!json_enter_object(r))
		return;
	while (json_next_member(r, &key)) {
		if (line_is(key, "main"))
			arena.is_main = json_read_bool(r);
		else if (!read_number(r, key, &arena, arena_members,
				      COUNT(arena_members)))
			json_skip(r);
	}
	h->arenas = xrealloc(h->arenas, h->arena_count + 1, sizeof(*h->arenas));
	h->arenas[h->arena_count++] = arena;
	h->is_found = true;
}

static void read_size(struct json_reader *r, struct glibc_heap *h)
{
	struct malloc_size size = { 0 };

	read_numbers(r, &size, size_members, COUNT(size_members));
	h->sizes = xrealloc(h->sizes, h->size_count + 1, sizeof(*h->sizes));
	h->sizes[h->size_count++] = size;
}

static void read_stack(struct json_reader *r, struct mem_account *a)
{
	json_skip(r);
	a->stack_count++;
}

static void read_each(struct json_reader *r, struct line key,
		      struct mem_account *a)
{
	if (!json_enter_array(r))
		return;
	while (json_next_element(r)) {
		if (line_is(key, "parts"))
			read_part(r, a);
		else if (line_is(key, "arenas"))
			read_arena(r, &a->glibc);
		else if (line_is(key, "sizes"))
			read_size(r, &a->glibc);
		else
			read_stack(r, a);
	}
}

static void read_member(struct json_reader *r, struct line key,
			struct mem_account *a)
{
	if (line_is(key, "pid"))
		a->pid = (pid_t)json_read_int(r);
	else if (line_is(key, "time_ns"))
		a->wall_ns = json_read_int(r);
	else if (line_is(key, "allocator"))
		read_short(r, a->allocator, sizeof(a->allocator));
	else if (line_is(key, "heap"))
		read_heap(r, &a->heap);
	else if (line_is(key, "direct"))
		read_numbers(r, &a->direct, direct_members,
			     COUNT(direct_members));
	else if (line_is(key, "mapped"))
		read_numbers(r, &a->glibc, mapped_members,
			     COUNT(mapped_members));
	else if (line_is(key, "parts") || line_is(key, "arenas") ||
		 line_is(key, "sizes") || line_is(key, "threads"))
		read_each(r, key, a);
	else if (!read_number(r, key, a, account_members,
			      COUNT(account_members)))
		json_skip(r);
	a->direct.is_known |= line_is(key, "direct");
	a->glibc.has_mapped |= line_is(key, "mapped");
}

int mem_account_read_json(struct mem_account *a, const char *json, size_t len,
			  struct error *err)
{
	struct json_reader r = json_reader_over(json, len);
	char schema[32] = "";
	struct line key;

	*a = (struct mem_account){ 0 };
	if (json_enter_object(&r)) {
		while (json_next_member(&r, &key)) {
			if (line_is(key, "schema"))
				read_short(&r, schema, sizeof(schema));
			else
				read_member(&r, key, a);
		}
	}
	if (!json_reader_at_end(&r))
		fail(err, ERROR_INPUT, "invalid JSON");
	else if (strcmp(schema, "sjkc.mem/1") != 0)
		fail(err, ERROR_INPUT, "no document of sjkc mem");
	else
		return 0;
	/* The document has no stacks, only their number. */
	a->stack_count = 0;
	mem_account_release(a);
	return -1;
}
