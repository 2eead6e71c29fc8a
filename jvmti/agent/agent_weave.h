/* SPDX-License-Identifier: Apache-2.0 */
/*
 * agent_weave: adds calls of the helper class to methods of a class file.
 *
 * A pure function from bytes to bytes, without a C library or a JVM.  It adds
 * no method, field or interface, because RetransformClasses allows none, and
 * changes no instruction: the start time and copies of the arguments are in
 * new locals behind all others.
 *
 *	entry		long begin = SjkcProbe.enter()
 *	each return	SjkcProbe.exit(begin, id)
 *	exception	SjkcProbe.fail(thrown, begin, id), and throw it again,
 *			but not after the count at a return
 *
 * With PROBE_TRACE, SjkcTrace.entry(id), begin = exit(begin, id) and begin =
 * fail(begin, id) precede them.
 *
 * Constructors: exceptions are not counted.  Before the call of super(), "this"
 * may not be in a local of a handler (JVMS 4.10.1.6).
 */
#ifndef JVMTI_AGENT_AGENT_WEAVE_H
#define JVMTI_AGENT_AGENT_WEAVE_H

#include "jvmti/agent/agent_class_file.h"
#include "jvmti/agent/agent_probe_protocol.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WEAVE_HELPER "java/lang/SjkcProbe"
#define WEAVE_TRACE  "java/lang/SjkcTrace"

enum {
	WEAVE_CODE = 65535, /* maximum bytes of code: JVMS 4.7.3 */
	/* The kinds of SjkcProbe.arg(). */
	WEAVE_ARG_LONG = 0,
	WEAVE_ARG_DOUBLE = 1,
	WEAVE_ARG_OBJECT = 2,
	WEAVE_ITEMS = 1024, /* maximum locals or stack entries of a frame */
};

struct weave_method {
	struct class_text name, descriptor;
	uint16_t id;     /* below PROBE_MAX */
	uint8_t mode;    /* bits of enum probe_mode */
	uint8_t refusal; /* result: enum probe_refusal */
};

/* A type of a stack map frame: JVMS 4.7.4. */
struct weave_item {
	uint8_t tag;
	uint16_t value; /* class or offset */
};

struct weave_frame {
	unsigned locals, stack; /* used items */
	struct weave_item local[WEAVE_ITEMS], on_stack[WEAVE_ITEMS];
};

/*
 * Returns true for a method that the helper class calls, which is never woven.
 * The class's name is "java/lang/Long".
 */
bool weave_is_used(struct class_text class_name, struct class_text method);

/* Memory of weave_class(), about 2.5 MB; zeroes at first. */
struct weaver {
	/* Set by the caller, as in struct probe_control. */
	uint32_t code_limit;
	struct class_pool pool;
	struct class_out out;
	unsigned version;
	unsigned this_class;
	/* Constants that were added. */
	unsigned count, enter, begin, exit, fail; /* methods of the helper */
	unsigned exit_args, fail_args, arg[3], done;
	unsigned trace_entry, trace_exit, trace_fail;
	unsigned throwable, object; /* classes */
	unsigned stack_map_table;   /* the text */
	/*
	 * For each offset in the old code the one in the new code: of the
	 * instruction with the calls before it, and of the instruction itself;
	 * own is 0 where no instruction begins.
	 */
	uint32_t label[WEAVE_CODE + 2], own[WEAVE_CODE + 2];
	struct weave_frame frame;
};

/*
 * Weaves methods of a class; their refusals are the results.  Returns
 * PROBE_ARMED, with the class file in out and its length in *len, if at least
 * one method was woven.  Otherwise returns the reason, and out is undefined.
 */
enum probe_refusal weave_class(struct weaver *w, const uint8_t *in,
			       size_t in_len, struct weave_method *methods,
			       size_t count, uint8_t *out, size_t cap,
			       size_t *len);

/*
 * Weaves the contents of a Code attribute; writes them to w->out.  Returns
 * PROBE_ARMED, or the reason, and has written a part of the code then.
 */
enum probe_refusal weave_code(struct weaver *w, struct class_reader *contents,
			      const struct weave_method *m, unsigned access);

#endif
