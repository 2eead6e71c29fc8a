/* SPDX-License-Identifier: Apache-2.0 */
#include "core/hotspot/java_threads.h"

#include "bpf/sampling/sampling_threads.h"
#include "core/base/clock.h"
#include "core/hotspot/object_fields.h"
#include "tests/unit/hotspot_image.h"
#include "tests/unit/metadata_image.h"
#include "tests/unit/sanitizers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

enum { WORD = 8, TID = 4711, OTHER_TID = 1 << 29, JAVA_ID = 31 };

/* A field of a class, in the order of the class file. */
struct image_field {
	const char *name, *signature;
	uint32_t offset;
	bool is_static, is_generic;
};

/* Layouts of objects; in JDK 8 a String has a char[]. */
struct objects {
	int jdk;
	uint32_t header;      /* 8, 12 or 16 */
	uint32_t reference;   /* 4 or 8 bytes */
	uint32_t array_data;  /* offset of its elements */
	uint64_t heap;        /* base of references of 4 bytes */
	unsigned color_shift; /* generational ZGC; 0 = no colors */
	bool is_early;        /* JDK 8: Thread.name is a char[] */
};

/* clang-format off */
static const struct objects all_objects[] = {
	{ 8, 12, 4, 16, HOTSPOT_IMAGE, 0, false },
	{ 8, 12, 4, 16, HOTSPOT_IMAGE, 0, true },
	{ 8, 16, 8, 24, 0, 0, false },
	{ 11, 12, 4, 16, HOTSPOT_IMAGE, 0, false },
	{ 17, 12, 4, 16, HOTSPOT_IMAGE, 0, false },
	{ 17, 12, 8, 16, 0, 0, false },
	{ 17, 16, 8, 24, 0, 0, false },
	{ 25, 12, 4, 16, HOTSPOT_IMAGE, 0, false },
	{ 25, 8, 4, 12, HOTSPOT_IMAGE, 0, false },
	{ 25, 16, 8, 20, 0, 0, false },
	{ 25, 12, 8, 16, 0, 13, false },
	{ 25, 8, 8, 12, 0, 16, false },
};
/* clang-format on */

struct place {
	const struct objects *o;
	pid_t tid;
	struct hotspot_image image;
	struct vm_structs *structs;
	uint64_t string_class;
	uint64_t java_thread, slot, thread, name, value;
	struct java_thread_names *threads;
};

static uint64_t add_number(struct hotspot_image *i, uint64_t at, uint32_t value)
{
	uint8_t bytes[8];
	size_t len = image_unsigned5(bytes, value, 1);

	for (size_t k = 0; k < len; k++)
		hotspot_image_put(i, at++, bytes[k], 1);
	return at;
}

static uint64_t add_stream(struct hotspot_image *i,
			   const struct image_field *fields, size_t count)
{
	uint64_t array = hotspot_image_add(i, 4 + 256), at = array + 4;

	at = add_number(i, at, (uint32_t)count);
	at = add_number(i, at, 0);
	for (size_t k = 0; k < count; k++) {
		at = add_number(i, at, 2 * (uint32_t)k + 1);
		at = add_number(i, at, 2 * (uint32_t)k + 2);
		at = add_number(i, at, fields[k].offset);
		at = add_number(i, at, fields[k].is_static ? 0x0a : 0x02);
		at = add_number(i, at, fields[k].is_generic ? 4 : 0);
		if (fields[k].is_generic)
			at = add_number(i, at, 77);
	}
	hotspot_image_put(i, array, at - array - 4, 4);
	return array;
}

static uint64_t add_slots(struct hotspot_image *i,
			  const struct image_field *fields, size_t count)
{
	uint64_t array = hotspot_image_add(i, 4 + count * 12), at = array + 4;

	hotspot_image_put(i, array, count * 6, 4);
	for (size_t k = 0; k < count; k++, at += 12) {
		hotspot_image_put(i, at, fields[k].is_static ? 0x0a : 0x02, 2);
		hotspot_image_put(i, at + 2, 2 * k + 1, 2);
		hotspot_image_put(i, at + 4, 2 * k + 2, 2);
		hotspot_image_put(i, at + 8, fields[k].offset << 2 | 1, 4);
	}
	return array;
}

static uint64_t add_class(struct hotspot_image *i,
			  const struct image_field *fields, size_t count)
{
	uint64_t class = hotspot_image_add(i, 512);
	uint64_t size = hotspot_image_size(i, "ConstantPool");
	uint64_t pool = hotspot_image_add(i, size + (2 * count + 1) * WORD);

	for (size_t k = 0; k < count; k++) {
		uint64_t at = pool + size + (2 * k + 1) * WORD;

		hotspot_image_put(
			i, at, hotspot_image_symbol(i, fields[k].name), WORD);
		hotspot_image_put(i, at + WORD,
				  hotspot_image_symbol(i, fields[k].signature),
				  WORD);
	}
	hotspot_image_put_field(i, class, "InstanceKlass", "_constants", pool,
				WORD);
	hotspot_image_put_field(i, class, "InstanceKlass", "_java_fields_count",
				count, 2);
	hotspot_image_put_field(i, class, "InstanceKlass", "_fields",
				add_slots(i, fields, count), WORD);
	hotspot_image_put_field(i, class, "InstanceKlass", "_fieldinfo_stream",
				add_stream(i, fields, count), WORD);
	return class;
}

/* Offsets in a Thread: eetop, tid, and references. */
enum { EETOP = 16, THREAD_TID = 24, REFERENCES = 32 };

static void add_classes(struct place *p)
{
	const struct objects *o = p->o;
	struct hotspot_image *i = &p->image;
	const uint32_t name = REFERENCES + o->reference;
	const struct image_field thread[] = {
		{ "count", "I", 8, true, false },
		{ "target", "Ljava/lang/Runnable;", REFERENCES, false, true },
		{ "name", o->is_early ? "[C" : "Ljava/lang/String;", name,
		  false, false },
		{ "eetop", "J", EETOP, false, false },
		{ "tid", "J", THREAD_TID, false, false },
	};
	const struct image_field string[] = {
		{ "serialVersionUID", "J", 4, true, false },
		{ "value", o->jdk == 8 ? "[C" : "[B",
		  o->header + (o->header % o->reference ? 4 : 0), false,
		  false },
		{ "hash", "I",
		  o->header % o->reference ? o->header
					   : o->header + o->reference,
		  false, false },
		{ o->jdk == 8 ? "hash32" : "coder", o->jdk == 8 ? "I" : "B", 32,
		  false, false },
	};

	hotspot_image_put(i, i->statics[HOTSPOT_THREAD_CLASS],
			  add_class(i, thread, 5), WORD);
	p->string_class = add_class(i, string, 4);
	hotspot_image_put(i, i->statics[HOTSPOT_STRING_CLASS], p->string_class,
			  WORD);
	hotspot_image_put(i, i->statics[HOTSPOT_OOP_BASE], o->heap, WORD);
	hotspot_image_put(i, i->statics[HOTSPOT_OOP_SHIFT], 3, 4);
	hotspot_image_put(i, i->statics[HOTSPOT_CLASS_BASE], HOTSPOT_IMAGE,
			  WORD);
	hotspot_image_put(i, i->statics[HOTSPOT_CLASS_SHIFT], 3, 4);
}

static uint64_t colored(const struct place *p, uint64_t address)
{
	unsigned shift = p->o->color_shift;

	if (!shift)
		return address;
	/* The color bits are below the shifted address. */
	return address << shift | UINT64_C(1) << (shift - 1) | 0x290;
}

static void put_reference(struct place *p, uint64_t at, uint64_t to)
{
	uint64_t value = p->o->reference == 4 ? (to - p->o->heap) >> 3
					      : colored(p, to);

	hotspot_image_put(&p->image, at, value, p->o->reference);
}

static void put_class(struct place *p, uint64_t object)
{
	uint64_t narrow = (p->string_class - HOTSPOT_IMAGE) >> 3;

	if (p->o->header == 8)
		hotspot_image_put(&p->image, object, narrow << 42 | 1, WORD);
	else if (p->o->header == 12)
		hotspot_image_put(&p->image, object + WORD, narrow, 4);
	else
		hotspot_image_put(&p->image, object + WORD, p->string_class,
				  WORD);
}

/* Adds a String with these bytes, or the char[] of an early JDK 8. */
static void add_name(struct place *p, const char *bytes, size_t len, bool wide)
{
	struct hotspot_image *i = &p->image;
	const struct objects *o = p->o;
	uint32_t value_at = o->header + (o->header % o->reference ? 4 : 0);

	p->value = hotspot_image_add(i, 64 + len);
	hotspot_image_put(i, p->value + o->header, o->jdk == 8 ? len / 2 : len,
			  4);
	for (size_t k = 0; k < len; k++)
		hotspot_image_put(i, p->value + o->array_data + k,
				  (uint8_t)bytes[k], 1);
	p->name = p->value;
	if (!o->is_early) {
		p->name = hotspot_image_add(i, 64);
		put_class(p, p->name);
		put_reference(p, p->name + value_at, p->value);
		hotspot_image_put(i, p->name + 32, wide, 1);
	}
	put_reference(p, p->thread + REFERENCES + o->reference, p->name);
}

static uint64_t add_java_thread(struct place *p, pid_t tid)
{
	struct hotspot_image *i = &p->image;
	uint64_t thread = hotspot_image_add(i, 1200);
	uint64_t os_thread = hotspot_image_add(i, 256);

	hotspot_image_put_field(i, os_thread, "OSThread", "_thread_id",
				(uint64_t)tid, 4);
	hotspot_image_put_field(i, thread, "JavaThread", "_osthread", os_thread,
				WORD);
	hotspot_image_put_field(i, thread, "Thread", "_osthread", os_thread,
				WORD);
	return thread;
}

/* The first JavaThread has no Thread. */
static void add_threads(struct place *p)
{
	struct hotspot_image *i = &p->image;
	uint64_t first = add_java_thread(p, OTHER_TID);
	uint64_t list = hotspot_image_add(i, 32);
	uint64_t array = hotspot_image_add(i, 16);
	uint64_t slot = hotspot_image_add(i, WORD);

	p->java_thread = add_java_thread(p, p->tid);
	p->thread = hotspot_image_add(i, 64);
	hotspot_image_put(i, p->thread + EETOP, p->java_thread, WORD);
	hotspot_image_put(i, p->thread + THREAD_TID, JAVA_ID, WORD);
	hotspot_image_put_field(i, first, "JavaThread", "_next", p->java_thread,
				WORD);
	hotspot_image_put_field(i, list, "ThreadsList", "_length", 2, 4);
	hotspot_image_put_field(i, list, "ThreadsList", "_threads", array,
				WORD);
	hotspot_image_put(i, array, first, WORD);
	hotspot_image_put(i, array + WORD, p->java_thread, WORD);
	hotspot_image_put(i, i->statics[HOTSPOT_THREADS],
			  p->o->jdk < 17 ? first : list, WORD);
	if (p->o->jdk < 17) {
		hotspot_image_put_field(i, p->java_thread, "JavaThread",
					"_threadObj", p->thread, WORD);
		return;
	}
	p->slot = slot;
	hotspot_image_put(i, slot, colored(p, p->thread), WORD);
	hotspot_image_put_field(i, p->java_thread, "JavaThread", "_threadObj",
				slot, WORD);
}

static void open_place_of(struct place *p, const struct objects *o, pid_t tid)
{
	struct error err = { 0 };

	*p = (struct place){ .o = o, .tid = tid };
	hotspot_image_init(&p->image, o->jdk);
	add_classes(p);
	add_threads(p);
	hotspot_image_open(&p->image);
	p->structs = vm_structs_read(p->image.program, p->image.bias,
				     &p->image.memory, NULL, false, &err);
	assert_non_null(p->structs);
	p->threads = java_thread_names_open(p->structs, &p->image.memory, &err);
	assert_non_null(p->threads);
}

static void open_place(struct place *p, const struct objects *o)
{
	open_place_of(p, o, TID);
}

static void close_place(struct place *p)
{
	java_thread_names_close(p->threads);
	vm_structs_free(p->structs);
	hotspot_image_release(&p->image);
}

/* Returns the name of the thread; NULL when it is unknown. */
static const char *name_of(struct place *p, pid_t tid)
{
	static struct java_thread_name t;

	t = (struct java_thread_name){ .tid = tid };
	java_thread_names_read(p->threads, &t, 1);
	if (t.is_known)
		assert_int_equal(t.java_id, JAVA_ID);
	return t.is_known ? t.name : NULL;
}

/* Adds text as the JVM stores it: UTF-16 in JDK 8, otherwise Latin-1. */
static void add_latin1(struct place *p, const char *text)
{
	char wide[2 * 300] = { 0 };
	size_t len = strlen(text);

	if (p->o->jdk > 8) {
		add_name(p, text, len, false);
		return;
	}
	for (size_t k = 0; k < len; k++)
		wide[2 * k] = text[k];
	add_name(p, wide, 2 * len, true);
}

enum { OBJECTS = sizeof(all_objects) / sizeof(*all_objects) };

static void thread_names_are_read_from_every_object_layout(void **state)
{
	(void)state;
	for (size_t k = 0; k < OBJECTS; k++) {
		struct place p;

		open_place(&p, &all_objects[k]);
		add_latin1(&p, "a worker with a long name \xe9");
		assert_string_equal(name_of(&p, TID),
				    "a worker with a long name \xc3\xa9");
		/*
		 * A JavaThread without a Thread, and a thread that does not
		 * exist.
		 */
		assert_null(name_of(&p, OTHER_TID));
		assert_null(name_of(&p, 1));
		assert_null(name_of(&p, 0));
		close_place(&p);
	}
}

static void utf16_thread_names_become_utf8(void **state)
{
	/* Alpha, an emoji, half of one, and a NUL. */
	static const char text[] = "\xb1\x03\x3d\xd8\x00\xde\x3d\xd8\x00\x00";

	(void)state;
	for (size_t k = 0; k < OBJECTS; k++) {
		struct place p;

		open_place(&p, &all_objects[k]);
		add_name(&p, text, 10, true);
		assert_string_equal(name_of(&p, TID),
				    "\xce\xb1\xf0\x9f\x98\x80\xef\xbf\xbd"
				    "\xef\xbf\xbd");
		close_place(&p);
	}
}

static void empty_thread_name_is_known_and_long_one_truncated(void **state)
{
	char text[300];

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	for (size_t k = 0; k < OBJECTS; k++) {
		struct place p;

		open_place(&p, &all_objects[k]);
		add_latin1(&p, "");
		assert_string_equal(name_of(&p, TID), "");
		add_latin1(&p, text);
		assert_int_equal(strlen(name_of(&p, TID)),
				 JAVA_THREAD_NAME_CHARS);
		close_place(&p);
	}
}

/* Replaces the objects as a collector might. */
static void object_that_is_not_a_thread_or_string_has_no_name(void **state)
{
	(void)state;
	for (size_t k = 0; k < OBJECTS; k++) {
		const struct objects *o = &all_objects[k];
		struct hotspot_image *i;
		struct place p;

		open_place(&p, o);
		i = &p.image;
		add_latin1(&p, "name");
		assert_non_null(name_of(&p, TID));
		hotspot_image_put(i, p.thread + EETOP, p.java_thread + 8, WORD);
		assert_null(name_of(&p, TID));
		hotspot_image_put(i, p.thread + EETOP, p.java_thread, WORD);
		if (!o->is_early) {
			p.string_class += 64;
			put_class(&p, p.name);
			assert_null(name_of(&p, TID));
			p.string_class -= 64;
			put_class(&p, p.name);
		}
		assert_non_null(name_of(&p, TID));
		hotspot_image_put(i, p.value + o->header, 0x7fffffff, 4);
		assert_null(name_of(&p, TID));
		hotspot_image_put(i, p.value + o->header, 2, 4);
		assert_non_null(name_of(&p, TID));
		/* The class of an array is not checked. */
		if (!o->is_early) {
			put_reference(&p, p.thread + REFERENCES + o->reference,
				      p.thread);
			assert_null(name_of(&p, TID));
		}
		close_place(&p);
	}
}

/* The reference to the name changes before its text is read. */
static void (*before)(struct memory *self, struct memory_range *ranges,
		      size_t count);
static struct place *moving;
static int reads_left;

static void read_and_move(struct memory *self, struct memory_range *ranges,
			  size_t count)
{
	before(self, ranges, count);
	if (--reads_left == 0)
		put_reference(moving,
			      moving->thread + REFERENCES +
				      moving->o->reference,
			      moving->value);
}

static void name_that_moves_while_it_is_read_is_unknown(void **state)
{
	struct place p;
	int known = 0;

	(void)state;
	open_place(&p, &all_objects[4]);
	moving = &p;
	before = p.image.memory.read_all;
	p.image.memory.read_all = read_and_move;
	for (int n = 1; n < 15; n++) {
		add_latin1(&p, "name");
		reads_left = n;
		known += name_of(&p, TID) != NULL;
	}
	/* Only changes after the last read leave the name known. */
	assert_int_equal(known, 2);
	close_place(&p);
}

static void java_reference_decode_returns_an_address_or_zero(void **state)
{
	(void)state;
	assert_int_equal(java_reference_decode(0), 0);
	assert_int_equal(java_reference_decode(8), 0);
	assert_int_equal(java_reference_decode(0x7f0000001001), 0);
	assert_int_equal(java_reference_decode(0x7f0000001000), 0x7f0000001000);
#ifdef __x86_64__
	/* Values with two color bits or none. */
	assert_int_equal(java_reference_decode(0x40000000000f3000ull), 0);
	assert_int_equal(java_reference_decode(0x40000000000f0000ull), 0);
	assert_int_equal(
		java_reference_decode(UINT64_C(0x40000001000) << 14 | 0x2000),
		0x40000001000);
#endif
}

static void thread_names_of_a_jvm_without_classes_are_unavailable(void **state)
{
	struct error err = { 0 };
	struct place p;

	(void)state;
	open_place(&p, &all_objects[4]);
	hotspot_image_put(&p.image, p.image.statics[HOTSPOT_THREAD_CLASS], 0,
			  WORD);
	assert_null(java_thread_names_open(p.structs, &p.image.memory, &err));
	assert_int_equal(err.kind, ERROR_UNAVAILABLE);
	close_place(&p);
}

/* Damages each byte that names are read from. */
static void damage_anywhere_gives_a_name_or_none(void **state)
{
	(void)state;
	for (size_t k = 0; k < OBJECTS; k++) {
		struct error unused;
		struct place p;
		size_t used;

		open_place(&p, &all_objects[k]);
		add_latin1(&p, "name");
		used = p.image.used;
		for (size_t at = 64; at < used;
		     at += (IS_SANITIZED ? 5 : 1) + at % 3) {
			struct java_thread_name thread = { .tid = TID };
			uint8_t was = p.image.bytes[at];
			struct java_thread_names *t;

			p.image.bytes[at] = was ^ (uint8_t)(1 << at % 8);
			java_thread_names_read(p.threads, &thread, 1);
			assert_true(!thread.is_known ||
				    strlen(thread.name) < sizeof(thread.name));
			/* Tables are read once; classes are read again. */
			t = java_thread_names_open(p.structs, &p.image.memory,
						   &unused);
			java_thread_names_close(t);
			p.image.bytes[at] = was;
		}
		close_place(&p);
	}
}

/*
 * Returns the name in prof of a thread with these names in the kernel and the
 * heap.
 */
static const char *prof_name(const char *comm, const char *in_heap)
{
	static char name[64];
	pid_t tid = (pid_t)syscall(SYS_gettid);
	struct profile *profile = profile_new();
	struct sampling_threads *t;
	char was[16] = { 0 };
	struct place p;
	uint32_t id;

	open_place_of(&p, &all_objects[4], tid);
	add_latin1(&p, in_heap);
	prctl(PR_GET_NAME, was);
	prctl(PR_SET_NAME, comm);
	t = sampling_threads_new(profile, &p.image.jvm);
	sampling_threads_use_memory(t, p.structs, &p.image.memory);
	id = sampling_threads_id(t, tid, comm);
	sampling_threads_finish(t, 0);
	snprintf(name, sizeof(name), "%s",
		 profile_text(profile, profile->threads[id].name));
	prctl(PR_SET_NAME, was);
	sampling_threads_free(t);
	profile_free(profile);
	close_place(&p);
	return name;
}

static void thread_name_in_the_heap_must_fit_the_kernels_name(void **state)
{
	static const char *const cases[][3] = {
		{ "a worker with a", "a worker with a long name",
		  "a worker with a long name" },
		{ "a worke..g name", "a worker with a long name",
		  "a worker with a long name" },
		/* A thread that another thread renamed, and the main thread. */
		{ "a worker with a", "another name", "another name" },
		{ "java", "main", "main" },
		/*
		 * A name that is not text is rejected, and complete names are
		 * not read.
		 */
		{ "java", "\x01\x02", "java" },
		{ "a worker with a", "x\x7f", "a worker with a" },
		{ "a worker", "another name", "a worker" },
		{ "java", "", "java" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_string_equal(prof_name(cases[i][0], cases[i][1]),
				    cases[i][2]);
}

/* A collector may move the name while it is read. */
static void
thread_name_without_a_fitting_kernel_name_is_read_twice(void **state)
{
	pid_t tid = (pid_t)syscall(SYS_gettid);
	struct profile *profile = profile_new();
	struct sampling_threads *t;
	char was[16] = { 0 };
	struct place p;
	uint32_t id;

	(void)state;
	open_place_of(&p, &all_objects[4], tid);
	add_latin1(&p, "main");
	prctl(PR_GET_NAME, was);
	prctl(PR_SET_NAME, "java");
	t = sampling_threads_new(profile, &p.image.jvm);
	sampling_threads_use_memory(t, p.structs, &p.image.memory);
	id = sampling_threads_id(t, tid, "java");
	sampling_threads_refresh(t);
	assert_string_equal(profile_text(profile, profile->threads[id].name),
			    "java");
	add_latin1(&p, "moved");
	sampling_threads_finish(t, 0);
	assert_string_equal(profile_text(profile, profile->threads[id].name),
			    "moved");
	assert_int_equal(profile->threads[id].java_id, JAVA_ID);
	prctl(PR_SET_NAME, was);
	sampling_threads_free(t);
	profile_free(profile);
	close_place(&p);
}

/* As ZGC does, hides the Thread until the memory was read a number of times. */
static void read_until_healed(struct memory *self, struct memory_range *ranges,
			      size_t count)
{
	before(self, ranges, count);
	if (--reads_left == 0)
		hotspot_image_put(&moving->image, moving->thread + EETOP,
				  moving->java_thread, WORD);
}

/* Internal threads, in contrast, are not searched for so often. */
static void missed_thread_name_is_read_until_the_collector_is_done(void **state)
{
	pid_t tid = (pid_t)syscall(SYS_gettid);
	struct profile *profile = profile_new();
	struct sampling_threads *t;
	char was[16] = { 0 };
	struct place p;
	uint32_t id;

	(void)state;
	open_place_of(&p, &all_objects[4], tid);
	add_latin1(&p, "a worker with a long name");
	hotspot_image_put(&p.image, p.thread + EETOP, p.java_thread + 8, WORD);
	moving = &p;
	reads_left = 100;
	before = p.image.memory.read_all;
	p.image.memory.read_all = read_until_healed;
	prctl(PR_GET_NAME, was);
	prctl(PR_SET_NAME, "a worker with a");
	t = sampling_threads_new(profile, &p.image.jvm);
	sampling_threads_use_memory(t, p.structs, &p.image.memory);
	id = sampling_threads_id(t, tid, "a worker with a");
	sampling_threads_finish(t, INT64_MAX);
	assert_true(reads_left < 0);
	assert_string_equal(profile_text(profile, profile->threads[id].name),
			    "a worker with a long name");
	prctl(PR_SET_NAME, was);
	sampling_threads_free(t);
	profile_free(profile);
	close_place(&p);
}

/* The owner may sleep all the time, like any thread without a sample. */
static void owner_of_a_monitor_has_no_sample_of_its_own(void **state)
{
	pid_t tid = (pid_t)syscall(SYS_gettid);
	const struct monitor_owner owner = { .ns_tid = tid };
	struct profile *profile = profile_new();
	struct sampling_threads *t;
	struct place p;
	uint32_t id;

	(void)state;
	open_place_of(&p, &all_objects[4], tid);
	t = sampling_threads_new(profile, &p.image.jvm);
	id = sampling_threads_owner(t, &owner, clock_monotonic_ns());
	assert_int_not_equal(id, 0);
	assert_false(sampling_threads_has_sample(t, tid));
	assert_int_equal(sampling_threads_id(t, tid, "sampled"), id);
	assert_true(sampling_threads_has_sample(t, tid));
	sampling_threads_free(t);
	profile_free(profile);
	close_place(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			thread_names_are_read_from_every_object_layout),
		cmocka_unit_test(utf16_thread_names_become_utf8),
		cmocka_unit_test(
			empty_thread_name_is_known_and_long_one_truncated),
		cmocka_unit_test(
			object_that_is_not_a_thread_or_string_has_no_name),
		cmocka_unit_test(name_that_moves_while_it_is_read_is_unknown),
		cmocka_unit_test(
			java_reference_decode_returns_an_address_or_zero),
		cmocka_unit_test(
			thread_names_of_a_jvm_without_classes_are_unavailable),
		cmocka_unit_test(damage_anywhere_gives_a_name_or_none),
		cmocka_unit_test(
			thread_name_in_the_heap_must_fit_the_kernels_name),
		cmocka_unit_test(
			thread_name_without_a_fitting_kernel_name_is_read_twice),
		cmocka_unit_test(
			missed_thread_name_is_read_until_the_collector_is_done),
		cmocka_unit_test(owner_of_a_monitor_has_no_sample_of_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
