/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jfr_layout: how to pass over a value of a JFR type, and what to pick from it.
 *
 * A type is compiled once a chunk into a few flat operations; reading a value
 * runs them, without recursion and without looking at names again.
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
	JFR_OP_FAIL,    /* a type that the metadata do not describe */
	JFR_OP_VARINTS, /* pass over arg of them */
	JFR_OP_FIXED,   /* pass over arg bytes */
	JFR_OP_STRING,
	JFR_OP_LOOP, /* a count; arg is the operation behind the loop's end */
	JFR_OP_END,  /* arg is the operation that begins the loop's body */
	JFR_OP_PICK_VARINT, /* into numbers[arg] */
	JFR_OP_PICK_BYTE,
	JFR_OP_PICK_STRING, /* into strings[arg] */
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
 * Compiles type t.  Fields of t itself that are called wanted[i] go to
 * numbers[i] (a pool key, an int, a boolean) or strings[i]; NULL wants nothing.
 * With `all`, the layout passes over the whole value; without, it stops behind
 * the last wanted field.  False when the type is nested too deep or too large
 * to be real; reading by the layout then fails the cursor.
 */
bool jfr_layout_compile(struct jfr_layout *l, const struct jfr_metadata *m,
			const struct jfr_type *t, const char *const *wanted,
			size_t wanted_count, bool all);

/*
 * Runs the operations; fails the cursor when the value does not fit.  Without
 * strings, a NULL, strings are passed over.
 */
void jfr_layout_read(const struct jfr_layout *l, struct cursor *c,
		     uint64_t *numbers, struct jfr_string *strings);

void jfr_layout_release(struct jfr_layout *l);

#endif
