/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gates: limits that the user sets for a result, so that a pipeline fails. A
 * gate passes only if a complete result shows it.
 */
#ifndef CMD_SHARED_GATES_H
#define CMD_SHARED_GATES_H

#include "core/base/error.h"
#include "core/base/text.h"

#include <stddef.h>
#include <stdint.h>

enum gate_result { GATE_UNKNOWN, GATE_PASSED, GATE_EXCEEDED };

struct gate {
	struct text name; /* foreign: "p99>200ms" */
	enum gate_result result;
	struct text reason; /* foreign: "the p99 of the pauses is 250 ms" */
};

/* A zeroed struct has no gates. */
struct gates {
	const char *command; /* "gc" */
	const char *junit;   /* the file to write, or NULL; borrowed */
	int64_t begin_ns;    /* CLOCK_MONOTONIC, for the time in the file */
	struct gate *all;
	size_t count, cap;
	struct text properties; /* XML */
};

/*
 * Checks that the file can be written and is no input. Fails with ERROR_MISUSE
 * or ERROR_OUTPUT. gates_release() must follow in any case.
 */
int gates_init(struct gates *g, const char *command, const char *junit,
	       const char *const *inputs, size_t count, struct error *err);
void gates_release(struct gates *g);

/* Returns a new gate, which is valid until the next call. */
struct gate *gates_add(struct gates *g, const char *name);

/* Adds a property to the JUnit file. The value is foreign. */
void gates_add_property(struct gates *g, const char *name, const char *value);

/*
 * Ends a command that returned ret and *err: prints the results, and writes the
 * JUnit file. Returns -1 and the first error that applies: ERROR_GATE for an
 * exceeded gate, *err of the command, ERROR_INPUT for an unknown gate,
 * ERROR_OUTPUT. An error that was printed has no text.
 */
int gates_finish(struct gates *g, int ret, struct error *err);

#endif
