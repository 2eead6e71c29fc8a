/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jfr_layout: skips a value of a JFR type and reads selected fields.
 *
 * A type is compiled once per chunk into a flat list of operations. Reading a
 * value executes them, without recursion and without looking up names.
 */
#ifndef CORE_FORMATS_JFR_JFR_LAYOUT_H
#define CORE_FORMATS_JFR_JFR_LAYOUT_H

#include "core/base/cursor.h"
#include "core/formats/jfr/jfr_metadata.h"
#include "core/formats/jfr/jfr_string.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum jfr_op_code {
	JFR_OP_STOP,
	JFR_OP_FAIL,    /* the metadata does not describe the type */
	JFR_OP_VARINTS, /* skip arg varints */
	JFR_OP_FIXED,   /* skip arg bytes */
	JFR_OP_STRING,
	JFR_OP_LOOP,        /* a count; arg is the operation after the loop */
	JFR_OP_END,         /* arg is the first operation of the loop's body */
	JFR_OP_PICK_VARINT, /* read into numbers[arg] */
	JFR_OP_PICK_BYTE,
	JFR_OP_PICK_STRING, /* read into strings[arg] */
};

struct jfr_op {
	enum jfr_op_code code;
	uint32_t arg;
};

struct jfr_layout {
	struct jfr_op *ops;
	size_t count, cap;
};

/*
 * Compiles type t. Fields of t itself with the name wanted[i] are read into
 * numbers[i] (a pool key, an int, a boolean) or strings[i]; NULL selects no
 * field, and "outer.inner" a field of a struct in t. With `all`, the layout
 * reads the whole value; without, it stops after the last wanted field. False
 * if the type is nested too deeply or too large to be real; reading by the
 * layout then fails the cursor.
 */
bool jfr_layout_compile(struct jfr_layout *l, const struct jfr_metadata *m,
			const struct jfr_type *t, const char *const *wanted,
			size_t wanted_count, bool all);

/*
 * Executes the operations; fails the cursor if the value does not match. If
 * strings is NULL, strings are skipped.
 */
void jfr_layout_read(const struct jfr_layout *l, struct cursor *c,
		     uint64_t *numbers, struct jfr_string *strings);

void jfr_layout_release(struct jfr_layout *l);

#endif
