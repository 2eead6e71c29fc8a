/* SPDX-License-Identifier: Apache-2.0 */
#include "jvmti/agent/agent_class_file.h"

#include "jvmti/agent/agent_system.h"

void class_put(struct class_out *o, const void *bytes, size_t len)
{
	if (len > o->cap - o->len) {
		o->is_full = true;
		return;
	}
	if (len)
		memcpy(o->bytes + o->len, bytes, len);
	o->len += len;
}

void class_put_u1(struct class_out *o, unsigned value)
{
	if (o->len == o->cap) {
		o->is_full = true;
		return;
	}
	o->bytes[o->len++] = (uint8_t)value;
}

void class_put_u2(struct class_out *o, unsigned value)
{
	class_put_u1(o, value >> 8 & 0xff);
	class_put_u1(o, value & 0xff);
}

void class_put_u4(struct class_out *o, uint32_t value)
{
	class_put_u2(o, value >> 16);
	class_put_u2(o, value & 0xffff);
}

void class_set_u2(struct class_out *o, size_t at, unsigned value)
{
	if (o->len < 2 || at > o->len - 2)
		return;
	o->bytes[at] = (uint8_t)(value >> 8);
	o->bytes[at + 1] = (uint8_t)value;
}

void class_set_u4(struct class_out *o, size_t at, uint32_t value)
{
	if (o->len < 4 || at > o->len - 4)
		return;
	class_set_u2(o, at, value >> 16);
	class_set_u2(o, at + 2, value & 0xffff);
}

struct class_text class_text_of(const char *text)
{
	return (struct class_text){ (const uint8_t *)text,
				    system_length(text) };
}

struct class_text class_text_of_signature(const char *signature)
{
	struct class_text name = class_text_of(signature);

	if (name.len < 3 || *name.bytes != 'L')
		return (struct class_text){ 0 };
	return (struct class_text){ name.bytes + 1, name.len - 2 };
}

struct class_text class_read_text(struct class_reader *r)
{
	size_t len = class_u2(r);
	const uint8_t *bytes = class_read(r, len);

	return (struct class_text){ bytes, bytes ? len : 0 };
}

bool class_text_equals(struct class_text a, struct class_text b)
{
	if (a.len != b.len)
		return false;
	for (size_t i = 0; i < a.len; i++)
		if (a.bytes[i] != b.bytes[i])
			return false;
	return true;
}

bool class_text_is(struct class_text a, const char *b)
{
	return class_text_equals(a, class_text_of(b));
}

/* ---- the constant pool ---- */

/* Returns the bytes of a constant from its tag on, or NULL. */
static const uint8_t *pool_find(const struct class_pool *p, unsigned index)
{
	uint32_t at = index < p->count ? p->at[index] : 0;

	if (!at--)
		return NULL;
	return at < p->file.len ? p->file.bytes + at
				: p->added.bytes + (at - p->file.len);
}

struct class_text class_pool_text(const struct class_pool *p, unsigned index)
{
	const uint8_t *at = pool_find(p, index);

	if (!at || *at != CLASS_UTF8)
		return (struct class_text){ 0 };
	return (struct class_text){ at + 3, class_u2_at(at + 1) };
}

uint32_t class_text_hash(struct class_text name)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < name.len; i++)
		hash = (hash ^ name.bytes[i]) * UINT64_C(0x100000001b3);
	return (uint32_t)(hash ^ hash >> 32);
}

struct class_text class_pool_name(const struct class_pool *p, unsigned index)
{
	const uint8_t *at = pool_find(p, index);

	if (!at || *at != CLASS_CLASS)
		return (struct class_text){ 0 };
	return class_pool_text(p, class_u2_at(at + 1));
}

/* Returns the number of the class, or 0 and the place for it. */
static unsigned pool_find_class(const struct class_pool *p,
				struct class_text name, uint32_t *place)
{
	uint32_t at = class_text_hash(name) & (p->hashes - 1);

	for (; p->by_name[at]; at = (at + 1) & (p->hashes - 1)) {
		struct class_text known = class_pool_name(p, p->by_name[at]);

		if (known.bytes && class_text_equals(known, name))
			return p->by_name[at];
	}
	*place = at;
	return 0;
}

/*
 * At most half of the places are used, so that each search ends.  A rewind
 * leaves stale numbers, which have no name or another one.
 */
static void pool_name_class(struct class_pool *p, uint32_t place,
			    unsigned index)
{
	if (p->named >= p->hashes / 2)
		return;
	p->by_name[place] = (uint16_t)index;
	p->named++;
}

static void pool_index_class(struct class_pool *p, unsigned index)
{
	struct class_text name = class_pool_name(p, index);
	uint32_t place;

	if (name.bytes && !pool_find_class(p, name, &place))
		pool_name_class(p, place, index);
}

/*
 * Skips a constant after its tag.  Returns the number of constants that it
 * counts as, 0 if it is invalid (JVMS 4.4).
 */
static unsigned pool_skip_constant(struct class_reader *r, unsigned tag)
{
	switch (tag) {
	case CLASS_UTF8:
		class_read(r, class_u2(r));
		return 1;
	case CLASS_CLASS:
	case CLASS_STRING:
	case CLASS_METHOD_TYPE:
	case CLASS_MODULE:
	case CLASS_PACKAGE:
		class_read(r, 2);
		return 1;
	case CLASS_METHOD_HANDLE:
		class_read(r, 3);
		return 1;
	case CLASS_INTEGER:
	case CLASS_FLOAT:
	case CLASS_FIELDREF:
	case CLASS_METHODREF:
	case CLASS_INTERFACE_METHODREF:
	case CLASS_NAME_AND_TYPE:
	case CLASS_DYNAMIC:
	case CLASS_INVOKE_DYNAMIC:
		class_read(r, 4);
		return 1;
	case CLASS_LONG:
	case CLASS_DOUBLE:
		class_read(r, 8);
		return 2;
	default:
		return 0;
	}
}

bool class_pool_read(struct class_pool *p, struct class_reader *r)
{
	unsigned i = 1, step;

	p->file = *r;
	p->is_full = false;
	p->named = 0;
	p->count = p->in_file = class_u2(r);
	p->begin = r->at;
	p->added = (struct class_out){ p->added_bytes, 0, CLASS_ADDED, false };
	/* At least as many again can be added before half are used. */
	p->hashes = CLASS_HASHES;
	while (p->hashes > 1024 && p->hashes / 8 > p->count)
		p->hashes /= 2;
	memset(p->by_name, 0, p->hashes * sizeof(*p->by_name));
	memset(p->at, 0, (size_t)p->count * sizeof(*p->at));
	for (; i < p->count; i += step) {
		p->at[i] = (uint32_t)r->at + 1;
		step = pool_skip_constant(r, class_u1(r));
		if (!step || r->is_bad)
			return false;
	}
	p->end = r->at;
	for (i = 1; i < p->count; i++)
		pool_index_class(p, i);
	return p->count != 0;
}

/* Begins a constant; returns its number, or 0. */
static unsigned pool_begin(struct class_pool *p, unsigned tag)
{
	if (p->count == 0xffff || p->is_full) {
		p->is_full = true;
		return 0;
	}
	p->at[p->count] = (uint32_t)(p->file.len + p->added.len) + 1;
	class_put_u1(&p->added, tag);
	return p->count++;
}

static unsigned pool_end(struct class_pool *p, unsigned index)
{
	p->is_full |= p->added.is_full;
	return p->is_full ? 0 : index;
}

unsigned class_pool_add_text(struct class_pool *p, struct class_text text)
{
	unsigned index = pool_begin(p, CLASS_UTF8);

	if (text.len > 0xffff)
		p->is_full = true;
	class_put_u2(&p->added, (unsigned)text.len);
	class_put(&p->added, text.bytes, text.len);
	return pool_end(p, index);
}

static unsigned pool_add_pair(struct class_pool *p, unsigned tag, unsigned a,
			      unsigned b)
{
	unsigned index = pool_begin(p, tag);

	class_put_u2(&p->added, a);
	class_put_u2(&p->added, b);
	return pool_end(p, index);
}

unsigned class_pool_add_class(struct class_pool *p, struct class_text name)
{
	uint32_t place = 0;
	unsigned text, index = pool_find_class(p, name, &place);

	if (index)
		return index;
	text = class_pool_add_text(p, name);
	index = pool_begin(p, CLASS_CLASS);
	class_put_u2(&p->added, text);
	index = pool_end(p, index);
	if (index)
		pool_name_class(p, place, index);
	return index;
}

unsigned class_pool_add_method(struct class_pool *p, unsigned class_index,
			       const char *name, const char *descriptor)
{
	unsigned a = class_pool_add_text(p, class_text_of(name));
	unsigned b = class_pool_add_text(p, class_text_of(descriptor));
	unsigned c = pool_add_pair(p, CLASS_NAME_AND_TYPE, a, b);

	return pool_add_pair(p, CLASS_METHODREF, class_index, c);
}

struct class_pool_mark class_pool_mark(const struct class_pool *p)
{
	return (struct class_pool_mark){ p->count, p->added.len };
}

void class_pool_rewind(struct class_pool *p, struct class_pool_mark mark)
{
	p->count = mark.count;
	p->added.len = mark.len;
	p->added.is_full = false;
	p->is_full = false;
}

/* ---- instructions ---- */

/* Bytes of each instruction, JVMS 6.5; 0 = variable or invalid. */
/* clang-format off */
static const uint8_t lengths[256] = {
	[0 ... 15] = 1, [16] = 2, [17] = 3, [18] = 2, [19 ... 20] = 3,
	[21 ... 25] = 2, [26 ... 53] = 1, [54 ... 58] = 2, [59 ... 131] = 1,
	[OP_IINC] = 3, [133 ... 152] = 1, [153 ... 168] = 3, [169] = 2,
	[172 ... 177] = 1, [178 ... 184] = 3, [185 ... 186] = 5, [187] = 3,
	[188] = 2, [189] = 3, [190 ... 191] = 1, [192 ... 193] = 3,
	[194 ... 195] = 1, [197] = 4, [198 ... 199] = 3, [200 ... 201] = 5,
};
/* clang-format on */

size_t class_instruction(const uint8_t *code, size_t len, size_t at)
{
	size_t operands = (at & ~(size_t)3) + 4, size;
	int64_t count;

	switch (code[at]) {
	case OP_WIDE:
		size = at + 1 < len && code[at + 1] == OP_IINC ? 6 : 4;
		break;
	case OP_TABLESWITCH:
		if (operands + 12 > len)
			return 0;
		count = (int64_t)(int32_t)class_u4_at(code + operands + 8) -
			(int32_t)class_u4_at(code + operands + 4) + 1;
		if (count < 0 || count > 0xffff)
			return 0;
		size = operands - at + 12 + (size_t)count * 4;
		break;
	case OP_LOOKUPSWITCH:
		if (operands + 8 > len)
			return 0;
		count = class_u4_at(code + operands + 4);
		if (count > 0xffff)
			return 0;
		size = operands - at + 8 + (size_t)count * 8;
		break;
	default:
		size = lengths[code[at]];
	}
	return size > len - at ? 0 : size;
}
