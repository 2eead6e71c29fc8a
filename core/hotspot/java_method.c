/* SPDX-License-Identifier: Apache-2.0 */
#include "core/hotspot/vm_symbols.h"

#include "core/base/alloc.h"
#include "core/base/cursor.h"
#include "core/base/map64.h"
#include "core/process/raw.h"

#include <stdlib.h>
#include <string.h>

/*
 * ---- reading ----
 *
 * The path from a Method* to its names has six steps, each of which needs the
 * result of the step before.  The seventh reads the heads of the symbols again:
 * the JVM may have freed a symbol before its text was read.  Each step is one
 * read for all methods of a batch.
 */

enum { METHOD_CLASS, METHOD_NAME, METHOD_SIGNATURE, METHOD_SYMBOLS };

/* The properties that distinguish a method from another at its address. */
struct method_traits {
	uint64_t method; /* its address */
	uint64_t const_method, constants, holder;
	uint64_t symbols[METHOD_SYMBOLS];      /* addresses */
	uint32_t symbol_marks[METHOD_SYMBOLS]; /* their hashes and lengths, by
						  symbol_mark() */
	uint16_t name_index, signature_index, code_bytes;
};

struct method_read {
	struct method_traits traits; /* the caller sets .method */
	bool is_known;
	uint32_t name; /* of the java_names */
	struct line_table lines;
};

enum {
	BATCH = 128, /* methods per read */
	RANGES = 8,  /* maximum ranges of a method in a step */
	LOWEST = 4096,
	SYMBOL_HEAD = 8, /* bytes; checked by metadata_layout */
	WORD = 8,
	/*
	 * The line numbers, exceptions and local variables that follow a
	 * method's code.
	 */
	MOST_LINE_BYTES = 1 << 18,
	MOST_BATCH_BYTES = 1 << 23, /* maximum bytes of these in a batch */
};

/* A method during the read. */
struct method_work {
	struct method_read *out;
	bool is_alive; /* false once a step has failed */
	bool has_lines;
	uint64_t tags, klass_constants, constants_holder;
	uint32_t pool_length, tag_count;
	uint32_t line_bytes; /* bytes of the lines and the data after them */
	uint8_t *lines;
	uint8_t name_tag, signature_tag;
	uint8_t raw[METADATA_STRUCT_MOST + WORD];
	uint8_t heads[METHOD_SYMBOLS][SYMBOL_HEAD];
	size_t lengths[METHOD_SYMBOLS];
	char *text[METHOD_SYMBOLS];
};

struct method_batch {
	const struct method_layout *l;
	struct memory *memory;
	struct java_names *names;
	struct method_work *all;
	size_t count;
	size_t bytes_left; /* rest of MOST_BATCH_BYTES */
	/*
	 * The ranges of a step, each with a flag that becomes false if it
	 * fails.
	 */
	struct memory_range *ranges;
	bool **needed_by;
	size_t range_count;
};

/* Adds a range to this step; *ok becomes false if it is unreadable. */
static void batch_add_range(struct method_batch *b, bool *ok, uint64_t address,
			    void *bytes, size_t len)
{
	if (address < LOWEST || address > (UINT64_MAX >> 1) - len) {
		*ok = false;
	} else if (len) {
		b->needed_by[b->range_count] = ok;
		b->ranges[b->range_count++] = (struct memory_range){ address,
								     bytes, len,
								     false };
	}
}

static void batch_read_wanted(struct method_batch *b)
{
	if (b->range_count)
		b->memory->read_all(b->memory, b->ranges, b->range_count);
	for (size_t i = 0; i < b->range_count; i++) {
		if (!b->ranges[i].is_read)
			*b->needed_by[i] = false;
	}
	b->range_count = 0;
}

static void batch_request_method(struct method_batch *b, struct method_work *w)
{
	struct method_traits *t = &w->out->traits;

	batch_add_range(b, &w->is_alive, t->method + b->l->method_const,
			&t->const_method, sizeof(t->const_method));
}

static void batch_request_const_method(struct method_batch *b,
				       struct method_work *w)
{
	batch_add_range(b, &w->is_alive, w->out->traits.const_method, w->raw,
			b->l->const_size);
}

static void batch_check_const_method(struct method_batch *b,
				     struct method_work *w)
{
	const struct method_layout *l = b->l;
	struct method_traits *t = &w->out->traits;
	uint64_t bytes = (uint64_t)raw_u32(w->raw, l->const_words) * WORD;
	uint64_t lines_at;

	t->constants = raw_u64(w->raw, l->const_constants);
	t->code_bytes = raw_u16(w->raw, l->const_code_size);
	t->name_index = raw_u16(w->raw, l->const_name);
	t->signature_index = raw_u16(w->raw, l->const_signature);
	lines_at = l->const_size + (uint64_t)t->code_bytes;
	w->is_alive = t->name_index && t->signature_index && bytes >= lines_at;
	if (!w->is_alive || !(raw_u16(w->raw, l->const_flags) & l->lines_flag))
		return;
	bytes -= lines_at;
	if (bytes > MOST_LINE_BYTES)
		bytes = MOST_LINE_BYTES;
	if (!bytes || bytes > b->bytes_left)
		return;
	b->bytes_left -= bytes;
	w->has_lines = true;
	w->line_bytes = (uint32_t)bytes;
	w->lines = xmalloc(bytes);
}

static void batch_request_pool(struct method_batch *b, struct method_work *w)
{
	const struct method_layout *l = b->l;
	struct method_traits *t = &w->out->traits;
	uint64_t slots = t->constants + l->pool_size;

	batch_add_range(b, &w->is_alive, t->constants, w->raw, l->pool_size);
	batch_add_range(b, &w->is_alive, slots + (uint64_t)t->name_index * WORD,
			&t->symbols[METHOD_NAME], WORD);
	batch_add_range(b, &w->is_alive,
			slots + (uint64_t)t->signature_index * WORD,
			&t->symbols[METHOD_SIGNATURE], WORD);
	if (w->has_lines)
		batch_add_range(b, &w->has_lines,
				t->const_method + l->const_size + t->code_bytes,
				w->lines, w->line_bytes);
}

static void batch_check_pool(struct method_batch *b, struct method_work *w)
{
	const struct method_layout *l = b->l;
	struct method_traits *t = &w->out->traits;

	w->tags = raw_u64(w->raw, l->pool_tags);
	t->holder = raw_u64(w->raw, l->pool_holder);
	w->pool_length = raw_u32(w->raw, l->pool_length);
	if (t->name_index >= w->pool_length ||
	    t->signature_index >= w->pool_length)
		w->is_alive = false;
}

static void batch_request_holder(struct method_batch *b, struct method_work *w)
{
	const struct method_layout *l = b->l;
	struct method_traits *t = &w->out->traits;
	uint64_t tags = w->tags + l->array_bytes;

	batch_add_range(b, &w->is_alive, w->tags + l->array_length,
			&w->tag_count, sizeof(w->tag_count));
	batch_add_range(b, &w->is_alive, tags + t->name_index, &w->name_tag, 1);
	batch_add_range(b, &w->is_alive, tags + t->signature_index,
			&w->signature_tag, 1);
	batch_add_range(b, &w->is_alive, t->holder + l->klass_name,
			&t->symbols[METHOD_CLASS], WORD);
	batch_add_range(b, &w->is_alive, t->holder + l->klass_constants,
			&w->klass_constants, WORD);
	for (int i = METHOD_NAME; i <= METHOD_SIGNATURE; i++)
		batch_add_range(b, &w->is_alive, t->symbols[i], w->heads[i],
				SYMBOL_HEAD);
}

static void batch_check_symbol(struct method_batch *b, struct method_work *w,
			       int i)
{
	uint32_t mark = symbol_mark(b->l, w->heads[i]);

	w->lengths[i] = mark & UINT16_MAX;
	if (w->lengths[i] == 0 || w->lengths[i] > b->bytes_left) {
		w->is_alive = false;
		return;
	}
	b->bytes_left -= w->lengths[i];
	w->out->traits.symbol_marks[i] = mark;
	w->text[i] = xmalloc(w->lengths[i]);
}

static void batch_check_holder(struct method_batch *b, struct method_work *w)
{
	w->is_alive = w->tag_count == w->pool_length &&
		      w->name_tag == b->l->tag_utf8 &&
		      w->signature_tag == b->l->tag_utf8;
	for (int i = METHOD_NAME; i <= METHOD_SIGNATURE && w->is_alive; i++)
		batch_check_symbol(b, w, i);
}

static void batch_request_symbol(struct method_batch *b, struct method_work *w,
				 int i)
{
	batch_add_range(b, &w->is_alive,
			w->out->traits.symbols[i] + b->l->symbol_body,
			w->text[i], w->lengths[i]);
}

static void batch_request_names(struct method_batch *b, struct method_work *w)
{
	batch_add_range(b, &w->is_alive, w->out->traits.symbols[METHOD_CLASS],
			w->heads[METHOD_CLASS], SYMBOL_HEAD);
	batch_request_symbol(b, w, METHOD_NAME);
	batch_request_symbol(b, w, METHOD_SIGNATURE);
	/*
	 * The constant pool of the class; intrinsics of method handles have
	 * their own pool.
	 */
	batch_add_range(b, &w->is_alive, w->klass_constants + b->l->pool_holder,
			&w->constants_holder, WORD);
}

static void batch_check_names(struct method_batch *b, struct method_work *w)
{
	/* The remains of an unloaded class rarely pass all of these checks. */
	if (w->constants_holder == w->out->traits.holder)
		batch_check_symbol(b, w, METHOD_CLASS);
	else
		w->is_alive = false;
}

static void batch_request_class_name(struct method_batch *b,
				     struct method_work *w)
{
	batch_request_symbol(b, w, METHOD_CLASS);
}

static void batch_request_heads(struct method_batch *b, struct method_work *w)
{
	for (int i = 0; i < METHOD_SYMBOLS; i++)
		batch_add_range(b, &w->is_alive, w->out->traits.symbols[i],
				w->heads[i], SYMBOL_HEAD);
}

static void batch_check_heads(struct method_batch *b, struct method_work *w)
{
	struct java_symbol s[METHOD_SYMBOLS];
	struct cursor c;

	for (int i = 0; i < METHOD_SYMBOLS; i++) {
		if (symbol_mark(b->l, w->heads[i]) !=
		    w->out->traits.symbol_marks[i])
			return;
		s[i] = (struct java_symbol){ w->text[i], w->lengths[i] };
	}
	w->out->name = java_names_add(b->names, s[METHOD_CLASS], s[METHOD_NAME],
				      s[METHOD_SIGNATURE]);
	w->out->is_known = w->out->name != 0;
	if (!w->out->is_known || !w->has_lines)
		return;
	c = cursor_over(w->lines, w->line_bytes);
	line_table_read(&w->out->lines, &c, w->out->traits.code_bytes,
			b->l->excluded);
}

static const struct {
	void (*request)(struct method_batch *b, struct method_work *w);
	void (*check)(struct method_batch *b,
		      struct method_work *w); /* or NULL */
} steps[] = {
	{ batch_request_method, NULL },
	{ batch_request_const_method, batch_check_const_method },
	{ batch_request_pool, batch_check_pool },
	{ batch_request_holder, batch_check_holder },
	{ batch_request_names, batch_check_names },
	{ batch_request_class_name, NULL },
	{ batch_request_heads, batch_check_heads },
};

static void batch_run(struct method_batch *b)
{
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		for (size_t j = 0; j < b->count; j++) {
			if (b->all[j].is_alive)
				steps[i].request(b, &b->all[j]);
		}
		batch_read_wanted(b);
		for (size_t j = 0; j < b->count && steps[i].check; j++) {
			if (b->all[j].is_alive)
				steps[i].check(b, &b->all[j]);
		}
	}
}

static void batch_read(struct method_batch *b, struct method_read *all,
		       size_t count)
{
	b->all = xcalloc(count, sizeof(*b->all));
	b->count = count;
	b->bytes_left = MOST_BATCH_BYTES;
	b->ranges = xcalloc(count * RANGES, sizeof(*b->ranges));
	b->needed_by = xcalloc(count * RANGES, sizeof(*b->needed_by));
	for (size_t i = 0; i < count; i++) {
		all[i].is_known = false;
		all[i].name = 0;
		all[i].lines = (struct line_table){ 0 };
		b->all[i].out = &all[i];
		b->all[i].is_alive = true;
	}
	batch_run(b);
	for (size_t i = 0; i < count; i++) {
		free(b->all[i].lines);
		for (int j = 0; j < METHOD_SYMBOLS; j++)
			free(b->all[i].text[j]);
	}
	free(b->all);
	free(b->ranges);
	free(b->needed_by);
}

/* Reads all methods.  The caller releases the lines of each result. */
static void methods_read_all(const struct method_layout *l,
			     struct memory *memory, struct java_names *names,
			     struct method_read *all, size_t count)
{
	struct method_batch b = { .l = l, .memory = memory, .names = names };

	for (size_t i = 0; i < count; i += BATCH)
		batch_read(&b, all + i, count - i < BATCH ? count - i : BATCH);
}

/* Computes the addresses of the references to the symbols, in their order. */
static void method_symbol_places(const struct method_layout *l,
				 const struct method_traits *t,
				 uint64_t places[METHOD_SYMBOLS])
{
	uint64_t slots = t->constants + l->pool_size;

	places[METHOD_CLASS] = t->holder + l->klass_name;
	places[METHOD_NAME] = slots + (uint64_t)t->name_index * WORD;
	places[METHOD_SIGNATURE] = slots + (uint64_t)t->signature_index * WORD;
}

/*
 * Returns true when the method with these traits was there when the batch
 * began.
 */
static bool method_is_unchanged(const struct method_layout *l,
				struct memory *memory,
				const struct method_traits *t)
{
	enum { POINTERS = 3 };
	uint64_t places[METHOD_SYMBOLS], symbols[METHOD_SYMBOLS];
	uint64_t pointers[POINTERS] = { 0 };
	uint16_t indexes[3] = { 0 };
	uint8_t heads[METHOD_SYMBOLS][SYMBOL_HEAD] = { 0 };
	struct memory_range ranges[] = {
		{ t->method + l->method_const, &pointers[0], WORD, false },
		{ t->const_method + l->const_constants, &pointers[1], WORD,
		  false },
		{ t->constants + l->pool_holder, &pointers[2], WORD, false },
		{ t->const_method + l->const_name, &indexes[0], 2, false },
		{ t->const_method + l->const_signature, &indexes[1], 2, false },
		{ t->const_method + l->const_code_size, &indexes[2], 2, false },
		{ 0 },
		{ 0 },
		{ 0 },
		{ 0 },
		{ 0 },
		{ 0 },
	};
	const size_t count = sizeof(ranges) / sizeof(*ranges);
	struct memory_range *r = &ranges[count - (size_t)2 * METHOD_SYMBOLS];

	method_symbol_places(l, t, places);
	for (int i = 0; i < METHOD_SYMBOLS; i++) {
		*r++ = (struct memory_range){ places[i], &symbols[i], WORD,
					      false };
		*r++ = (struct memory_range){ t->symbols[i], heads[i],
					      SYMBOL_HEAD, false };
	}
	memory_read_again(memory, ranges, count);
	for (size_t i = 0; i < count; i++) {
		if (!ranges[i].is_read)
			return false;
	}
	for (int i = 0; i < METHOD_SYMBOLS; i++) {
		if (symbols[i] != t->symbols[i] ||
		    symbol_mark(l, heads[i]) != t->symbol_marks[i])
			return false;
	}
	return pointers[0] == t->const_method && pointers[1] == t->constants &&
	       pointers[2] == t->holder && indexes[0] == t->name_index &&
	       indexes[1] == t->signature_index && indexes[2] == t->code_bytes;
}

/* ---- cache ---- */

enum {
	MOST_KEPT = 2 * JAVA_METHODS_AT_ONCE,
	MOST_LINES_KEPT = 1 << 23, /* entries of all cached line tables */
};

struct kept_method {
	struct java_method method;
	struct method_traits traits;
	uint32_t checked_round; /* the round of the last check */
};

struct java_methods {
	const struct method_layout *layout;
	struct memory *memory;
	struct java_names *names;
	struct map64 index; /* index of kept by address */
	struct kept_method *kept;
	size_t count, cap;
	size_t lines; /* entries of all line tables */
	uint32_t round;
};

struct java_methods *java_methods_new(const struct method_layout *layout,
				      struct memory *memory,
				      struct java_names *names)
{
	struct java_methods *s = xcalloc(1, sizeof(*s));

	s->layout = layout;
	s->memory = memory;
	s->names = names;
	return s;
}

static void methods_forget_all(struct java_methods *s)
{
	for (size_t i = 0; i < s->count; i++)
		line_table_release(&s->kept[i].method.lines);
	s->count = 0;
	s->lines = 0;
	map64_clear(&s->index);
}

void java_methods_free(struct java_methods *s)
{
	if (!s)
		return;
	methods_forget_all(s);
	map64_release(&s->index);
	free(s->kept);
	free(s);
}

/* Returns the cached method, adding an empty one if needed. */
static struct kept_method *methods_place_of(struct java_methods *s,
					    uint64_t method)
{
	uint32_t at = map64_get(&s->index, method);

	if (at != MAP64_NONE)
		return &s->kept[at];
	map64_add(&s->index, method, (uint32_t)s->count);
	array_reserve(s->kept, s->cap, s->count + 1);
	s->kept[s->count] = (struct kept_method){ 0 };
	return &s->kept[s->count++];
}

/* Caches a result and takes over its lines. */
static void methods_keep(struct java_methods *s, struct method_read *read)
{
	struct kept_method *k = methods_place_of(s, read->traits.method);

	s->lines += read->lines.count - k->method.lines.count;
	line_table_release(&k->method.lines);
	k->method = (struct java_method){ read->name, read->lines };
	k->traits = read->traits;
	k->checked_round = s->round;
}

static void methods_make_room(struct java_methods *s, size_t more)
{
	if (s->count + more > MOST_KEPT || s->lines > MOST_LINES_KEPT)
		methods_forget_all(s);
}

void java_methods_prepare(struct java_methods *s, const uint64_t *methods,
			  size_t count)
{
	struct method_read *reads;
	size_t wanted = 0;

	if (count > JAVA_METHODS_AT_ONCE)
		count = JAVA_METHODS_AT_ONCE;
	methods_make_room(s, count);
	reads = xcalloc(count, sizeof(*reads));
	for (size_t i = 0; i < count; i++) {
		uint32_t at = map64_get(&s->index, methods[i]);

		if (at == MAP64_NONE || s->kept[at].checked_round != s->round)
			reads[wanted++].traits.method = methods[i];
	}
	methods_read_all(s->layout, s->memory, s->names, reads, wanted);
	for (size_t i = 0; i < wanted; i++)
		methods_keep(s, &reads[i]);
	free(reads);
}

/* True when the method was checked in this round, or passes the check now. */
static bool methods_is_current(struct java_methods *s, struct kept_method *k)
{
	if (k->checked_round == s->round)
		return true;
	if (!k->method.name ||
	    !method_is_unchanged(s->layout, s->memory, &k->traits))
		return false;
	k->checked_round = s->round;
	return true;
}

const struct java_method *java_methods_get(struct java_methods *s,
					   uint64_t method)
{
	struct method_read read = { .traits.method = method };
	uint32_t at = map64_get(&s->index, method);

	if (at != MAP64_NONE && methods_is_current(s, &s->kept[at]))
		return &s->kept[at].method;
	methods_make_room(s, 1);
	methods_read_all(s->layout, s->memory, s->names, &read, 1);
	methods_keep(s, &read);
	return &methods_place_of(s, method)->method;
}

void java_methods_begin(struct java_methods *s) { s->round++; }
