/* SPDX-License-Identifier: Apache-2.0 */
#include "core/hotspot/java_thread_names.h"

#include "core/base/alloc.h"
#include "core/base/map64.h"
#include "core/base/text.h"
#include "core/hotspot/java_threads.h"
#include "core/hotspot/name_layout.h"
#include "core/process/raw.h"

#include <stdlib.h>
#include <string.h>

enum {
	WORD = 8,
	RANGES = 4, /* at most, of a thread in a step */
	LOWEST = 4096,
	HEADER = 16, /* of an object */
	LATIN1 = 0,  /* String.coder */
	NAME_CHARS_MOST = 1 << 16,
};

/* Where the threads are, and what of them is looked at. */
struct thread_places {
	uint32_t os_thread, tid, object;
	bool is_handle; /* object is an OopHandle, not the reference itself */
	struct java_thread_list list;
};

struct java_thread_names {
	struct memory *memory;
	struct thread_places at;
	struct name_layout objects;
};

/* A thread on its way. */
struct work {
	struct java_thread_name *out;
	bool is_alive; /* nothing was wrong so far */
	uint64_t java_thread;
	uint64_t slot; /* where the reference to the Thread is */
	uint64_t object, name, value;
	uint64_t object_was, name_was, value_was; /* the references */
	uint64_t eetop, java_id;
	uint8_t header[HEADER];
	uint8_t coder;
	uint32_t length; /* of the array */
	uint32_t bytes;  /* of it that are read */
	uint8_t text[2 * JAVA_THREAD_NAME_CHARS];
	uint64_t object_is, name_is, value_is;
};

struct batch {
	const struct java_thread_names *t;
	struct work *all;
	size_t count;
	/* The reads of a step, and of whom each is. */
	struct memory_range *ranges;
	struct work **of;
	size_t range_count;
};

static bool read_layout(struct thread_places *l, const struct vm_structs *v)
{
	uint32_t ignored;

	*l = (struct thread_places){ 0 };
	if (!java_thread_list_find(&l->list, v))
		return false;
	l->is_handle = vm_structs_offset(v, "OopHandle", "_obj", &ignored);
	return (vm_structs_offset(v, "JavaThread", "_osthread",
				  &l->os_thread) ||
		vm_structs_offset(v, "Thread", "_osthread", &l->os_thread)) &&
	       vm_structs_offset(v, "OSThread", "_thread_id", &l->tid) &&
	       vm_structs_offset(v, "JavaThread", "_threadObj", &l->object);
}

struct java_thread_names *java_thread_names_open(const struct vm_structs *v,
						 struct memory *memory,
						 struct error *err)
{
	struct java_thread_names *t = xcalloc(1, sizeof(*t));

	t->memory = memory;
	if (!read_layout(&t->at, v))
		fail(err, ERROR_UNAVAILABLE,
		     "cannot read names of Java threads: this JVM's tables "
		     "lack the list of its threads");
	else if (name_layout_read(&t->objects, v, memory, err) == 0)
		return t;
	free(t);
	return NULL;
}

void java_thread_names_close(struct java_thread_names *t) { free(t); }

/*
 * Reads a number of so many bytes at an offset from each address; 0 where there
 * is none.
 */
static void read_each(struct memory *memory, const uint64_t *addresses,
		      size_t count, uint32_t offset, uint64_t *out,
		      size_t bytes)
{
	struct memory_range *ranges = xcalloc(count, sizeof(*ranges));
	size_t wanted = 0;

	memset(out, 0, count * sizeof(*out));
	for (size_t i = 0; i < count; i++) {
		if (addresses[i] >= LOWEST && !(addresses[i] >> 47))
			ranges[wanted++] = (struct memory_range){
				addresses[i] + offset, &out[i], bytes, false
			};
	}
	if (wanted)
		memory->read_all(memory, ranges, wanted);
	free(ranges);
}

/* Gives each that is asked for its JavaThread, by the tid. */
static void find_threads(struct java_thread_names *t, struct work *all,
			 size_t count)
{
	uint64_t *threads = NULL, *os_threads, *tids;
	size_t n = java_thread_list_read(&t->at.list, t->memory, &threads);
	struct map64 by_tid = { 0 };

	os_threads = xcalloc(n + 1, sizeof(*os_threads));
	tids = xcalloc(n + 1, sizeof(*tids));
	read_each(t->memory, threads, n, t->at.os_thread, os_threads, WORD);
	read_each(t->memory, os_threads, n, t->at.tid, tids, sizeof(pid_t));
	for (size_t i = 0; i < n; i++) {
		if (tids[i] && map64_get(&by_tid, tids[i]) == MAP64_NONE)
			map64_add(&by_tid, tids[i], (uint32_t)i);
	}
	for (size_t i = 0; i < count; i++) {
		uint32_t at = map64_get(&by_tid, (uint64_t)all[i].out->tid);

		all[i].is_alive = at != MAP64_NONE;
		if (all[i].is_alive)
			all[i].java_thread = threads[at];
	}
	map64_release(&by_tid);
	free(threads);
	free(os_threads);
	free(tids);
}

static void want(struct batch *b, struct work *w, uint64_t address, void *bytes,
		 size_t len)
{
	if (address < LOWEST || address >> 47) {
		w->is_alive = false;
		return;
	}
	b->of[b->range_count] = w;
	b->ranges[b->range_count++] = (struct memory_range){ address, bytes,
							     len, false };
}

static size_t reference_bytes(const struct batch *b)
{
	return b->t->objects.is_narrow ? 4 : WORD;
}

static void ask_handle(struct batch *b, struct work *w)
{
	w->slot = w->java_thread + b->t->at.object;
	if (b->t->at.is_handle)
		want(b, w, w->slot, &w->slot, WORD);
}

static void ask_object(struct batch *b, struct work *w)
{
	want(b, w, w->slot, &w->object_was, WORD);
}

static void see_object(struct batch *b, struct work *w)
{
	(void)b;
	w->object = name_layout_decode_wide(w->object_was);
	w->is_alive = w->object != 0;
}

static void ask_thread(struct batch *b, struct work *w)
{
	const struct name_layout *l = &b->t->objects;

	want(b, w, w->object + l->thread_address, &w->eetop, WORD);
	want(b, w, w->object + l->thread_id, &w->java_id, WORD);
	want(b, w, w->object + l->thread_name, &w->name_was,
	     reference_bytes(b));
}

static void see_thread(struct batch *b, struct work *w)
{
	w->name = name_layout_decode(&b->t->objects, w->name_was);
	w->is_alive = w->eetop == w->java_thread && w->name != 0;
}

static void ask_string(struct batch *b, struct work *w)
{
	const struct name_layout *l = &b->t->objects;

	if (l->name_is_chars)
		return;
	want(b, w, w->name, w->header, HEADER);
	want(b, w, w->name + l->string_value, &w->value_was,
	     reference_bytes(b));
	if (l->string_coder)
		want(b, w, w->name + l->string_coder, &w->coder, 1);
}

static void see_string(struct batch *b, struct work *w)
{
	const struct name_layout *l = &b->t->objects;

	if (l->name_is_chars) {
		w->value = w->name;
		return;
	}
	w->value = name_layout_decode(l, w->value_was);
	w->is_alive = name_layout_is_string(l, w->header) && w->value &&
		      w->coder <= 1;
}

static void ask_length(struct batch *b, struct work *w)
{
	want(b, w, w->value + b->t->objects.array_length, &w->length,
	     sizeof(w->length));
}

/* Without a coder, elements are characters of two bytes. */
static bool is_wide(const struct batch *b, const struct work *w)
{
	return !b->t->objects.string_coder || w->coder != LATIN1;
}

static void see_length(struct batch *b, struct work *w)
{
	uint32_t chars = w->length;

	w->is_alive = w->length <= 2 * NAME_CHARS_MOST;
	if (b->t->objects.string_coder && is_wide(b, w))
		chars /= 2;
	if (chars > JAVA_THREAD_NAME_CHARS)
		chars = JAVA_THREAD_NAME_CHARS;
	w->bytes = is_wide(b, w) ? 2 * chars : chars;
}

/* The text, and once more what has led to it. */
static void ask_text(struct batch *b, struct work *w)
{
	const struct name_layout *l = &b->t->objects;

	if (w->bytes)
		want(b, w, w->value + l->array_data, w->text, w->bytes);
	want(b, w, w->slot, &w->object_is, WORD);
	want(b, w, w->object + l->thread_name, &w->name_is, reference_bytes(b));
	if (!l->name_is_chars)
		want(b, w, w->name + l->string_value, &w->value_is,
		     reference_bytes(b));
}

static void add_utf16(struct text *t, const uint8_t *bytes, uint32_t len)
{
	for (uint32_t i = 0; i + 1 < len; i += 2) {
		uint32_t unit = raw_u16(bytes, i);
		uint32_t low = i + 3 < len ? raw_u16(bytes, i + 2) : 0;

		if ((unit & 0xfc00) == 0xd800 && (low & 0xfc00) == 0xdc00) {
			unit = 0x10000 + ((unit & 0x3ff) << 10) + (low & 0x3ff);
			i += 2;
		} else if (unit == 0 || (unit & 0xf800) == 0xd800) {
			unit = 0xfffd;
		}
		text_utf8(t, unit);
	}
}

static void see_text(struct batch *b, struct work *w)
{
	struct text t = { 0 };

	w->is_alive = w->object_is == w->object_was &&
		      w->name_is == w->name_was && w->value_is == w->value_was;
	if (!w->is_alive)
		return;
	text_puts(&t, "");
	if (is_wide(b, w)) {
		add_utf16(&t, w->text, w->bytes);
	} else {
		for (uint32_t i = 0; i < w->bytes; i++)
			text_utf8(&t, w->text[i] ? w->text[i] : 0xfffd);
	}
	memcpy(w->out->name, t.bytes, t.len + 1);
	text_release(&t);
	w->out->java_id = w->java_id;
	w->out->is_known = true;
}

static const struct {
	void (*ask)(struct batch *b, struct work *w);
	void (*see)(struct batch *b, struct work *w); /* or NULL */
} steps[] = {
	{ ask_handle, NULL },       { ask_object, see_object },
	{ ask_thread, see_thread }, { ask_string, see_string },
	{ ask_length, see_length }, { ask_text, see_text },
};

static void read_wanted(struct batch *b)
{
	if (b->range_count)
		b->t->memory->read_all(b->t->memory, b->ranges, b->range_count);
	for (size_t i = 0; i < b->range_count; i++) {
		if (!b->ranges[i].is_read)
			b->of[i]->is_alive = false;
	}
	b->range_count = 0;
}

static void run(struct batch *b)
{
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		for (size_t k = 0; k < b->count; k++) {
			if (b->all[k].is_alive)
				steps[i].ask(b, &b->all[k]);
		}
		read_wanted(b);
		for (size_t k = 0; k < b->count && steps[i].see; k++) {
			if (b->all[k].is_alive)
				steps[i].see(b, &b->all[k]);
		}
	}
}

void java_thread_names_read(struct java_thread_names *t,
			    struct java_thread_name *all, size_t count)
{
	struct batch b = { .t = t };

	b.count = count < JAVA_THREAD_NAMES_AT_ONCE ? count
						    : JAVA_THREAD_NAMES_AT_ONCE;
	for (size_t i = 0; i < count; i++)
		all[i].is_known = false;
	if (!b.count)
		return;
	b.all = xcalloc(b.count, sizeof(*b.all));
	b.ranges = xcalloc(b.count * RANGES, sizeof(*b.ranges));
	b.of = xcalloc(b.count * RANGES, sizeof(*b.of));
	for (size_t i = 0; i < b.count; i++)
		b.all[i].out = &all[i];
	find_threads(t, b.all, b.count);
	run(&b);
	free(b.all);
	free(b.ranges);
	free(b.of);
}
