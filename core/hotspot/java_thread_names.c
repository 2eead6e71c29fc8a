/* SPDX-License-Identifier: Apache-2.0 */
#include "core/hotspot/java_threads.h"

#include "core/base/alloc.h"
#include "core/base/map64.h"
#include "core/base/text.h"
#include "core/hotspot/java_heap.h"
#include "core/hotspot/metadata_layout.h"
#include "core/hotspot/object_fields.h"
#include "core/process/raw.h"

#include <stdlib.h>
#include <string.h>

/* ---- the layout of Thread and String ---- */

struct name_layout {
	/* java.lang.Thread; its name is a String, in early JDK 8 a char[]. */
	uint32_t thread_name, thread_id, thread_address;
	bool name_is_chars;
	/*
	 * java.lang.String; coder 0 = the field does not exist, and value is a
	 * char[] (JDK 8).
	 */
	uint32_t string_value, string_coder;
	struct object_shape shape;
	uint64_t string_class; /* as in an object's header */
};

static bool layout_find_thread(struct name_layout *l,
			       const struct object_fields *f)
{
	static const char string[] = "Ljava/lang/String;";

	l->name_is_chars = object_fields_find(f, "name", "[C", &l->thread_name);
	if (!l->name_is_chars &&
	    !object_fields_find(f, "name", string, &l->thread_name))
		return false;
	/* The address of its JavaThread, which must match. */
	return object_fields_find(f, "tid", "J", &l->thread_id) &&
	       object_fields_find(f, "eetop", "J", &l->thread_address);
}

static bool layout_find_string(struct name_layout *l,
			       const struct object_fields *f)
{
	l->string_coder = 0;
	if (object_fields_find(f, "value", "[C", &l->string_value))
		return true;
	return object_fields_find(f, "value", "[B", &l->string_value) &&
	       object_fields_find(f, "coder", "B", &l->string_coder);
}

/* Returns a class as the headers of objects refer to it. */
static uint64_t name_layout_class_in_header(const struct name_layout *l,
					    const struct field_reader *r,
					    uint64_t class_at)
{
	uint64_t base;
	uint32_t shift;

	if (l->shape.header == OBJECT_HEADER_MOST ||
	    !class_encoding_read(r->v, r->memory, &base, &shift))
		return class_at;
	return (class_at - base) >> shift;
}

static int layout_fail(struct error *err, const char *what)
{
	return fail(err, ERROR_UNAVAILABLE,
		    "cannot read names of Java threads: this JVM's tables lack "
		    "%s",
		    what);
}

/*
 * Fails with ERROR_UNAVAILABLE if the JVM does not export the layout.  A JVM
 * creates the classes shortly after its start.
 */
static int name_layout_read(struct name_layout *l, const struct vm_structs *v,
			    struct memory *memory, struct error *err)
{
	struct field_reader r;
	struct object_fields *f = xcalloc(2, sizeof(*f));
	struct object_fields *thread = &f[0], *string = &f[1];
	uint64_t string_at;
	int ret = -1;

	*l = (struct name_layout){ 0 };
	if (field_reader_init(&r, v, memory, err)) {
		fail_in(err, "cannot read names of Java threads");
		goto out;
	}
	string_at = field_reader_class(&r, "String");
	if (!object_fields_read(&r, field_reader_class(&r, "Thread"), thread) ||
	    !object_fields_read(&r, string_at, string)) {
		layout_fail(err, "the fields of java.lang.Thread");
		goto out;
	}
	if (!layout_find_thread(l, thread) || !layout_find_string(l, string) ||
	    !object_shape_find(&l->shape, &r, thread, string)) {
		layout_fail(err, "the layout of objects");
		goto out;
	}
	l->string_class = name_layout_class_in_header(l, &r, string_at);
	ret = 0;
out:
	free(f);
	return ret;
}

/* Returns true when the first 16 bytes of an object are those of a String. */
static bool name_layout_is_string(const struct name_layout *l,
				  const uint8_t header[16])
{
	switch (l->shape.header) {
	case OBJECT_HEADER_LEAST:
		return raw_u64(header, 0) >> l->shape.class_shift ==
		       l->string_class;
	case OBJECT_HEADER_NARROW:
		return raw_u32(header, OBJECT_WORD) ==
		       (uint32_t)l->string_class;
	default:
		return raw_u64(header, OBJECT_WORD) == l->string_class;
	}
}

/* ---- reading names ---- */

enum {
	RANGES = 4,  /* maximum ranges of a thread in a step */
	HEADER = 16, /* of an object */
	LATIN1 = 0,  /* String.coder */
	NAME_CHARS_MOST = 1 << 16,
};

/* The offsets in a JavaThread. */
struct thread_places {
	uint32_t os_thread, tid, object;
	bool is_handle; /* object is an OopHandle, not a reference */
	struct java_thread_list list;
};

struct java_thread_names {
	struct memory *memory;
	struct thread_places at;
	struct name_layout objects;
	struct java_heap *heap; /* NULL: references to moved objects are
				   unknown, or wrong */
};

/* A thread while its name is read. */
struct name_work {
	struct java_thread_name *out;
	bool is_alive; /* false once a step has failed */
	uint64_t java_thread;
	uint64_t slot; /* the address of the reference to the Thread */
	uint64_t object, name, value;
	/* The references, before and after the text was read. */
	struct java_reference object_was, name_was, value_was;
	struct java_reference object_is, name_is, value_is;
	uint64_t eetop, java_id;
	uint8_t header[HEADER];
	uint8_t coder;
	uint32_t length; /* length of the array */
	uint32_t bytes;  /* bytes of the array to read */
	uint8_t text[2 * JAVA_THREAD_NAME_CHARS];
};

struct name_batch {
	const struct java_thread_names *t;
	struct name_work *all;
	size_t count;
	/* The ranges of a step, and the thread of each. */
	struct memory_range *ranges;
	struct name_work **of;
	size_t range_count;
	struct java_reference **references;
	size_t reference_count;
};

static bool names_read_places(struct thread_places *l,
			      const struct vm_structs *v)
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
	if (!names_read_places(&t->at, v)) {
		fail(err, ERROR_UNAVAILABLE,
		     "cannot read names of Java threads: this JVM's tables "
		     "lack the list of its threads");
	} else if (name_layout_read(&t->objects, v, memory, err) == 0) {
		t->heap = java_heap_open(v, memory, &t->objects.shape,
					 error_unused());
		return t;
	}
	free(t);
	return NULL;
}

void java_thread_names_close(struct java_thread_names *t)
{
	if (t)
		java_heap_close(t->heap);
	free(t);
}

/*
 * Reads an integer of `bytes` bytes at an offset from each address; 0 where it
 * is unreadable.
 */
static void names_read_each(struct memory *memory, const uint64_t *addresses,
			    size_t count, uint32_t offset, uint64_t *out,
			    size_t bytes)
{
	struct memory_range *ranges = xcalloc(count, sizeof(*ranges));
	size_t wanted = 0;

	memset(out, 0, count * sizeof(*out));
	for (size_t i = 0; i < count; i++) {
		if (addresses[i] >= OBJECT_LOWEST && !(addresses[i] >> 47))
			ranges[wanted++] = (struct memory_range){
				addresses[i] + offset, &out[i], bytes, false
			};
	}
	if (wanted)
		memory->read_all(memory, ranges, wanted);
	free(ranges);
}

/* Finds the JavaThread of each requested tid. */
static void names_find_threads(struct java_thread_names *t,
			       struct name_work *all, size_t count)
{
	uint64_t *threads = NULL, *os_threads, *tids;
	size_t n = java_thread_list_read(&t->at.list, t->memory, &threads);
	struct map64 by_tid = { 0 };

	os_threads = xcalloc(n + 1, sizeof(*os_threads));
	tids = xcalloc(n + 1, sizeof(*tids));
	names_read_each(t->memory, threads, n, t->at.os_thread, os_threads,
			OBJECT_WORD);
	names_read_each(t->memory, os_threads, n, t->at.tid, tids,
			sizeof(pid_t));
	for (size_t i = 0; i < n; i++) {
		if (tids[i] && map64_get(&by_tid, tids[i]) == MAP64_NONE)
			map64_add(&by_tid, tids[i], (uint32_t)i);
	}
	for (size_t i = 0; i < count; i++) {
		uint32_t at = map64_get(&by_tid, (uint64_t)all[i].out->tid);

		all[i].object = all[i].out->object;
		if (all[i].object) {
			all[i].is_alive = true;
			continue;
		}
		all[i].is_alive = at != MAP64_NONE;
		all[i].out->is_listed = all[i].is_alive;
		if (all[i].is_alive)
			all[i].java_thread = threads[at];
	}
	map64_release(&by_tid);
	free(threads);
	free(os_threads);
	free(tids);
}

static void batch_add_range(struct name_batch *b, struct name_work *w,
			    uint64_t address, void *bytes, size_t len)
{
	if (address < OBJECT_LOWEST || address >> 47) {
		w->is_alive = false;
		return;
	}
	b->of[b->range_count] = w;
	b->ranges[b->range_count++] = (struct memory_range){ address, bytes,
							     len, false };
}

static void batch_add_reference(struct name_batch *b, struct name_work *w,
				uint64_t address, struct java_reference *r,
				bool is_in_vm)
{
	*r = (struct java_reference){ .is_in_vm = is_in_vm };
	batch_add_range(b, w, address, &r->value,
			is_in_vm
				? OBJECT_WORD
				: object_reference_bytes(&b->t->objects.shape));
	b->references[b->reference_count++] = r;
}

static void batch_request_handle(struct name_batch *b, struct name_work *w)
{
	if (w->object)
		return;
	w->slot = w->java_thread + b->t->at.object;
	if (b->t->at.is_handle)
		batch_add_range(b, w, w->slot, &w->slot, OBJECT_WORD);
}

static void batch_request_object(struct name_batch *b, struct name_work *w)
{
	if (!w->object)
		batch_add_reference(b, w, w->slot, &w->object_was, true);
}

static void batch_check_object(struct name_batch *b, struct name_work *w)
{
	(void)b;
	if (!w->object)
		w->object = w->object_was.address;
	w->is_alive = w->object != 0;
}

static void batch_request_thread(struct name_batch *b, struct name_work *w)
{
	const struct name_layout *l = &b->t->objects;

	batch_add_range(b, w, w->object + l->thread_address, &w->eetop,
			OBJECT_WORD);
	batch_add_range(b, w, w->object + l->thread_id, &w->java_id,
			OBJECT_WORD);
	batch_add_reference(b, w, w->object + l->thread_name, &w->name_was,
			    false);
}

static void batch_check_thread(struct name_batch *b, struct name_work *w)
{
	(void)b;
	w->name = w->name_was.address;
	w->is_alive = w->eetop == w->java_thread && w->name != 0;
}

static void batch_request_string(struct name_batch *b, struct name_work *w)
{
	const struct name_layout *l = &b->t->objects;

	if (l->name_is_chars)
		return;
	batch_add_range(b, w, w->name, w->header, HEADER);
	batch_add_reference(b, w, w->name + l->string_value, &w->value_was,
			    false);
	if (l->string_coder)
		batch_add_range(b, w, w->name + l->string_coder, &w->coder, 1);
}

static void batch_check_string(struct name_batch *b, struct name_work *w)
{
	const struct name_layout *l = &b->t->objects;

	if (l->name_is_chars) {
		w->value = w->name;
		return;
	}
	w->value = w->value_was.address;
	w->is_alive = name_layout_is_string(l, w->header) && w->value &&
		      w->coder <= 1;
}

static void batch_request_length(struct name_batch *b, struct name_work *w)
{
	batch_add_range(b, w, w->value + b->t->objects.shape.array_length,
			&w->length, sizeof(w->length));
}

/*
 * Returns true for characters of two bytes, which all strings without a coder
 * have.
 */
static bool batch_is_wide(const struct name_batch *b, const struct name_work *w)
{
	return !b->t->objects.string_coder || w->coder != LATIN1;
}

static void batch_check_length(struct name_batch *b, struct name_work *w)
{
	uint32_t chars = w->length;

	w->is_alive = w->length <= 2 * NAME_CHARS_MOST;
	if (b->t->objects.string_coder && batch_is_wide(b, w))
		chars /= 2;
	if (chars > JAVA_THREAD_NAME_CHARS)
		chars = JAVA_THREAD_NAME_CHARS;
	w->bytes = batch_is_wide(b, w) ? 2 * chars : chars;
}

/* Reads the text, and the references that led to it a second time. */
static void batch_request_text(struct name_batch *b, struct name_work *w)
{
	const struct name_layout *l = &b->t->objects;

	if (w->bytes)
		batch_add_range(b, w, w->value + l->shape.array_data, w->text,
				w->bytes);
	w->object_is.address = w->object;
	if (w->slot)
		batch_add_reference(b, w, w->slot, &w->object_is, true);
	batch_add_reference(b, w, w->object + l->thread_name, &w->name_is,
			    false);
	if (!l->name_is_chars)
		batch_add_reference(b, w, w->name + l->string_value,
				    &w->value_is, false);
}

static void text_add_utf16(struct text *t, const uint8_t *bytes, uint32_t len)
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

static void batch_check_text(struct name_batch *b, struct name_work *w)
{
	struct text t = { 0 };

	w->is_alive = w->object_is.address == w->object &&
		      w->name_is.address == w->name &&
		      (b->t->objects.name_is_chars ||
		       w->value_is.address == w->value);
	if (!w->is_alive)
		return;
	text_puts(&t, "");
	if (batch_is_wide(b, w)) {
		text_add_utf16(&t, w->text, w->bytes);
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
	void (*request)(struct name_batch *b, struct name_work *w);
	void (*check)(struct name_batch *b, struct name_work *w); /* or NULL */
} steps[] = {
	{ batch_request_handle, NULL },
	{ batch_request_object, batch_check_object },
	{ batch_request_thread, batch_check_thread },
	{ batch_request_string, batch_check_string },
	{ batch_request_length, batch_check_length },
	{ batch_request_text, batch_check_text },
};

/* Finds the objects of the references that were read. */
static void batch_resolve(struct name_batch *b)
{
	const struct java_thread_names *t = b->t;

	if (t->heap)
		java_heap_resolve(t->heap, b->references, b->reference_count);
	for (size_t i = 0; i < b->reference_count && !t->heap; i++) {
		struct java_reference *r = b->references[i];

		r->address = r->is_in_vm ? java_reference_decode(r->value)
					 : object_shape_decode(
						   &t->objects.shape, r->value);
	}
	b->reference_count = 0;
}

static void batch_read_wanted(struct name_batch *b)
{
	if (b->range_count)
		b->t->memory->read_all(b->t->memory, b->ranges, b->range_count);
	for (size_t i = 0; i < b->range_count; i++) {
		if (!b->ranges[i].is_read)
			b->of[i]->is_alive = false;
	}
	b->range_count = 0;
	batch_resolve(b);
}

static void batch_run(struct name_batch *b)
{
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		for (size_t k = 0; k < b->count; k++) {
			if (b->all[k].is_alive)
				steps[i].request(b, &b->all[k]);
		}
		batch_read_wanted(b);
		for (size_t k = 0; k < b->count && steps[i].check; k++) {
			if (b->all[k].is_alive)
				steps[i].check(b, &b->all[k]);
		}
	}
}

void java_thread_names_read(struct java_thread_names *t,
			    struct java_thread_name *all, size_t count)
{
	struct name_batch b = { .t = t };

	b.count = count < JAVA_THREAD_NAMES_AT_ONCE ? count
						    : JAVA_THREAD_NAMES_AT_ONCE;
	for (size_t i = 0; i < count; i++)
		all[i].is_listed = all[i].is_known = false;
	if (!b.count)
		return;
	b.all = xcalloc(b.count, sizeof(*b.all));
	b.ranges = xcalloc(b.count * RANGES, sizeof(*b.ranges));
	b.of = xcalloc(b.count * RANGES, sizeof(*b.of));
	b.references = xcalloc(b.count * RANGES, sizeof(*b.references));
	for (size_t i = 0; i < b.count; i++)
		b.all[i].out = &all[i];
	names_find_threads(t, b.all, b.count);
	batch_run(&b);
	free(b.all);
	free(b.ranges);
	free(b.of);
	free(b.references);
}
