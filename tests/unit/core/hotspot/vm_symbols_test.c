/* SPDX-License-Identifier: Apache-2.0 */
#include "core/hotspot/vm_symbols.h"
#include "tests/unit/metadata_image.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { FRAMES = 300, JDKS = 4 };

static const int jdks[JDKS] = { 8, 11, 17, 25 };

/* bci 0: line 5, bci 3: line 7. */
static const uint8_t lines_17[] = { 0xff, 0, 10, 3 << 3 | 2, 0 };
static const uint8_t lines_25[] = { 0xff, 1, 11, 3 << 3 | 2, 0 };

struct place {
	struct metadata_image image;
	struct vm_symbols *symbols;
	uint64_t methods[3]; /* a.B.outer, a.B.middle, c.D$$Lambda.inner */
	struct code_blob blob;
};

static const struct image_scope scopes[] = {
	{ -1, 0, -1 }, { -1, 0, 3 }, { 1, 1, 2 }, { 2, 2, 4 }, { -1, 0, 0 },
};
static const struct image_pc pcs[] = {
	{ 16, 0 }, { 40, 3 }, { 80, 2 }, { 81, 4 }, { 200, 1 },
};

static uint64_t add_method(struct place *p, const char *name,
			   const char *signature)
{
	bool is_old = p->image.layout.method.excluded == 0;

	return image_method(&p->image, name, signature, 10,
			    is_old ? lines_17 : lines_25, sizeof(lines_17));
}

static void open_place(struct place *p, int jdk)
{
	image_init(&p->image, jdk);
	image_class(&p->image, "a/B");
	p->methods[0] = add_method(p, "outer", "(I[Ljava/lang/String;)V");
	p->methods[1] = add_method(p, "middle", "()[[J");
	image_class(&p->image, "c/D$$Lambda+0x00007f41a5000a08");
	p->methods[2] = add_method(p, "inner", "()Lx/Y;");
	p->blob = image_nmethod(&p->image, p->methods, 3, scopes,
				sizeof(scopes) / sizeof(*scopes), pcs,
				sizeof(pcs) / sizeof(*pcs));
	p->symbols = vm_symbols_open_with(&p->image.layout, &p->image.memory);
}

static void close_place(struct place *p)
{
	vm_symbols_close(p->symbols);
	image_release(&p->image);
}

/* Formats frames as "class.method:line<kind>", innermost first. */
static const char *text_of(const struct java_frame *frames, size_t count)
{
	static char text[65536];
	size_t len = 0;

	text[0] = '\0';
	for (size_t i = 0; i < count; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len,
					"%s%s.%s%s:%u%c", i ? " " : "",
					frames[i].class_name, frames[i].method,
					frames[i].signature, frames[i].line,
					"IcCin"[frames[i].kind]);
	return text;
}

static const char *compiled(struct place *p, uint64_t offset)
{
	struct java_symbols *s = vm_symbols_of(p->symbols);
	struct unwound_frame at = {
		.kind = UNWOUND_COMPILED,
		.pc = p->blob.begin + offset,
		.blob = &p->blob,
	};
	struct java_frame frames[FRAMES];

	return text_of(frames, s->frames(s, &at, 0, frames, FRAMES));
}

static const char *interpreted(struct place *p, uint64_t method, int32_t bci)
{
	struct java_symbols *s = vm_symbols_of(p->symbols);
	struct unwound_frame at = {
		.kind = UNWOUND_INTERPRETED,
		.method = method,
		.bci = bci,
	};
	struct java_frame frames[FRAMES];

	return text_of(frames, s->frames(s, &at, 0, frames, FRAMES));
}

#define OUTER  "a.B.outer(I[Ljava/lang/String;)V"
#define MIDDLE "a.B.middle()[[J"
#define INNER  "c.D$$Lambda.inner()Lx/Y;"

static void inlined_methods_are_those_of_the_next_recorded_place(void **state)
{
	(void)state;
	for (int i = 0; i < JDKS; i++) {
		struct place p;

		open_place(&p, jdks[i]);
		assert_string_equal(compiled(&p, 0), OUTER ":5C");
		assert_string_equal(compiled(&p, 16), OUTER ":5C");
		assert_string_equal(compiled(&p, 17),
				    INNER ":7i " MIDDLE ":5i " OUTER ":7C");
		assert_string_equal(compiled(&p, 40),
				    INNER ":7i " MIDDLE ":5i " OUTER ":7C");
		assert_string_equal(compiled(&p, 41),
				    MIDDLE ":5i " OUTER ":7C");
		assert_string_equal(compiled(&p, 81), OUTER ":5C");
		assert_string_equal(compiled(&p, 200), OUTER ":7C");
		/* After the last place, only the compiled method is known. */
		assert_string_equal(compiled(&p, 201), OUTER ":0C");
		assert_string_equal(compiled(&p, 1000), OUTER ":0C");
		close_place(&p);
	}
}

/* A call without a record may be far from the code of its method. */
static void unrecorded_call_has_the_compiled_method_only(void **state)
{
	struct java_frame frames[FRAMES];

	(void)state;
	for (int i = 0; i < JDKS; i++) {
		struct unwound_frame at = { .kind = UNWOUND_COMPILED,
					    .is_cautious = true };
		struct java_symbols *s;
		struct place p;

		open_place(&p, jdks[i]);
		s = vm_symbols_of(p.symbols);
		at.blob = &p.blob;
		at.pc = p.blob.begin + 30;
		assert_string_equal(
			text_of(frames, s->frames(s, &at, 0, frames, FRAMES)),
			OUTER ":0C");
		close_place(&p);
	}
}

static void vm_symbols_returns_at_most_cap_frames(void **state)
{
	struct java_frame frames[4] = { 0 };
	struct place p;
	struct unwound_frame at = { .kind = UNWOUND_COMPILED };
	struct java_symbols *s;

	(void)state;
	open_place(&p, 25);
	s = vm_symbols_of(p.symbols);
	at.blob = &p.blob;
	at.pc = p.blob.begin + 40;
	assert_int_equal(s->frames(s, &at, 0, frames, 2), 2);
	assert_string_equal(text_of(frames, 2), INNER ":7i " MIDDLE ":5i");
	assert_null(frames[2].class_name);
	assert_int_equal(s->frames(s, &at, 0, frames, 0), 0);
	at.pc = p.blob.begin + 300;
	assert_int_equal(s->frames(s, &at, 0, frames, 0), 0);
	close_place(&p);
}

static void interpreted_frame_has_the_line_of_its_bci(void **state)
{
	(void)state;
	for (int i = 0; i < JDKS; i++) {
		struct place p;

		open_place(&p, jdks[i]);
		assert_string_equal(interpreted(&p, p.methods[0], 0),
				    OUTER ":5I");
		assert_string_equal(interpreted(&p, p.methods[0], 9),
				    OUTER ":7I");
		assert_string_equal(interpreted(&p, p.methods[2], -1),
				    INNER ":0I");
		close_place(&p);
	}
}

static void frame_kind_is_that_of_the_compiler(void **state)
{
	struct place p;

	(void)state;
	open_place(&p, 17);
	p.blob.tier = 3;
	assert_string_equal(compiled(&p, 16), OUTER ":5c");
	p.blob.kind = BLOB_NATIVE;
	p.blob.identity = 5000;
	assert_string_equal(compiled(&p, 16), OUTER ":0n");
	close_place(&p);
}

static void cached_names_are_not_read_again(void **state)
{
	struct place p;
	size_t reads;

	(void)state;
	open_place(&p, 25);
	compiled(&p, 40);
	interpreted(&p, p.methods[1], 0);
	reads = p.image.reads;
	/* Header, tables, seven steps for methods. */
	assert_true(reads <= 9);
	for (uint64_t offset = 0; offset < 256; offset++)
		compiled(&p, offset);
	interpreted(&p, p.methods[1], 3);
	assert_int_equal(p.image.reads, reads);
	/* A new batch checks methods again, in one read each. */
	vm_symbols_begin(p.symbols);
	compiled(&p, 40);
	assert_int_equal(p.image.reads, reads);
	interpreted(&p, p.methods[1], 3);
	interpreted(&p, p.methods[1], 0);
	assert_int_equal(p.image.reads, reads + 1);
	close_place(&p);
}

static void names_of_compiled_code_outlive_an_unloaded_class(void **state)
{
	struct place p;

	(void)state;
	open_place(&p, 17);
	compiled(&p, 40);
	interpreted(&p, p.methods[0], 0);
	memset(p.image.bytes, 0xf1, IMAGE_BYTES);
	vm_symbols_begin(p.symbols);
	assert_string_equal(compiled(&p, 40),
			    INNER ":7i " MIDDLE ":5i " OUTER ":7C");
	assert_string_equal(interpreted(&p, p.methods[0], 0), "");
	close_place(&p);
}

static void another_method_at_the_same_address_is_noticed(void **state)
{
	struct place p;
	uint64_t other;

	(void)state;
	open_place(&p, 17);
	assert_string_equal(interpreted(&p, p.methods[0], 0), OUTER ":5I");
	image_class(&p.image, "e/F");
	other = add_method(&p, "other", "()V");
	image_put(
		&p.image, p.methods[0] + p.image.layout.method.method_const,
		image_u64(&p.image, other + p.image.layout.method.method_const),
		8);
	vm_symbols_begin(p.symbols);
	assert_string_equal(interpreted(&p, p.methods[0], 0),
			    "e.F.other()V:5I");
	close_place(&p);
}

/* The old pool has the class as its holder, whose pool is another one now. */
static void running_method_of_a_redefined_class_is_named(void **state)
{
	struct place p;
	uint64_t holder, pool;

	(void)state;
	open_place(&p, 25);
	image_class(&p.image, "a/B");
	holder = p.image.holder;
	pool = p.image.constants;
	image_class(&p.image, "a/New");
	p.methods[0] = add_method(&p, "old", "()V");
	image_put(&p.image,
		  p.image.constants + p.image.layout.method.pool_holder, holder,
		  8);
	assert_string_equal(interpreted(&p, p.methods[0], 0), "a.B.old()V:5I");
	/* The check fails if the pool has no holder. */
	image_put(&p.image, pool + p.image.layout.method.pool_holder, 0, 8);
	vm_symbols_begin(p.symbols);
	compiled(&p, 0);
	p.methods[0] = add_method(&p, "other", "()V");
	assert_string_equal(interpreted(&p, p.methods[0], 0), "");
	close_place(&p);
}

static void nmethod_freed_while_it_is_read_is_refused(void **state)
{
	struct vm_symbols_counts counts;
	struct place p;

	(void)state;
	open_place(&p, 25);
	p.blob.compile_id++;
	assert_string_equal(compiled(&p, 40), OUTER ":0C");
	vm_symbols_count(p.symbols, &counts);
	assert_int_equal(counts.compiled, 1);
	assert_int_equal(counts.without_scopes, 1);
	/* The scopes are read again in another batch. */
	p.blob.compile_id--;
	assert_string_equal(compiled(&p, 40), OUTER ":0C");
	vm_symbols_begin(p.symbols);
	assert_string_equal(compiled(&p, 40),
			    INNER ":7i " MIDDLE ":5i " OUTER ":7C");
	close_place(&p);
}

/*
 * Overwrites a field of the header; without scopes, the method's name remains.
 */
static void damaged_header(int jdk, uint32_t field, uint64_t value, size_t len)
{
	struct place p;

	open_place(&p, jdk);
	image_put(&p.image, p.blob.address + field, value, len);
	assert_string_equal(compiled(&p, 40), OUTER ":0C");
	close_place(&p);
}

static void scope_tables_outside_the_blob_are_not_read(void **state)
{
	struct place p;
	struct scopes_layout oldest, old, new;

	(void)state;
	open_place(&p, 17);
	old = p.image.layout.scopes;
	close_place(&p);
	open_place(&p, 25);
	new = p.image.layout.scopes;
	close_place(&p);
	open_place(&p, 8);
	oldest = p.image.layout.scopes;
	close_place(&p);
	damaged_header(8, oldest.scopes_pcs, 0, 4);
	damaged_header(8, oldest.scopes_data, 0, 4);
	damaged_header(8, oldest.scopes_data, 0xffffffff, 4);
	damaged_header(17, old.scopes_pcs, 0x7fffffff, 4);
	damaged_header(17, old.scopes_pcs, 0, 4);
	damaged_header(17, old.dependencies, 0xffffffff, 4);
	damaged_header(17, old.metadata, 0xffffffff, 4);
	damaged_header(17, old.scopes_data_begin, 0, 8);
	damaged_header(17, old.blob_size, 8, 4);
	damaged_header(25, new.scopes_pcs, 0xffffffff, 4);
	damaged_header(25, new.scopes_data, 0xffffffff, 4);
	damaged_header(25, new.scopes_data, 0, 4);
	damaged_header(25, new.immutable_data, 0, 8);
	damaged_header(25, new.immutable_data, UINT64_MAX, 8);
	damaged_header(25, new.immutable_size, 0, 4);
	damaged_header(25, new.mutable_data, 1, 8);
	damaged_header(25, new.mutable_size, 0, 4);
	damaged_header(25, new.relocation_size, 0xffffffff, 4);
}

static const char *with_scopes(int jdk, const struct image_scope *s,
			       size_t count, const struct image_pc *pc,
			       size_t pc_count)
{
	static char text[65536];
	struct place p;

	open_place(&p, jdk);
	p.blob = image_nmethod(&p.image, p.methods, 3, s, count, pc, pc_count);
	snprintf(text, sizeof(text), "%s", compiled(&p, 4));
	close_place(&p);
	return text;
}

static void inconsistent_scopes_are_refused(void **state)
{
	static const struct image_pc first[] = { { 4, 0 } };
	static const struct image_pc backwards[] = { { 8, 0 }, { 4, 0 } };
	static const struct image_pc before[] = { { -1, 0 }, { -2, 0 } };
	static const struct image_scope right[] = { { -1, 0, 3 } };
	static const struct image_scope no_method[] = { { -1, -1, 3 } };
	static const struct image_scope far_method[] = { { -1, 99, 3 } };
	static const struct image_scope other_root[] = { { -1, 1, 3 } };
	static const struct image_scope far_bci[] = { { -1, 0, 70000 } };
	static const struct image_scope itself[] = { { 0, 0, 3 } };

	(void)state;
	for (int i = 0; i < JDKS; i++) {
		int jdk = jdks[i];

		assert_string_equal(with_scopes(jdk, right, 1, first, 1),
				    OUTER ":7C");
		assert_string_equal(with_scopes(jdk, right, 1, backwards, 2),
				    OUTER ":0C");
		assert_string_equal(with_scopes(jdk, right, 1, before, 2),
				    OUTER ":0C");
		assert_string_equal(with_scopes(jdk, no_method, 1, first, 1),
				    OUTER ":0C");
		assert_string_equal(with_scopes(jdk, far_method, 1, first, 1),
				    OUTER ":0C");
		assert_string_equal(with_scopes(jdk, other_root, 1, first, 1),
				    OUTER ":0C");
		assert_string_equal(with_scopes(jdk, far_bci, 1, first, 1),
				    OUTER ":0C");
		assert_string_equal(with_scopes(jdk, itself, 1, first, 1),
				    OUTER ":0C");
	}
}

/*
 * Returns the number of frames of a chain of `count` scopes, each of which has
 * a place, or only the last.
 */
static size_t depth_of(size_t count, bool each)
{
	struct image_scope chain[IMAGE_SCOPES];
	struct image_pc at_each[IMAGE_SCOPES];
	size_t first = each ? 0 : count - 1;
	struct java_frame frames[IMAGE_SCOPES];
	struct unwound_frame at = { .kind = UNWOUND_COMPILED };
	struct java_symbols *s;
	struct place p;
	size_t depth;

	for (size_t i = 0; i < count; i++) {
		chain[i] = (struct image_scope){ (int)i - 1, i ? 1 : 0, 2 };
		at_each[i] = (struct image_pc){ 1 + (int)i / 4, (int)i };
	}
	at_each[count - 1].offset = 200;
	open_place(&p, 17);
	p.blob = image_nmethod(&p.image, p.methods, 3, chain, count,
			       at_each + first, count - first);
	at.blob = &p.blob;
	at.pc = p.blob.begin + at_each[count - 1].offset;
	s = vm_symbols_of(p.symbols);
	depth = s->frames(s, &at, 0, frames, IMAGE_SCOPES);
	close_place(&p);
	return depth;
}

static void endless_inlining_is_refused(void **state)
{
	(void)state;
	for (int each = 0; each < 2; each++) {
		assert_int_equal(depth_of(1, each), 1);
		assert_int_equal(depth_of(VM_SYMBOLS_INLINING, each),
				 VM_SYMBOLS_INLINING);
		/* Only the compiled method is reported then. */
		assert_int_equal(depth_of(VM_SYMBOLS_INLINING + 1, each), 1);
		assert_int_equal(depth_of(IMAGE_SCOPES, each), 1);
	}
}

/* Returns the number of reads for code with that many metadata entries. */
static size_t reads_for(uint32_t metadata)
{
	struct place p;
	uint64_t size_at;
	size_t reads;

	open_place(&p, 25);
	size_at = p.blob.address + p.image.layout.scopes.mutable_size;
	image_put(&p.image, size_at, 8 * metadata + 16, 4);
	image_put(&p.image,
		  p.blob.address + p.image.layout.scopes.relocation_size, 16,
		  4);
	reads = p.image.reads;
	compiled(&p, 40);
	reads = p.image.reads - reads;
	close_place(&p);
	return reads;
}

/* Both tables are unreadable, but only the smaller one is tried. */
static void nmethod_with_too_many_methods_is_refused(void **state)
{
	(void)state;
	assert_int_equal(reads_for(VM_SYMBOLS_METHODS),
			 reads_for(VM_SYMBOLS_METHODS + 1) + 1);
}

/* Damages each byte of the image; reads stay within bounds. */
static void damaged_metadata_gives_names_or_none(void **state)
{
	(void)state;
	for (int j = 0; j < JDKS; j++) {
		struct place p;
		size_t used;

		open_place(&p, jdks[j]);
		used = p.image.used;
		for (size_t i = 0; i < used; i++) {
			uint8_t was = p.image.bytes[i];

			for (unsigned flip = 1; flip < 256; flip *= 7) {
				p.image.bytes[i] = was ^ (uint8_t)flip;
				vm_symbols_begin(p.symbols);
				p.blob.identity++;
				for (uint64_t at = 0; at < 256; at += 20)
					compiled(&p, at);
				interpreted(&p, p.methods[2], 3);
			}
			p.image.bytes[i] = was;
		}
		close_place(&p);
	}
}

static void address_that_is_not_a_method_has_no_name(void **state)
{
	static const uint64_t nowhere[] = { 0,
					    1,
					    4095,
					    UINT64_MAX,
					    UINT64_MAX - 7,
					    IMAGE_BASE - 8,
					    IMAGE_BASE + IMAGE_BYTES };
	struct place p;

	(void)state;
	open_place(&p, 17);
	for (size_t i = 0; i < sizeof(nowhere) / sizeof(*nowhere); i++)
		assert_string_equal(interpreted(&p, nowhere[i], 0), "");
	close_place(&p);
}

/* The reference count is a separate field until JDK 11. */
static void symbol_without_references_is_not_a_name(void **state)
{
	(void)state;
	for (int i = 0; i < JDKS; i++) {
		struct place p;
		uint64_t name;

		open_place(&p, jdks[i]);
		name = image_u64(&p.image,
				 p.image.holder +
					 p.image.layout.method.klass_name);
		assert_string_equal(interpreted(&p, p.methods[2], 0),
				    INNER ":5I");
		image_put(&p.image,
			  name + p.image.layout.method.symbol_refcount, 0, 2);
		vm_symbols_begin(p.symbols);
		assert_string_equal(interpreted(&p, p.methods[2], 0), "");
		close_place(&p);
	}
}

static void (*before)(struct memory *self, struct memory_range *ranges,
		      size_t count);
static struct place *freeing;
static uint64_t freed; /* the symbol */
static int reads_left;

static void read_and_free(struct memory *self, struct memory_range *ranges,
			  size_t count)
{
	before(self, ranges, count);
	if (--reads_left == 0)
		image_put(&freeing->image,
			  freed + freeing->image.layout.method.symbol_refcount,
			  0, 2);
}

static void
method_whose_symbol_is_freed_during_the_read_is_unknown(void **state)
{
	struct place p;

	(void)state;
	for (int n = 1; n <= 7; n++) {
		open_place(&p, 17);
		freeing = &p;
		before = p.image.memory.read_all;
		p.image.memory.read_all = read_and_free;
		freed = image_u64(&p.image,
				  p.image.holder +
					  p.image.layout.method.klass_name);
		reads_left = n;
		/* The seventh read is the last one. */
		assert_string_equal(interpreted(&p, p.methods[2], 0),
				    n < 7 ? "" : INNER ":5I");
		close_place(&p);
	}
}

static const char *method_named(const char *class_name, const char *name,
				const char *signature)
{
	static char text[65536];
	struct place p;
	uint64_t method;

	open_place(&p, 17);
	image_class(&p.image, class_name);
	method = image_method(&p.image, name, signature, 0, NULL, 0);
	snprintf(text, sizeof(text), "%s", interpreted(&p, method, 0));
	close_place(&p);
	return text;
}

static void class_names_lose_the_address_of_hidden_classes(void **state)
{
	(void)state;
	assert_string_equal(method_named("Top", "<init>", "()V"),
			    "Top.<init>()V:0I");
	assert_string_equal(method_named("a/b/C$$Lambda$14+0x0000000800c03000",
					 "run", "([[IJ)Ljava/lang/Object;"),
			    "a.b.C$$Lambda$14.run([[IJ)Ljava/lang/Object;:0I");
	assert_string_equal(
		method_named("a/B$$Lambda$41+0x80000004c", "run", "()V"),
		"a.B$$Lambda$41.run()V:0I");
	/* These names have no address of a hidden class. */
	assert_string_equal(
		method_named("a/C+0x80000004c0000000000", "b", "()V"),
		"a.C+0x80000004c0000000000.b()V:0I");
	assert_string_equal(method_named("a/C+0x00", "b", "()V"),
			    "a.C+0x00.b()V:0I");
	assert_string_equal(method_named("+0x0000000800c03000", "b", "()V"),
			    "+0x0000000800c03000.b()V:0I");
	assert_string_equal(method_named("a/C+0x000000080Gc03000", "b", "()V"),
			    "a.C+0x000000080Gc03000.b()V:0I");
	assert_string_equal(method_named("\xc3\xa9/\xed\xa0\xbd\xed\xb8\x80",
					 "\xc0\x80", "()V"),
			    "\xc3\xa9.\xed\xa0\xbd\xed\xb8\x80.\xc0\x80"
			    "()V:0I");
}

static void impossible_names_are_refused(void **state)
{
	static const char *const wrong[][3] = {
		{ "", "b", "()V" },         { "a", "", "()V" },
		{ "a", "b", "" },           { "a", "b", "V" },
		{ "a", "b", "()" },         { "a", "b", "(V)V" },
		{ "a", "b", "()VV" },       { "a", "b", "()[V" },
		{ "a", "b", "(I" },         { "a", "b", "(Lx)V" },
		{ "a", "b", "()Lx" },       { "a", "b", "()[" },
		{ "a", "b", "(Q)V" },       { "a\x80", "b", "()V" },
		{ "a\xc3", "b", "()V" },    { "a", "\xf0\x9f\x98\x80", "()V" },
		{ "a", "\xe2\x82", "()V" }, { "a", "b", "(L\xff;)V" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		assert_string_equal(
			method_named(wrong[i][0], wrong[i][1], wrong[i][2]),
			"");
}

static void methods_prepare_takes_few_reads(void **state)
{
	enum { METHODS = 30 };
	const struct code_blob *pointers[METHODS];
	struct code_blob blobs[METHODS];
	struct java_frame frame;
	struct place p;

	(void)state;
	open_place(&p, 25);
	image_class(&p.image, "m/M");
	for (int i = 0; i < METHODS; i++) {
		char name[16];

		snprintf(name, sizeof(name), "m%d", i);
		blobs[i].method = add_method(&p, name, "()V");
		pointers[i] = &blobs[i];
	}
	p.image.reads = 0;
	vm_symbols_prepare(p.symbols, pointers, METHODS);
	assert_int_equal(p.image.reads, 7);
	assert_int_equal(vm_symbols_method(p.symbols, blobs[29].method, &frame),
			 1);
	assert_string_equal(frame.method, "m29");
	assert_int_equal(p.image.reads, 7);
	close_place(&p);
}

static void generated_code_has_the_name_of_its_blob(void **state)
{
	struct place p;
	struct code_blob blob = { .kind = BLOB_STUB, .name = "StubRoutines" };
	struct unwound_frame at = { .kind = UNWOUND_GENERATED, .blob = &blob };
	struct java_symbols *s;

	(void)state;
	open_place(&p, 17);
	s = vm_symbols_of(p.symbols);
	assert_string_equal(s->generated(s, &at, 0), "StubRoutines");
	blob.name[0] = '\0';
	assert_null(s->generated(s, &at, 0));
	at.blob = NULL;
	assert_null(s->generated(s, &at, 0));
	assert_int_equal(s->frames(s, &at, 0, NULL, 0), 0);
	close_place(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			inlined_methods_are_those_of_the_next_recorded_place),
		cmocka_unit_test(unrecorded_call_has_the_compiled_method_only),
		cmocka_unit_test(vm_symbols_returns_at_most_cap_frames),
		cmocka_unit_test(interpreted_frame_has_the_line_of_its_bci),
		cmocka_unit_test(frame_kind_is_that_of_the_compiler),
		cmocka_unit_test(cached_names_are_not_read_again),
		cmocka_unit_test(
			names_of_compiled_code_outlive_an_unloaded_class),
		cmocka_unit_test(another_method_at_the_same_address_is_noticed),
		cmocka_unit_test(running_method_of_a_redefined_class_is_named),
		cmocka_unit_test(nmethod_freed_while_it_is_read_is_refused),
		cmocka_unit_test(scope_tables_outside_the_blob_are_not_read),
		cmocka_unit_test(inconsistent_scopes_are_refused),
		cmocka_unit_test(endless_inlining_is_refused),
		cmocka_unit_test(nmethod_with_too_many_methods_is_refused),
		cmocka_unit_test(damaged_metadata_gives_names_or_none),
		cmocka_unit_test(address_that_is_not_a_method_has_no_name),
		cmocka_unit_test(symbol_without_references_is_not_a_name),
		cmocka_unit_test(
			class_names_lose_the_address_of_hidden_classes),
		cmocka_unit_test(impossible_names_are_refused),
		cmocka_unit_test(methods_prepare_takes_few_reads),
		cmocka_unit_test(
			method_whose_symbol_is_freed_during_the_read_is_unknown),
		cmocka_unit_test(generated_code_has_the_name_of_its_blob),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
