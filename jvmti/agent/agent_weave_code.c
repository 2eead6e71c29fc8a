/* SPDX-License-Identifier: Apache-2.0 */
/* The code of one method. */
#include "jvmti/agent/agent_weave.h"

#include "jvmti/agent/agent_system.h"

/* Tags of stack map frames, JVMS 4.7.4. */
enum {
	ITEM_TOP = 0,
	ITEM_INTEGER = 1,
	ITEM_FLOAT = 2,
	ITEM_DOUBLE = 3,
	ITEM_LONG = 4,
	ITEM_UNINITIALIZED_THIS = 6,
	ITEM_OBJECT = 7,
	ITEM_UNINITIALIZED = 8,
};

/* The first version that may have, and the first that must have, frames. */
#define VERSION_FRAMES 50

/* An argument that is copied to a local of its own. */
struct argument {
	uint8_t load, store; /* instructions */
	uint8_t item;        /* tag of its type */
	uint8_t slots;
	uint8_t kind;      /* enum probe_argument */
	uint8_t call;      /* WEAVE_ARG_… */
	unsigned from, to; /* locals */
};

/* A method whose code is being woven. */
struct woven_code {
	struct weaver *w;
	struct class_out *o;
	struct class_reader r; /* of the Code attribute */
	const struct weave_method *m;
	bool is_static, is_init;
	const uint8_t *code;
	size_t len;      /* bytes of the old code */
	size_t at;       /* where the new code begins in o */
	unsigned locals; /* of the old code; the number of the first new one */
	unsigned added;  /* new locals */
	bool has_handler;
	size_t body, handler; /* offsets in the new code */
	/* Bytes of the code before a return up to the point of the count. */
	size_t until_counted;
	struct argument arguments[PROBE_ARGUMENTS];
	unsigned argument_count;
	enum probe_refusal refusal;
};

static bool code_fail(struct woven_code *v, enum probe_refusal why)
{
	if (v->refusal == PROBE_ARMED)
		v->refusal = why;
	return false;
}

static bool code_is_timed(const struct woven_code *v)
{
	return v->m->mode & PROBE_TIME;
}

static bool code_has_args(const struct woven_code *v)
{
	return code_is_timed(v) && v->m->mode & PROBE_ARGS;
}

static bool code_is_traced(const struct woven_code *v)
{
	return code_is_timed(v) && v->m->mode & PROBE_TRACE;
}

/* ---- the code that is added ---- */

static void code_put_local(struct class_out *o, unsigned op, unsigned local)
{
	if (local > 255) {
		class_put_u1(o, OP_WIDE);
		class_put_u1(o, op);
		class_put_u2(o, local);
	} else {
		class_put_u1(o, op);
		class_put_u1(o, local);
	}
}

static void code_put_number(struct class_out *o, unsigned number)
{
	class_put_u1(o, OP_SIPUSH);
	class_put_u2(o, number);
}

static void code_put_call(struct class_out *o, unsigned method)
{
	class_put_u1(o, OP_INVOKESTATIC);
	class_put_u2(o, method);
}

/* Describes a type of a descriptor by its first character. */
static struct argument argument_of(uint8_t type)
{
	switch (type) {
	case 'J':
		return (struct argument){ OP_LLOAD, OP_LSTORE,  ITEM_LONG,
					  2,        PROBE_LONG, WEAVE_ARG_LONG,
					  0,        0 };
	case 'D':
		return (struct argument){
			OP_DLOAD,     OP_DSTORE,        ITEM_DOUBLE, 2,
			PROBE_DOUBLE, WEAVE_ARG_DOUBLE, 0,           0
		};
	case 'F':
		return (struct argument){
			OP_FLOAD,     OP_FSTORE,        ITEM_FLOAT, 1,
			PROBE_DOUBLE, WEAVE_ARG_DOUBLE, 0,          0
		};
	case 'L':
	case '[':
		return (struct argument){
			OP_ALOAD,     OP_ASTORE,        ITEM_OBJECT, 1,
			PROBE_OBJECT, WEAVE_ARG_OBJECT, 0,           0
		};
	default:
		return (struct argument){ OP_ILOAD,
					  OP_ISTORE,
					  ITEM_INTEGER,
					  1,
					  type == 'Z'   ? PROBE_BOOLEAN
					  : type == 'C' ? PROBE_CHAR
							: PROBE_LONG,
					  WEAVE_ARG_LONG,
					  0,
					  0 };
	}
}

/*
 * Reads the next parameter of a descriptor after *at, which is 1 at first.
 * Returns false at the end.
 */
static bool descriptor_next(struct class_text d, size_t *at,
			    struct class_text *type)
{
	size_t begin = *at, i = *at;

	while (i < d.len && d.bytes[i] == '[')
		i++;
	if (i >= d.len || d.bytes[i] == ')')
		return false;
	if (d.bytes[i] == 'L')
		while (i < d.len && d.bytes[i] != ';')
			i++;
	if (i >= d.len)
		return false;
	*at = i + 1;
	*type = (struct class_text){ d.bytes + begin, i + 1 - begin };
	return true;
}

/* Finds the arguments that are recorded, and numbers the new locals. */
static bool code_plan_locals(struct woven_code *v)
{
	unsigned from = v->is_static ? 0 : 1;
	struct class_text type;
	size_t at = 1;

	if (!code_is_timed(v))
		return true;
	v->added = 2;
	while (code_has_args(v) && v->argument_count < PROBE_ARGUMENTS &&
	       descriptor_next(v->m->descriptor, &at, &type)) {
		struct argument *a = &v->arguments[v->argument_count++];

		*a = argument_of(*type.bytes);
		a->from = from;
		a->to = v->locals + v->added;
		from += a->slots;
		v->added += a->slots;
	}
	/* A descriptor that needs more locals is of another method. */
	if (from > v->locals)
		return code_fail(v, PROBE_CLASS_BAD);
	if (v->locals + v->added > WEAVE_CODE)
		return code_fail(v, PROBE_CODE_TOO_LARGE);
	return true;
}

static void code_put_entry(struct woven_code *v)
{
	struct weaver *w = v->w;

	if (!code_is_timed(v)) {
		code_put_number(v->o, v->m->id);
		code_put_call(v->o, w->count);
		return;
	}
	if (code_is_traced(v)) {
		code_put_number(v->o, v->m->id);
		code_put_call(v->o, w->trace_entry);
	}
	if (v->is_init)
		code_put_number(v->o, v->m->id);
	code_put_call(v->o, v->is_init ? w->begin : w->enter);
	code_put_local(v->o, OP_LSTORE, v->locals);
	for (unsigned i = 0; i < v->argument_count; i++) {
		const struct argument *a = &v->arguments[i];

		code_put_local(v->o, a->load, a->from);
		code_put_local(v->o, a->store, a->to);
	}
}

/*
 * Calls the published probe of the end, which moves the start by the time that
 * it takes.  It precedes the count: a stack overflow in it would be counted as
 * an exception of the method.
 */
static void code_put_trace(struct woven_code *v, unsigned method)
{
	if (!code_is_traced(v))
		return;
	code_put_local(v->o, OP_LLOAD, v->locals);
	code_put_number(v->o, v->m->id);
	code_put_call(v->o, method);
	code_put_local(v->o, OP_LSTORE, v->locals);
}

/* Passes the copies of the arguments.  Needs 5 words of the stack. */
static void code_put_args(struct woven_code *v)
{
	for (unsigned i = 0; i < v->argument_count; i++) {
		const struct argument *a = &v->arguments[i];

		code_put_local(v->o, OP_LLOAD, v->locals);
		code_put_number(v->o, i | (unsigned)a->kind << 8);
		code_put_local(v->o, a->load, a->to);
		if (a->load == OP_ILOAD)
			class_put_u1(v->o, OP_I2L);
		if (a->load == OP_FLOAD)
			class_put_u1(v->o, OP_F2D);
		code_put_call(v->o, v->w->arg[a->call]);
	}
}

/* The result of a method is on the stack.  Needs 5 words of the stack. */
static void code_put_exit(struct woven_code *v)
{
	bool has_args = code_has_args(v);
	size_t begin = v->o->len;

	code_put_trace(v, v->w->trace_exit);
	code_put_local(v->o, OP_LLOAD, v->locals);
	code_put_number(v->o, v->m->id);
	code_put_call(v->o, has_args ? v->w->exit_args : v->w->exit);
	v->until_counted = v->o->len - begin;
	if (!has_args)
		return;
	code_put_local(v->o, OP_LSTORE, v->locals);
	code_put_args(v);
	class_put_u1(v->o, OP_ACONST_NULL);
	code_put_local(v->o, OP_LLOAD, v->locals);
	code_put_number(v->o, v->m->id);
	code_put_call(v->o, v->w->done);
}

/* The handler of all exceptions.  Needs 6 words of the stack. */
static void code_put_handler(struct woven_code *v)
{
	bool has_args = code_has_args(v);

	v->handler = v->o->len - v->at;
	if (!v->has_handler)
		return;
	code_put_trace(v, v->w->trace_fail);
	class_put_u1(v->o, OP_DUP);
	code_put_local(v->o, OP_LLOAD, v->locals);
	code_put_number(v->o, v->m->id);
	code_put_call(v->o, has_args ? v->w->fail_args : v->w->fail);
	if (has_args) {
		code_put_local(v->o, OP_LSTORE, v->locals);
		code_put_args(v);
		class_put_u1(v->o, OP_DUP);
		code_put_local(v->o, OP_LLOAD, v->locals);
		code_put_number(v->o, v->m->id);
		code_put_call(v->o, v->w->done);
	}
	class_put_u1(v->o, OP_ATHROW);
}

enum { STACK_ADDED = 6 }; /* maximum of the above */

/* ---- the code of the method ---- */

static bool code_is_return(unsigned op)
{
	return op >= OP_IRETURN && op <= OP_RETURN;
}

static bool code_is_switch(unsigned op)
{
	return op == OP_TABLESWITCH || op == OP_LOOKUPSWITCH;
}

static bool code_is_narrow_jump(unsigned op)
{
	return (op >= OP_IFEQ && op <= OP_JSR) || op == OP_IFNULL ||
	       op == OP_IFNONNULL;
}

/* Where the operands of a switch begin: offsets are padded to 4 bytes. */
static size_t code_switch_operands(size_t at) { return (at & ~(size_t)3) + 4; }

/* Copies an instruction; a switch is padded for its new offset. */
static void code_copy_instruction(struct woven_code *v, size_t at, size_t len)
{
	size_t operands = code_switch_operands(at);

	if (!code_is_switch(v->code[at])) {
		class_put(v->o, v->code + at, len);
		return;
	}
	class_put_u1(v->o, v->code[at]);
	while ((v->o->len - v->at) & 3 && !v->o->is_full)
		class_put_u1(v->o, 0);
	class_put(v->o, v->code + operands, at + len - operands);
}

/* Copies all instructions, with calls before returns; fills the labels. */
static bool code_copy_instructions(struct woven_code *v)
{
	uint32_t *label = v->w->label, *own = v->w->own;
	size_t len;

	memset(own, 0, (v->len + 1) * sizeof(*own));
	code_put_entry(v);
	v->body = v->o->len - v->at;
	for (size_t i = 0; i < v->len; i += len) {
		len = class_instruction(v->code, v->len, i);
		if (!len)
			return code_fail(v, PROBE_CLASS_BAD);
		for (size_t k = i; k < i + len; k++)
			label[k] = (uint32_t)(v->o->len - v->at);
		if (code_is_timed(v) && code_is_return(v->code[i]))
			code_put_exit(v);
		own[i] = (uint32_t)(v->o->len - v->at);
		code_copy_instruction(v, i, len);
		if (v->o->len - v->at > WEAVE_CODE)
			return code_fail(v, PROBE_CODE_TOO_LARGE);
	}
	label[v->len] = own[v->len] = (uint32_t)(v->o->len - v->at);
	code_put_handler(v);
	if (v->o->len - v->at > WEAVE_CODE)
		return code_fail(v, PROBE_CODE_TOO_LARGE);
	return true;
}

/* Translates the distance of a jump from an instruction. */
static bool code_translate_jump(struct woven_code *v, size_t from,
				int32_t distance, int32_t *out)
{
	int64_t to = (int64_t)from + distance;

	if (to < 0 || (uint64_t)to >= v->len || !v->w->own[to])
		return code_fail(v, PROBE_CLASS_BAD);
	*out = (int32_t)v->w->label[to] - (int32_t)v->w->own[from];
	return true;
}

static bool code_mend_jump(struct woven_code *v, size_t i)
{
	size_t at = v->at + v->w->own[i] + 1;
	bool is_narrow = code_is_narrow_jump(v->code[i]);
	int32_t distance = is_narrow ? (int16_t)class_u2_at(v->code + i + 1)
				     : (int32_t)class_u4_at(v->code + i + 1);

	if (!code_translate_jump(v, i, distance, &distance))
		return false;
	if (!is_narrow)
		class_set_u4(v->o, at, (uint32_t)distance);
	else if (distance == (int16_t)distance)
		class_set_u2(v->o, at, (uint16_t)distance);
	else
		return code_fail(v, PROBE_CODE_TOO_LARGE);
	return true;
}

/*
 * The default distance comes first; the others begin after 12 bytes, one in 4
 * (tableswitch) or in 8 bytes (lookupswitch, which has its keys there).
 */
static bool code_mend_switch(struct woven_code *v, size_t i, size_t len)
{
	size_t from = code_switch_operands(i);
	size_t to = v->at + code_switch_operands(v->w->own[i]);
	size_t size = i + len - from;
	size_t step = v->code[i] == OP_TABLESWITCH ? 4 : 8;
	int32_t distance;

	for (size_t x = 0; x + 4 <= size; x += x ? step : 12) {
		distance = (int32_t)class_u4_at(v->code + from + x);
		if (!code_translate_jump(v, i, distance, &distance))
			return false;
		class_set_u4(v->o, to + x, (uint32_t)distance);
	}
	return true;
}

static bool code_mend_jumps(struct woven_code *v)
{
	size_t len;

	for (size_t i = 0; i < v->len; i += len) {
		unsigned op = v->code[i];

		len = class_instruction(v->code, v->len, i);
		if (code_is_narrow_jump(op) || op == OP_GOTO_W ||
		    op == OP_JSR_W) {
			if (!code_mend_jump(v, i))
				return false;
		} else if (code_is_switch(op) && !code_mend_switch(v, i, len)) {
			return false;
		}
	}
	return true;
}

/* Adds an entry of the handler of all exceptions. */
static unsigned code_put_range(struct woven_code *v, size_t from, size_t to)
{
	if (from >= to)
		return 0;
	class_put_u2(v->o, (unsigned)from);
	class_put_u2(v->o, (unsigned)to);
	class_put_u2(v->o, (unsigned)v->handler);
	class_put_u2(v->o, 0);
	return 1;
}

/*
 * Adds the entries of the handler, after those of the method, which come first.
 * A call that has been counted at its return is not in them: an exception of
 * the natives that record it would count it again.  Returns their number.
 */
static unsigned code_put_handled(struct woven_code *v)
{
	size_t from = v->body, len;
	unsigned count = 0;

	if (!v->has_handler)
		return 0;
	for (size_t i = 0; i < v->len; i += len) {
		len = class_instruction(v->code, v->len, i);
		if (!code_is_return(v->code[i]))
			continue;
		count += code_put_range(v, from,
					v->w->label[i] + v->until_counted);
		from = v->w->own[i] + len;
	}
	return count + code_put_range(v, from, v->handler);
}

static bool code_copy_exceptions(struct woven_code *v)
{
	unsigned count = class_u2(&v->r);
	const uint32_t *label = v->w->label;
	size_t count_at = v->o->len;

	class_put_u2(v->o, 0);
	for (unsigned i = 0; i < count && !v->r.is_bad; i++) {
		unsigned from = class_u2(&v->r), to = class_u2(&v->r);
		unsigned handler = class_u2(&v->r), type = class_u2(&v->r);

		if (from >= v->len || to > v->len || handler >= v->len ||
		    !v->w->own[from] || !v->w->own[to] || !v->w->own[handler])
			return code_fail(v, PROBE_CLASS_BAD);
		class_put_u2(v->o, label[from]);
		class_put_u2(v->o, label[to]);
		class_put_u2(v->o, label[handler]);
		class_put_u2(v->o, type);
	}
	count += code_put_handled(v);
	if (count > 0xffff)
		return code_fail(v, PROBE_CODE_TOO_LARGE);
	class_set_u2(v->o, count_at, count);
	return !v->r.is_bad || code_fail(v, PROBE_CLASS_BAD);
}

/* ---- stack map frames ---- */

static struct weave_item frame_read_item(struct class_reader *r)
{
	struct weave_item item = { class_u1(r), 0 };

	if (item.tag == ITEM_OBJECT || item.tag == ITEM_UNINITIALIZED)
		item.value = class_u2(r);
	else if (item.tag > ITEM_UNINITIALIZED)
		r->is_bad = true;
	return item;
}

static unsigned frame_slots(const struct weave_frame *f)
{
	unsigned slots = f->locals;

	for (unsigned i = 0; i < f->locals; i++)
		slots += f->local[i].tag == ITEM_LONG ||
			 f->local[i].tag == ITEM_DOUBLE;
	return slots;
}

static bool frame_read_items(struct woven_code *v, struct class_reader *r,
			     struct weave_item *items, unsigned *count)
{
	*count = class_u2(r);
	if (*count > WEAVE_ITEMS) {
		*count = 0;
		return code_fail(v, PROBE_FRAME_TOO_LARGE);
	}
	for (unsigned i = 0; i < *count; i++)
		items[i] = frame_read_item(r);
	return true;
}

/*
 * Sets the frame at the beginning of the method from its descriptor.  Later
 * frames are written whole, so its classes need constants.
 */
static bool frame_begin(struct woven_code *v)
{
	struct weave_frame *f = &v->w->frame;
	struct class_text type;
	size_t at = 1;

	f->locals = f->stack = 0;
	if (!v->is_static)
		f->local[f->locals++] = (struct weave_item){
			v->is_init ? ITEM_UNINITIALIZED_THIS : ITEM_OBJECT,
			(uint16_t)v->w->this_class
		};
	while (descriptor_next(v->m->descriptor, &at, &type)) {
		struct weave_item item = { argument_of(*type.bytes).item, 0 };

		if (f->locals == WEAVE_ITEMS)
			return code_fail(v, PROBE_FRAME_TOO_LARGE);
		if (item.tag == ITEM_OBJECT) {
			/* Without L and ;, but an array's as it is. */
			if (*type.bytes == 'L' && type.len >= 2)
				type = (struct class_text){ type.bytes + 1,
							    type.len - 2 };
			item.value = (uint16_t)class_pool_add_class(&v->w->pool,
								    type);
			if (!item.value)
				return code_fail(v, PROBE_POOL_TOO_LARGE);
		}
		f->local[f->locals++] = item;
	}
	return true;
}

/* Applies the next entry of the table to the frame. */
static bool frame_read(struct woven_code *v, struct class_reader *r,
		       unsigned *delta)
{
	struct weave_frame *f = &v->w->frame;
	unsigned tag = class_u1(r);

	*delta = tag < 64 ? tag : tag < 128 ? tag - 64 : class_u2(r);
	if (tag == 255)
		return frame_read_items(v, r, f->local, &f->locals) &&
		       frame_read_items(v, r, f->on_stack, &f->stack);
	if (tag >= 128 && tag < 247)
		return code_fail(v, PROBE_CLASS_BAD);
	f->stack = 0;
	if ((tag >= 64 && tag < 128) || tag == 247) {
		f->on_stack[f->stack++] = frame_read_item(r);
	} else if (tag >= 248 && tag <= 250) {
		if (251 - tag > f->locals)
			return code_fail(v, PROBE_CLASS_BAD);
		f->locals -= 251 - tag;
	} else if (tag >= 252) {
		for (unsigned i = 251; i < tag; i++) {
			if (f->locals == WEAVE_ITEMS)
				return code_fail(v, PROBE_FRAME_TOO_LARGE);
			f->local[f->locals++] = frame_read_item(r);
		}
	}
	return true;
}

static bool frame_put_item(struct woven_code *v, struct weave_item item)
{
	class_put_u1(v->o, item.tag);
	if (item.tag == ITEM_OBJECT)
		class_put_u2(v->o, item.value);
	if (item.tag == ITEM_UNINITIALIZED) {
		if (item.value >= v->len || !v->w->own[item.value])
			return code_fail(v, PROBE_CLASS_BAD);
		class_put_u2(v->o, v->w->own[item.value]);
	}
	return true;
}

/* The number of items of the new locals. */
static unsigned frame_added_items(const struct woven_code *v)
{
	return code_is_timed(v) ? 1 + v->argument_count : 0;
}

static void frame_put_added(struct woven_code *v)
{
	if (code_is_timed(v))
		class_put_u1(v->o, ITEM_LONG);
	for (unsigned i = 0; i < v->argument_count; i++) {
		class_put_u1(v->o, v->arguments[i].item);
		if (v->arguments[i].item == ITEM_OBJECT)
			class_put_u2(v->o, v->w->object);
	}
}

/* Writes the frame whole, with the unused locals up to the new ones. */
static bool frame_put(struct woven_code *v, unsigned delta)
{
	const struct weave_frame *f = &v->w->frame;
	unsigned slots = frame_slots(f), unused = 0;

	if (slots > v->locals)
		return code_fail(v, PROBE_CLASS_BAD);
	if (code_is_timed(v))
		unused = v->locals - slots;
	class_put_u1(v->o, 255);
	class_put_u2(v->o, delta);
	class_put_u2(v->o, f->locals + unused + frame_added_items(v));
	for (unsigned i = 0; i < f->locals; i++)
		if (!frame_put_item(v, f->local[i]))
			return false;
	for (unsigned i = 0; i < unused && !v->o->is_full; i++)
		class_put_u1(v->o, ITEM_TOP);
	frame_put_added(v);
	class_put_u2(v->o, f->stack);
	for (unsigned i = 0; i < f->stack; i++)
		if (!frame_put_item(v, f->on_stack[i]))
			return false;
	return true;
}

/* The handler knows only the new locals, and has the exception. */
static void frame_put_handler(struct woven_code *v, int64_t last)
{
	class_put_u1(v->o, 255);
	class_put_u2(v->o, (unsigned)((int64_t)v->handler - last - 1));
	class_put_u2(v->o, v->locals + frame_added_items(v));
	for (unsigned i = 0; i < v->locals && !v->o->is_full; i++)
		class_put_u1(v->o, ITEM_TOP);
	frame_put_added(v);
	class_put_u2(v->o, 1);
	class_put_u1(v->o, ITEM_OBJECT);
	class_put_u2(v->o, v->w->throwable);
}

/* Writes the StackMapTable; r is NULL if the method had none. */
static bool code_put_frames(struct woven_code *v, struct class_reader *r,
			    unsigned name)
{
	unsigned count = r ? class_u2(r) : 0, delta;
	int64_t old = -1, last = -1;
	size_t len_at;

	if (count + v->has_handler > 0xffff)
		return code_fail(v, PROBE_CODE_TOO_LARGE);
	class_put_u2(v->o, name);
	len_at = v->o->len;
	class_put_u4(v->o, 0);
	class_put_u2(v->o, count + v->has_handler);
	if (count && !frame_begin(v))
		return false;
	for (unsigned i = 0; i < count; i++) {
		if (!frame_read(v, r, &delta))
			return false;
		old += delta + 1;
		if (r->is_bad || (uint64_t)old >= v->len || !v->w->own[old])
			return code_fail(v, PROBE_CLASS_BAD);
		if (!frame_put(v, (unsigned)(v->w->label[old] - last - 1)))
			return false;
		last = v->w->label[old];
	}
	if (v->has_handler)
		frame_put_handler(v, last);
	class_set_u4(v->o, len_at, (uint32_t)(v->o->len - len_at - 4));
	return true;
}

/* ---- other attributes of the code ---- */

/*
 * The entry code belongs to the first line and to the parameters: position 0
 * stays 0.
 */
static unsigned code_position(const struct woven_code *v, size_t old)
{
	return old ? v->w->label[old] : 0;
}

static bool code_put_lines(struct woven_code *v, struct class_reader *r)
{
	unsigned count = class_u2(r);

	class_put_u2(v->o, count);
	for (unsigned i = 0; i < count && !r->is_bad; i++) {
		unsigned at = class_u2(r), line = class_u2(r);

		if (at >= v->len)
			return code_fail(v, PROBE_CLASS_BAD);
		class_put_u2(v->o, code_position(v, at));
		class_put_u2(v->o, line);
	}
	return true;
}

static bool code_put_variables(struct woven_code *v, struct class_reader *r)
{
	unsigned count = class_u2(r);

	class_put_u2(v->o, count);
	for (unsigned i = 0; i < count && !r->is_bad; i++) {
		unsigned from = class_u2(r), len = class_u2(r);
		const uint8_t *rest = class_read(r, 6);

		if (!rest || from + len > v->len)
			return code_fail(v, PROBE_CLASS_BAD);
		class_put_u2(v->o, code_position(v, from));
		class_put_u2(v->o,
			     v->w->label[from + len] - code_position(v, from));
		class_put(v->o, rest, 6);
	}
	return true;
}

/* Copies the head of an attribute and its contents by a function. */
static bool
code_put_attribute(struct woven_code *v, unsigned name, struct class_reader *r,
		   bool (*put)(struct woven_code *, struct class_reader *))
{
	class_put_u2(v->o, name);
	class_put_u4(v->o, (uint32_t)r->len);
	return put(v, r);
}

static bool code_copy_rest(struct woven_code *v, struct class_reader *r)
{
	class_put(v->o, r->bytes, r->len);
	r->at = r->len;
	return true;
}

/*
 * Copies or translates an attribute of the code.  Type annotations of code are
 * omitted: they have offsets, and no program can read them.
 */
static bool code_copy_attribute(struct woven_code *v, unsigned *kept,
				bool *has_frames)
{
	unsigned name = class_u2(&v->r);
	uint32_t len = class_u4(&v->r);
	struct class_text text = class_pool_text(&v->w->pool, name);
	struct class_reader r = { class_read(&v->r, len), len, 0, false };
	bool ret;

	if (!r.bytes || !text.bytes)
		return code_fail(v, PROBE_CLASS_BAD);
	if (class_text_is(text, "RuntimeVisibleTypeAnnotations") ||
	    class_text_is(text, "RuntimeInvisibleTypeAnnotations"))
		return true;
	++*kept;
	if (class_text_is(text, "StackMapTable")) {
		if (*has_frames)
			return code_fail(v, PROBE_CLASS_BAD);
		*has_frames = true;
		ret = code_put_frames(v, &r, name);
	} else if (class_text_is(text, "LineNumberTable")) {
		ret = code_put_attribute(v, name, &r, code_put_lines);
	} else if (class_text_is(text, "LocalVariableTable") ||
		   class_text_is(text, "LocalVariableTypeTable")) {
		ret = code_put_attribute(v, name, &r, code_put_variables);
	} else {
		ret = code_put_attribute(v, name, &r, code_copy_rest);
	}
	if (ret && (r.is_bad || r.at != r.len))
		return code_fail(v, PROBE_CLASS_BAD);
	return ret;
}

static bool code_copy_attributes(struct woven_code *v)
{
	unsigned count = class_u2(&v->r), kept = 0;
	size_t count_at = v->o->len;
	bool has_frames = false;

	class_put_u2(v->o, 0);
	for (unsigned i = 0; i < count; i++)
		if (!code_copy_attribute(v, &kept, &has_frames))
			return false;
	/* The handler needs a frame. */
	if (!has_frames && v->has_handler && v->w->version >= VERSION_FRAMES) {
		if (!code_put_frames(v, NULL, v->w->stack_map_table))
			return false;
		kept++;
	}
	if (v->r.is_bad || v->r.at != v->r.len || kept > 0xffff)
		return code_fail(v, PROBE_CLASS_BAD);
	class_set_u2(v->o, count_at, kept);
	return true;
}

/*
 * HotSpot never compiles code above a limit (DontCompileHugeMethods), so a
 * method that would cross the limit would be interpreted while it is woven.
 */
static bool code_is_huge(const struct woven_code *v)
{
	size_t limit = v->w->code_limit;

	return limit && v->len <= limit && v->o->len - v->at > limit;
}

/* Weaves a Code attribute; v->r is over its contents. */
static bool code_weave(struct woven_code *v)
{
	unsigned stack = class_u2(&v->r);
	uint32_t len;

	v->locals = class_u2(&v->r);
	len = class_u4(&v->r);
	v->code = class_read(&v->r, len);
	v->len = len;
	if (!v->code || !len || len > WEAVE_CODE)
		return code_fail(v, PROBE_CLASS_BAD);
	if (stack + STACK_ADDED > 0xffff)
		return code_fail(v, PROBE_CODE_TOO_LARGE);
	v->has_handler = code_is_timed(v) && !v->is_init;
	if (!code_plan_locals(v))
		return false;
	class_put_u2(v->o, stack + STACK_ADDED);
	class_put_u2(v->o, v->locals + v->added);
	class_put_u4(v->o, 0);
	v->at = v->o->len;
	if (!code_copy_instructions(v) || !code_mend_jumps(v))
		return false;
	if (code_is_huge(v))
		return code_fail(v, PROBE_IS_HUGE);
	class_set_u4(v->o, v->at - 4, (uint32_t)(v->o->len - v->at));
	return code_copy_exceptions(v) && code_copy_attributes(v);
}

enum probe_refusal weave_code(struct weaver *w, struct class_reader *contents,
			      const struct weave_method *m, unsigned access)
{
	struct woven_code v = {
		.w = w,
		.o = &w->out,
		.r = *contents,
		.m = m,
		.is_static = access & CLASS_STATIC,
		.is_init = class_text_is(m->name, "<init>"),
	};

	if (code_weave(&v) && !w->pool.is_full && !w->out.is_full)
		return PROBE_ARMED;
	if (v.refusal != PROBE_ARMED)
		return v.refusal;
	return w->pool.is_full ? PROBE_POOL_TOO_LARGE : PROBE_MEMORY_SHORT;
}
