/* SPDX-License-Identifier: Apache-2.0 */
#include "core/hotspot/method_read.h"

#include "core/base/alloc.h"
#include "core/base/cursor.h"
#include "core/process/raw.h"

#include <stdlib.h>
#include <string.h>

enum {
	BATCH = 128, /* methods that are read at once */
	RANGES = 8,  /* at most, of a method in a step */
	LOWEST = 4096,
	SYMBOL_HEAD = 8, /* metadata_layout sees to it */
	WORD = 8,
	/* Behind a method's code: its lines, exceptions, local variables. */
	MOST_LINE_BYTES = 1 << 18,
	MOST_BATCH_BYTES = 1 << 23, /* of them, of a batch */
};

/* A method on its way. */
struct work {
	struct method_read *out;
	bool is_alive; /* nothing was wrong so far */
	bool has_lines;
	uint64_t tags, klass_constants, constants_holder;
	uint32_t pool_length, tag_count;
	uint32_t line_bytes; /* and more that stands behind them */
	uint8_t *lines;
	uint8_t name_tag, signature_tag;
	uint8_t raw[METADATA_STRUCT_MOST + WORD];
	uint8_t heads[METHOD_SYMBOLS][SYMBOL_HEAD];
	size_t lengths[METHOD_SYMBOLS];
	char *text[METHOD_SYMBOLS];
};

struct batch {
	const struct method_layout *l;
	struct memory *memory;
	struct java_names *names;
	struct work *all;
	size_t count;
	size_t bytes_left; /* of MOST_BATCH_BYTES */
	/* The reads of a step, and what becomes false when one fails. */
	struct memory_range *ranges;
	bool **needed_by;
	size_t range_count;
};

/* Reads the bytes in this step; *ok is false when they cannot be had. */
static void want(struct batch *b, bool *ok, uint64_t address, void *bytes,
		 size_t len)
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

static void read_wanted(struct batch *b)
{
	if (b->range_count)
		b->memory->read_all(b->memory, b->ranges, b->range_count);
	for (size_t i = 0; i < b->range_count; i++) {
		if (!b->ranges[i].is_read)
			*b->needed_by[i] = false;
	}
	b->range_count = 0;
}

static void ask_method(struct batch *b, struct work *w)
{
	struct method_traits *t = &w->out->traits;

	want(b, &w->is_alive, t->method + b->l->method_const, &t->const_method,
	     sizeof(t->const_method));
}

static void ask_const_method(struct batch *b, struct work *w)
{
	want(b, &w->is_alive, w->out->traits.const_method, w->raw,
	     b->l->const_size);
}

static void see_const_method(struct batch *b, struct work *w)
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

static void ask_pool(struct batch *b, struct work *w)
{
	const struct method_layout *l = b->l;
	struct method_traits *t = &w->out->traits;
	uint64_t slots = t->constants + l->pool_size;

	want(b, &w->is_alive, t->constants, w->raw, l->pool_size);
	want(b, &w->is_alive, slots + (uint64_t)t->name_index * WORD,
	     &t->symbols[METHOD_NAME], WORD);
	want(b, &w->is_alive, slots + (uint64_t)t->signature_index * WORD,
	     &t->symbols[METHOD_SIGNATURE], WORD);
	if (w->has_lines)
		want(b, &w->has_lines,
		     t->const_method + l->const_size + t->code_bytes, w->lines,
		     w->line_bytes);
}

static void see_pool(struct batch *b, struct work *w)
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

static void ask_holder(struct batch *b, struct work *w)
{
	const struct method_layout *l = b->l;
	struct method_traits *t = &w->out->traits;
	uint64_t tags = w->tags + l->array_bytes;

	want(b, &w->is_alive, w->tags + l->array_length, &w->tag_count,
	     sizeof(w->tag_count));
	want(b, &w->is_alive, tags + t->name_index, &w->name_tag, 1);
	want(b, &w->is_alive, tags + t->signature_index, &w->signature_tag, 1);
	want(b, &w->is_alive, t->holder + l->klass_name,
	     &t->symbols[METHOD_CLASS], WORD);
	want(b, &w->is_alive, t->holder + l->klass_constants,
	     &w->klass_constants, WORD);
	for (int i = METHOD_NAME; i <= METHOD_SIGNATURE; i++)
		want(b, &w->is_alive, t->symbols[i], w->heads[i], SYMBOL_HEAD);
}

/* Its hash and its length; 0 of a symbol that nobody refers to. */
static uint32_t mark_of(const struct method_layout *l, const uint8_t *head)
{
	uint32_t hash = raw_u16(head, l->symbol_hash);
	uint32_t length = raw_u16(head, l->symbol_length);

	return raw_u16(head, l->symbol_refcount) ? hash << 16 | length : 0;
}

static void see_symbol(struct batch *b, struct work *w, int i)
{
	uint32_t mark = mark_of(b->l, w->heads[i]);

	w->lengths[i] = mark & UINT16_MAX;
	if (w->lengths[i] == 0 || w->lengths[i] > b->bytes_left) {
		w->is_alive = false;
		return;
	}
	b->bytes_left -= w->lengths[i];
	w->out->traits.symbol_marks[i] = mark;
	w->text[i] = xmalloc(w->lengths[i]);
}

static void see_holder(struct batch *b, struct work *w)
{
	w->is_alive = w->tag_count == w->pool_length &&
		      w->name_tag == b->l->tag_utf8 &&
		      w->signature_tag == b->l->tag_utf8;
	for (int i = METHOD_NAME; i <= METHOD_SIGNATURE && w->is_alive; i++)
		see_symbol(b, w, i);
}

static void ask_symbol(struct batch *b, struct work *w, int i)
{
	want(b, &w->is_alive, w->out->traits.symbols[i] + b->l->symbol_body,
	     w->text[i], w->lengths[i]);
}

static void ask_names(struct batch *b, struct work *w)
{
	want(b, &w->is_alive, w->out->traits.symbols[METHOD_CLASS],
	     w->heads[METHOD_CLASS], SYMBOL_HEAD);
	ask_symbol(b, w, METHOD_NAME);
	ask_symbol(b, w, METHOD_SIGNATURE);
	/* Those of the class: intrinsics of method handles have their own. */
	want(b, &w->is_alive, w->klass_constants + b->l->pool_holder,
	     &w->constants_holder, WORD);
}

static void see_names(struct batch *b, struct work *w)
{
	/* What is left of a class that was unloaded is rarely so whole. */
	if (w->constants_holder == w->out->traits.holder)
		see_symbol(b, w, METHOD_CLASS);
	else
		w->is_alive = false;
}

static void ask_class_name(struct batch *b, struct work *w)
{
	ask_symbol(b, w, METHOD_CLASS);
}

static void see_class_name(struct batch *b, struct work *w)
{
	struct java_symbol s[METHOD_SYMBOLS];
	struct cursor c;

	for (int i = 0; i < METHOD_SYMBOLS; i++)
		s[i] = (struct java_symbol){ w->text[i], w->lengths[i] };
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
	void (*ask)(struct batch *b, struct work *w);
	void (*see)(struct batch *b, struct work *w); /* or NULL */
} steps[] = {
	{ ask_method, NULL },     { ask_const_method, see_const_method },
	{ ask_pool, see_pool },   { ask_holder, see_holder },
	{ ask_names, see_names }, { ask_class_name, see_class_name },
};

static void run(struct batch *b)
{
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		for (size_t j = 0; j < b->count; j++) {
			if (b->all[j].is_alive)
				steps[i].ask(b, &b->all[j]);
		}
		read_wanted(b);
		for (size_t j = 0; j < b->count && steps[i].see; j++) {
			if (b->all[j].is_alive)
				steps[i].see(b, &b->all[j]);
		}
	}
}

static void read_batch(struct batch *b, struct method_read *all, size_t count)
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
	run(b);
	for (size_t i = 0; i < count; i++) {
		free(b->all[i].lines);
		for (int j = 0; j < METHOD_SYMBOLS; j++)
			free(b->all[i].text[j]);
	}
	free(b->all);
	free(b->ranges);
	free(b->needed_by);
}

void method_read_all(const struct method_layout *l, struct memory *memory,
		     struct java_names *names, struct method_read *all,
		     size_t count)
{
	struct batch b = { .l = l, .memory = memory, .names = names };

	for (size_t i = 0; i < count; i += BATCH)
		read_batch(&b, all + i, count - i < BATCH ? count - i : BATCH);
}

/* Where each of the symbols is said to be, in their order. */
static void symbol_places(const struct method_layout *l,
			  const struct method_traits *t,
			  uint64_t places[METHOD_SYMBOLS])
{
	uint64_t slots = t->constants + l->pool_size;

	places[METHOD_CLASS] = t->holder + l->klass_name;
	places[METHOD_NAME] = slots + (uint64_t)t->name_index * WORD;
	places[METHOD_SIGNATURE] = slots + (uint64_t)t->signature_index * WORD;
}

bool method_is_still(const struct method_layout *l, struct memory *memory,
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

	symbol_places(l, t, places);
	for (int i = 0; i < METHOD_SYMBOLS; i++) {
		*r++ = (struct memory_range){ places[i], &symbols[i], WORD,
					      false };
		*r++ = (struct memory_range){ t->symbols[i], heads[i],
					      SYMBOL_HEAD, false };
	}
	memory->read_all(memory, ranges, count);
	for (size_t i = 0; i < count; i++) {
		if (!ranges[i].is_read)
			return false;
	}
	for (int i = 0; i < METHOD_SYMBOLS; i++) {
		if (symbols[i] != t->symbols[i] ||
		    mark_of(l, heads[i]) != t->symbol_marks[i])
			return false;
	}
	return pointers[0] == t->const_method && pointers[1] == t->constants &&
	       pointers[2] == t->holder && indexes[0] == t->name_index &&
	       indexes[1] == t->signature_index && indexes[2] == t->code_bytes;
}
