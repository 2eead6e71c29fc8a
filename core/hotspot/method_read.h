/* SPDX-License-Identifier: Apache-2.0 */
/*
 * method_read: many methods read from the JVM's memory at once.
 *
 * The way from a Method* to its names is six steps, each of which needs what
 * the one before it has read; each step is one read for all methods.
 */
#ifndef CORE_HOTSPOT_METHOD_READ_H
#define CORE_HOTSPOT_METHOD_READ_H

#include "core/hotspot/java_names.h"
#include "core/hotspot/line_table.h"
#include "core/hotspot/metadata_layout.h"
#include "core/process/memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { METHOD_CLASS, METHOD_NAME, METHOD_SIGNATURE, METHOD_SYMBOLS };

/* What tells a method from another that has come to where it was. */
struct method_traits {
	uint64_t method; /* where it is */
	uint64_t const_method, constants, holder;
	uint64_t symbols[METHOD_SYMBOLS];      /* addresses */
	uint32_t symbol_marks[METHOD_SYMBOLS]; /* their hashes and lengths */
	uint16_t name_index, signature_index, code_bytes;
};

struct method_read {
	struct method_traits
		traits; /* .method is the caller's, all else ours */
	bool is_known;
	uint32_t name; /* of the java_names */
	struct line_table lines;
};

/* Reads all; line_table_release() is due for the lines of each. */
void method_read_all(const struct method_layout *l, struct memory *memory,
		     struct java_names *names, struct method_read *all,
		     size_t count);

/* True when what has these traits is where it was: one read. */
bool method_is_still(const struct method_layout *l, struct memory *memory,
		     const struct method_traits *t);

#endif
