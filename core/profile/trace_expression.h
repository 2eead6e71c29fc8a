/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_expression: what SJK's -tf and -tt take, as a program.
 *
 *   a.b.Class.method     some frame's text begins so; * any run without a dot,
 *                        ** any run, **. before it what may precede
 *   #state=BLOCK*        the thread's state
 *   A,B  A+B  A!B  !A    or; and; and not; not
 *   A/+B  A/!B           there is a frame A, and of the frames that it called,
 *                        seen from the A nearest the leaf, B holds; or does not
 *   A/^+B  A/^!B         likewise from the A nearest the root, itself included
 *
 * The comma binds closest, then the slashes, then plus and exclamation mark;
 * parentheses group.  SJK 0.23, TraceFilterPredicateParser.
 *
 * Each frame has a mask: bit i when pattern i matches it.  A window is a part
 * of a stack trace, from some frame on towards the leaf: window 0 is all of
 * it, each slash opens another within that it stands in.  What a node of the
 * program needs of a window is which patterns have matched in it so far, so a
 * callee's windows follow from its caller's and one frame.
 */
#ifndef CORE_PROFILE_TRACE_EXPRESSION_H
#define CORE_PROFILE_TRACE_EXPRESSION_H

#include "core/base/error.h"
#include "core/base/pattern.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TRACE_PATTERNS 63
#define TRACE_WINDOWS  8
#define TRACE_NODES    256

/* In a window's word, beside the patterns: there is such a window. */
#define TRACE_OPEN (UINT64_C(1) << TRACE_PATTERNS)

enum trace_op {
	TRACE_ALL, /* holds always */
	TRACE_PATTERN,
	TRACE_STATE,
	TRACE_OR,
	TRACE_AND,
	TRACE_AND_NOT,
	TRACE_WITHIN, /* right holds in the window that left opens */
	TRACE_NOT_WITHIN,
};

struct trace_node {
	enum trace_op op;
	uint64_t patterns; /* of TRACE_PATTERN */
	uint8_t states;    /* of TRACE_STATE: a bit per enum thread_state */
	uint8_t window;    /* that it is asked of */
	uint8_t opens;     /* the window that a slash opens */
	bool rootmost;
	uint16_t left, right; /* both before this node */
};

struct trace_window {
	uint8_t outer;
	bool rootmost;
	uint64_t opened_by; /* patterns */
};

struct trace_expression {
	struct trace_node nodes[TRACE_NODES]; /* the last is the whole */
	size_t node_count;
	struct trace_window windows[TRACE_WINDOWS];
	size_t window_count;
	struct pattern *patterns[TRACE_PATTERNS];
	size_t pattern_count;
	bool has_lines; /* a pattern asks for a line number */
};

/*
 * Fails with ERROR_MISUSE and the place.  With trim the whole must open a
 * window (window 1 is then it); a list of patterns alone opens one from the
 * frame nearest the root.
 */
int trace_expression_init(struct trace_expression *x, const char *text,
			  bool trim, struct error *err);
void trace_expression_release(struct trace_expression *x);

/*
 * The windows of a stack trace, own, from those of its caller and the mask of
 * its frame.  Gives a bit for each window that the frame is in.
 */
uint32_t trace_expression_step(const struct trace_expression *x,
			       const uint64_t *caller, uint64_t frame,
			       uint64_t *own);

/* The states (a bit each) in which a stack trace with these windows passes. */
uint8_t trace_expression_states(const struct trace_expression *x,
				const uint64_t *windows);

#endif
