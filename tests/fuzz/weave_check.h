/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks of class files for the weaver's tests, independent of the weaver: each
 * jump, handler and frame of a method is at an instruction.
 *
 * The including file includes agent_class_file.c before.
 */
#ifndef TESTS_FUZZ_WEAVE_CHECK_H
#define TESTS_FUZZ_WEAVE_CHECK_H

#include "jvmti/agent/agent_class_file.h"
#include "jvmti/agent/agent_weave.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct check {
	struct class_pool pool;
	const uint8_t *code;
	uint32_t len;
	uint8_t starts[65536 + 1]; /* an instruction begins here */
	unsigned locals;
	/* The first handlers of the last method. */
	unsigned handlers;
	struct check_handler {
		unsigned from, to, at;
	} handler[8];
};

static bool check_starts(const struct check *c, int64_t at)
{
	return at >= 0 && at < c->len && c->starts[at];
}

static bool check_switch(const struct check *c, size_t i, size_t len)
{
	size_t from = (i & ~(size_t)3) + 4, size = i + len - from;
	size_t step = c->code[i] == 170 ? 4 : 8;

	for (size_t x = 0; x + 4 <= size; x += x ? step : 12)
		if (!check_starts(c, (int64_t)i + (int32_t)class_u4_at(
							  c->code + from + x)))
			return false;
	return true;
}

static bool check_jumps(const struct check *c)
{
	for (size_t i = 0, len; i < c->len; i += len) {
		unsigned op = c->code[i];
		int64_t to = 0;
		bool is_jump = true;

		len = class_instruction(c->code, c->len, i);
		if ((op >= 153 && op <= 168) || op == 198 || op == 199)
			to = (int64_t)i + (int16_t)class_u2_at(c->code + i + 1);
		else if (op == 200 || op == 201)
			to = (int64_t)i + (int32_t)class_u4_at(c->code + i + 1);
		else
			is_jump = false;
		if (is_jump && !check_starts(c, to))
			return false;
		if ((op == 170 || op == 171) && !check_switch(c, i, len))
			return false;
	}
	return true;
}

static bool check_item(const struct check *c, struct class_reader *r,
		       unsigned *slots)
{
	unsigned tag = class_u1(r);

	*slots += tag == 3 || tag == 4 ? 2 : 1;
	if (tag == 7)
		return class_pool_name(&c->pool, class_u2(r)).bytes != NULL;
	if (tag == 8) {
		unsigned at = class_u2(r);

		return check_starts(c, at) && c->code[at] == 187;
	}
	return tag < 7;
}

/* Only full frames and those that keep the locals are followed exactly. */
static bool check_frames(const struct check *c, struct class_reader *r)
{
	unsigned count = class_u2(r), slots;
	int64_t at = -1;

	while (count--) {
		unsigned tag = class_u1(r), items = 0;
		unsigned delta = tag < 64    ? tag
				 : tag < 128 ? tag - 64
					     : class_u2(r);

		at += delta + 1;
		if (!check_starts(c, at) || (tag >= 128 && tag < 247))
			return false;
		if ((tag >= 64 && tag < 128) || tag == 247)
			items = 1;
		else if (tag >= 252 && tag < 255)
			items = tag - 251;
		else if (tag == 255)
			items = class_u2(r);
		slots = 0;
		while (items--)
			if (!check_item(c, r, &slots))
				return false;
		if (tag == 255 && slots > c->locals)
			return false;
		items = tag == 255 ? class_u2(r) : 0;
		while (items--)
			if (!check_item(c, r, &slots))
				return false;
	}
	return !r->is_bad && r->at == r->len;
}

static bool check_attribute(const struct check *c, struct class_reader *all)
{
	struct class_text name = class_pool_text(&c->pool, class_u2(all));
	uint32_t len = class_u4(all);
	struct class_reader r = { class_read(all, len), len, 0, false };
	unsigned count;

	if (!r.bytes || !name.bytes)
		return false;
	if (class_text_is(name, "StackMapTable"))
		return check_frames(c, &r);
	if (class_text_is(name, "LineNumberTable"))
		for (count = class_u2(&r); count--; class_u2(&r))
			if (!check_starts(c, class_u2(&r)))
				return false;
	if (class_text_is(name, "LocalVariableTable"))
		for (count = class_u2(&r); count--; class_read(&r, 6)) {
			unsigned from = class_u2(&r), size = class_u2(&r);

			if (from + size > c->len)
				return false;
		}
	return !r.is_bad;
}

static bool check_code(struct check *c, struct class_reader *r)
{
	unsigned count;

	class_u2(r);
	c->locals = class_u2(r);
	c->len = class_u4(r);
	c->code = class_read(r, c->len);
	if (!c->code || !c->len || c->len > 65535)
		return false;
	memset(c->starts, 0, sizeof(c->starts));
	for (size_t i = 0, len; i < c->len; i += len) {
		len = class_instruction(c->code, c->len, i);
		if (!len)
			return false;
		c->starts[i] = 1;
	}
	if (!check_jumps(c))
		return false;
	c->handlers = 0;
	for (count = class_u2(r); count--; class_u2(r)) {
		struct check_handler h = { class_u2(r), 0, 0 };

		h.to = class_u2(r);
		h.at = class_u2(r);
		if (!check_starts(c, h.from) || h.to <= h.from ||
		    (h.to != c->len && !check_starts(c, h.to)) ||
		    !check_starts(c, h.at))
			return false;
		if (c->handlers < sizeof(c->handler) / sizeof(*c->handler))
			c->handler[c->handlers++] = h;
	}
	for (count = class_u2(r); count--;)
		if (!check_attribute(c, r))
			return false;
	return !r->is_bad && r->at == r->len;
}

/* A method of a class file, for the tests. */
struct checked_method {
	struct class_text name, descriptor;
	unsigned access;
	const uint8_t *code;
	uint32_t len;
};

/*
 * Reads a class file.  Stores up to cap methods and their number; their texts
 * are valid as long as c and the bytes.  Returns false if the file is
 * inconsistent.
 */
static bool check_class(struct check *c, const uint8_t *bytes, size_t len,
			struct checked_method *methods, size_t cap,
			size_t *count)
{
	struct class_reader r = { bytes, len, 0, false };
	bool is_right = true;
	unsigned members;

	*count = 0;
	if (class_u4(&r) != CLASS_MAGIC || !class_read(&r, 4) ||
	    !class_pool_read(&c->pool, &r))
		return false;
	class_read(&r, 6);
	class_read(&r, class_u2(&r) * (size_t)2);
	for (int of_methods = 0; of_methods < 2; of_methods++)
		for (members = class_u2(&r); members-- && !r.is_bad;) {
			unsigned access = class_u2(&r), name = class_u2(&r);
			unsigned type = class_u2(&r), rest = class_u2(&r);
			struct checked_method m = {
				class_pool_text(&c->pool, name),
				class_pool_text(&c->pool, type), access, NULL, 0
			};

			while (rest-- && !r.is_bad) {
				struct class_text text = class_pool_text(
					&c->pool, class_u2(&r));
				uint32_t size = class_u4(&r);
				struct class_reader code = {
					class_read(&r, size), size, 0, false
				};

				if (!code.bytes || !of_methods ||
				    !class_text_is(text, "Code"))
					continue;
				is_right &= check_code(c, &code);
				m.code = c->code;
				m.len = c->len;
			}
			is_right &= m.name.bytes && m.descriptor.bytes;
			if (of_methods && *count < cap)
				methods[(*count)++] = m;
		}
	for (members = class_u2(&r); members-- && !r.is_bad;) {
		class_u2(&r);
		class_read(&r, class_u4(&r));
	}
	return is_right && !r.is_bad && r.at == r.len;
}

#endif
