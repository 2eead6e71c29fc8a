/* SPDX-License-Identifier: Apache-2.0 */
#include "core/formats/jfr/jfr_layout.h"

#include "core/base/alloc.h"

#include <stdlib.h>
#include <string.h>

#define DEEPEST_TYPE                                                           \
	16 /* maximum nesting of structs; real types have 3 levels */
#define MOST_OPS                                                               \
	4096 /* maximum number of operations; real types need a few dozen */
/*
 * Maximum number of fields of nested structs, counted each time. Otherwise ten
 * fields of a type with ten fields of a type … would make 10^16.
 */
#define MOST_NESTED 1024

/* A struct that is being compiled: its fields from `next` on. */
struct level {
	const struct jfr_type *type;
	size_t next;
	size_t loop; /* its LOOP operation + 1 if it is an array's element; else
			0 */
};

struct compile {
	struct jfr_layout *l;
	const struct jfr_metadata *m;
	const char *const *wanted;
	size_t wanted_count;
	struct level levels[DEEPEST_TYPE];
	size_t depth;
	size_t nested;        /* number of fields in nested structs */
	size_t behind_wanted; /* number of operations up to the last wanted
				 field */
};

static void layout_emit(struct jfr_layout *l, enum jfr_op_code code, size_t arg)
{
	struct jfr_op *last = l->count ? &l->ops[l->count - 1] : NULL;

	/*
	 * An operation before a loop's body must not be merged into the body.
	 */
	if (last && last->code == code &&
	    (code == JFR_OP_VARINTS || code == JFR_OP_FIXED)) {
		last->arg += (uint32_t)arg;
		return;
	}
	array_add(l->ops, l->count, l->cap,
		  (struct jfr_op){ code, (uint32_t)arg });
}

static void layout_emit_skip(struct jfr_layout *l, enum jfr_wire wire)
{
	static const struct jfr_op skips[] = {
		[JFR_WIRE_VARINT] = { JFR_OP_VARINTS, 1 },
		[JFR_WIRE_BYTE] = { JFR_OP_FIXED, 1 },
		[JFR_WIRE_4] = { JFR_OP_FIXED, 4 },
		[JFR_WIRE_8] = { JFR_OP_FIXED, 8 },
		[JFR_WIRE_STRING] = { JFR_OP_STRING, 0 },
	};

	layout_emit(l, skips[wire].code, skips[wire].arg);
}

/*
 * Returns the slot of a field of the outermost type, or of a struct in it, or
 * -1 if the field is not wanted.
 */
static int layout_wanted_slot(const struct compile *k,
			      const struct jfr_field *f)
{
	const struct level *outer = &k->levels[0];
	const struct jfr_field *in = NULL;
	size_t len = 0;

	if (k->depth > 2 || (k->depth == 2 && k->levels[1].loop))
		return -1;
	if (k->depth == 2) {
		in = &k->m->fields[outer->type->first_field + outer->next - 1];
		len = strlen(in->name);
	}
	for (size_t i = 0; i < k->wanted_count; i++) {
		const char *name = k->wanted[i];

		if (!name)
			continue;
		if (in) {
			if (strncmp(name, in->name, len) != 0 ||
			    name[len] != '.')
				continue;
			name += len + 1;
		}
		if (strcmp(name, f->name) == 0)
			return (int)i;
	}
	return -1;
}

static bool layout_emit_pick(struct compile *k, const struct jfr_field *f,
			     enum jfr_wire wire)
{
	int slot = layout_wanted_slot(k, f);

	if (slot < 0 || f->is_array)
		return false;
	if (wire == JFR_WIRE_VARINT)
		layout_emit(k->l, JFR_OP_PICK_VARINT, (size_t)slot);
	else if (wire == JFR_WIRE_BYTE)
		layout_emit(k->l, JFR_OP_PICK_BYTE, (size_t)slot);
	else if (wire == JFR_WIRE_STRING)
		layout_emit(k->l, JFR_OP_PICK_STRING, (size_t)slot);
	else
		return false;
	k->behind_wanted = k->l->count;
	return true;
}

static size_t layout_open_loop(struct jfr_layout *l)
{
	layout_emit(l, JFR_OP_LOOP, 0);
	return l->count;
}

/* Ends the loop whose body begins at operation `body`. */
static void layout_close_loop(struct jfr_layout *l, size_t body)
{
	if (l->count == body) {
		/* Elements have no bytes, so skip only their count. */
		l->ops[body - 1] = (struct jfr_op){ JFR_OP_VARINTS, 1 };
		return;
	}
	layout_emit(l, JFR_OP_END, body);
	l->ops[body - 1].arg = (uint32_t)l->count;
}

static bool layout_compile_field(struct compile *k, const struct jfr_field *f)
{
	const struct jfr_type *t = jfr_type_by_id(k->m, f->type_id);
	enum jfr_wire wire = JFR_WIRE_VARINT; /* a key of a pool */
	size_t body = 0;

	if (!f->in_pool && !t) {
		layout_emit(k->l, JFR_OP_FAIL, 0);
		return true;
	}
	if (!f->in_pool)
		wire = t->wire;
	if (layout_emit_pick(k, f, wire))
		return true;
	if (f->is_array)
		body = layout_open_loop(k->l);
	if (wire != JFR_WIRE_STRUCT) {
		layout_emit_skip(k->l, wire);
		if (f->is_array)
			layout_close_loop(k->l, body);
		return true;
	}
	if (k->depth == DEEPEST_TYPE)
		return false;
	k->levels[k->depth++] = (struct level){ t, 0, body };
	return true;
}

/* Compiles the fields of the open structs; false if there are too many. */
static bool layout_compile_fields(struct compile *k)
{
	while (k->depth) {
		struct level *top = &k->levels[k->depth - 1];

		if (k->l->count > MOST_OPS || k->nested > MOST_NESTED)
			return false;
		if (top->next < top->type->field_count) {
			const struct jfr_field
				*f = &k->m->fields[top->type->first_field +
						   top->next++];

			k->nested += k->depth > 1;
			if (!layout_compile_field(k, f))
				return false;
			continue;
		}
		if (top->loop)
			layout_close_loop(k->l, top->loop);
		k->depth--;
	}
	return true;
}

bool jfr_layout_compile(struct jfr_layout *l, const struct jfr_metadata *m,
			const struct jfr_type *t, const char *const *wanted,
			size_t wanted_count, bool all)
{
	struct compile k = { l, m, wanted, wanted_count, { { t, 0, 0 } },
			     1, 0, 0 };
	bool fits;

	l->count = 0;
	/*
	 * A simple value, such as one of the string pool, is its own only
	 * field.
	 */
	if (t->wire != JFR_WIRE_STRUCT) {
		if (wanted_count && t->wire == JFR_WIRE_STRING)
			layout_emit(l, JFR_OP_PICK_STRING, 0);
		else
			layout_emit_skip(l, t->wire);
		k.depth = 0;
	}
	fits = layout_compile_fields(&k);
	if (!fits)
		l->count = 0;
	else if (!all)
		l->count = k.behind_wanted;
	layout_emit(l, fits ? JFR_OP_STOP : JFR_OP_FAIL, 0);
	return fits;
}

/* Implements jfr_layout_read() from an operation on. */
__attribute__((noinline)) static void
layout_read_from(const struct jfr_layout *l, const struct jfr_op *op,
		 struct cursor *c, uint64_t *numbers,
		 struct jfr_string *strings)
{
	uint64_t left[DEEPEST_TYPE +
		      1]; /* remaining elements of each open loop */
	size_t depth = 0;
	struct jfr_string text;

	for (;; op++) {
		switch (op->code) {
		case JFR_OP_STOP:
			return;
		case JFR_OP_FAIL:
			cursor_fail(c);
			return;
		case JFR_OP_VARINTS:
			if (op->arg > cursor_left(c)) {
				cursor_fail(c);
				return;
			}
			for (uint32_t i = 0; i < op->arg; i++)
				cursor_skip_varint(c);
			break;
		case JFR_OP_FIXED:
			cursor_skip(c, op->arg);
			break;
		case JFR_OP_STRING:
			jfr_string_read(c);
			if (!cursor_ok(c))
				return;
			break;
		case JFR_OP_LOOP:
			left[depth] = cursor_count(c, 1);
			if (left[depth])
				depth++;
			else
				op = &l->ops[op->arg - 1];
			break;
		case JFR_OP_END:
			/* NOLINTNEXTLINE: the loop operation has set it */
			if (--left[depth - 1] && cursor_ok(c))
				op = &l->ops[op->arg - 1];
			else
				depth--;
			break;
		case JFR_OP_PICK_VARINT:
			numbers[op->arg] = cursor_varint(c);
			break;
		case JFR_OP_PICK_BYTE:
			numbers[op->arg] = cursor_u8(c);
			break;
		case JFR_OP_PICK_STRING:
			text = jfr_string_read(c);
			if (strings)
				strings[op->arg] = text;
			break;
		}
	}
}

void jfr_layout_read(const struct jfr_layout *l, struct cursor *c,
		     uint64_t *numbers, struct jfr_string *strings)
{
	const struct jfr_op *op = l->ops;

	/* Most events begin with numbers, and nothing else is read. */
	for (;; op++) {
		if (op->code == JFR_OP_PICK_VARINT)
			numbers[op->arg] = cursor_varint(c);
		else if (op->code == JFR_OP_VARINTS && op->arg == 1)
			cursor_skip_varint(c);
		else
			break;
	}
	if (op->code != JFR_OP_STOP)
		layout_read_from(l, op, c, numbers, strings);
}

void jfr_layout_release(struct jfr_layout *l)
{
	free(l->ops);
	*l = (struct jfr_layout){ 0 };
}
