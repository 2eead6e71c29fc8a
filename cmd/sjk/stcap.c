/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sjkc stcap: records thread dumps over JMX into dumps of SJK.
 *
 * The file is written in place and can be read up to the last thread dump even
 * if sjkc is killed.
 */
#include "cmd/commands.h"
#include "cmd/jmx/jmx_target.h"
#include "cmd/shared/log.h"
#include "cmd/shared/signals.h"
#include "cmd/shared/target.h"
#include "cmd/sjk/sjk_input.h"
#include "core/base/alloc.h"
#include "core/base/arena.h"
#include "core/base/clock.h"
#include "core/base/pattern.h"
#include "core/base/units.h"
#include "core/formats/std/std_encoder.h"
#include "core/profile/filter.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STCAP_THREADING "java.lang:type=Threading"
#define STCAP_TIMEOUT   (30 * CLOCK_NS_PER_S)

static struct {
	const char *output, *thread_name;
	struct option_list frames;
	int64_t interval_ns, timeout_ns;
	uint64_t limit, rotate;
	bool empty;
} opt = {
	.interval_ns = 100 * CLOCK_NS_PER_MS,
	.timeout_ns = STCAP_TIMEOUT,
};

static struct jmx_target_options target_opt = { .timeout_ns = -1 };

/* The counters that are read for all threads of a dump at once. */
static const struct {
	const char *operation, *key;
	int64_t unit; /* the key's unit, in those of the operation */
} bulk[] = {
	{ "getThreadCpuTime", "java.cpu-time.ms", CLOCK_NS_PER_MS },
	{ "getThreadUserTime", "java.cpu-time.user.ms", CLOCK_NS_PER_MS },
	{ "getThreadAllocatedBytes", "java.allocated.bytes", 1 },
};

/* The members of a ThreadInfo; times are -1 unless the JVM measures them. */
static const struct {
	const char *member, *key;
} members[] = {
	{ "waitedCount", "java.wait-count" },
	{ "waitedTime", "java.wait-time.ms" },
	{ "blockedCount", "java.blocked-count" },
	{ "blockedTime", "java.blocked-time.ms" },
};

enum { BULK = 3, MEMBERS = 4 };

struct capture {
	struct jmx *jmx;
	struct profile *profile; /* strings and frames of the current file */
	struct std_encoder encoder;
	int fd;
	struct text path; /* of the current file */
	unsigned file;    /* number of the current file */
	uint64_t count, in_file, dumps;
	struct pattern *thread_name;
	struct trace_filter *filter;
	struct trace_verdicts *verdicts;
	/* Of the current dump; values are -1 if unknown. */
	const struct value *infos; /* an array */
	int64_t *values[BULK];
	uint32_t *frames;
	size_t frame_cap;
};

static uint32_t capture_string(struct capture *c, const char *text)
{
	return text ? profile_string(c->profile, text, strlen(text)) : 0;
}

/* Appends the name of file number `file`: out-00.std for out.std. */
static void capture_name_file(struct capture *c)
{
	const char *dot = strrchr(opt.output, '.');
	const char *slash = strrchr(opt.output, '/');

	text_clear(&c->path);
	if (!opt.rotate) {
		text_puts(&c->path, opt.output);
		return;
	}
	if (!dot || (slash && dot < slash))
		dot = opt.output + strlen(opt.output);
	text_add(&c->path, opt.output, (size_t)(dot - opt.output));
	text_printf(&c->path, "-%02u%s", c->file, dot);
}

static int capture_open_file(struct capture *c, struct error *err)
{
	bool is_stdout = strcmp(opt.output, "-") == 0;

	capture_name_file(c);
	c->fd = is_stdout ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
			  : output_open_device(c->path.bytes, err);
	if (c->fd == -1 && !is_stdout)
		return -1;
	/* Names of later files are predictable: follow no link. */
	if (c->fd == OUTPUT_NO_DEVICE)
		c->fd = open(c->path.bytes,
			     O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC |
				     (c->file ? O_NOFOLLOW : 0),
			     0666);
	if (c->fd < 0)
		return fail_sys(err, ERROR_OUTPUT, "%s: cannot create",
				c->path.bytes);
	c->profile = profile_new();
	c->profile->keep_exact = true;
	if (c->filter)
		c->verdicts = trace_verdicts_new(c->filter);
	std_encoder_init(&c->encoder, STD_V2, c->profile);
	c->in_file = 0;
	log_info("writing to %s", c->path.bytes);
	return 0;
}

/* Writes the encoded bytes. */
static int capture_flush(struct capture *c, struct error *err)
{
	const char *at = c->encoder.out.bytes;
	size_t left = c->encoder.out.len;

	while (left) {
		ssize_t n = write(c->fd, at, left);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			/* No part is written twice. */
			fail_sys(err, ERROR_OUTPUT, "%s: cannot write",
				 c->path.bytes);
			text_clear(&c->encoder.out);
			return -1;
		}
		at += n;
		left -= (size_t)n;
	}
	text_clear(&c->encoder.out);
	return 0;
}

static int capture_close_file(struct capture *c, struct error *err)
{
	int ret = 0;

	if (c->fd < 0)
		return 0;
	std_encoder_finish(&c->encoder);
	ret = capture_flush(c, err);
	if (close(c->fd) && ret == 0)
		ret = fail_sys(err, ERROR_OUTPUT, "%s: cannot write",
			       c->path.bytes);
	c->fd = -1;
	trace_verdicts_free(c->verdicts);
	c->verdicts = NULL;
	std_encoder_release(&c->encoder);
	profile_free(c->profile);
	return ret;
}

static size_t capture_threads(const struct capture *c)
{
	return c->infos ? c->infos->list.count : 0;
}

static int64_t capture_id(const struct value *info)
{
	return value_integer_of(value_member(info, "threadId"), -1);
}

static int capture_read_infos(struct capture *c, struct arena *a,
			      struct error *err)
{
	static const char *const names[] = { "dumpAllThreads" };
	static const char *const signature[] = { "boolean", "boolean" };
	static const struct value no = { .kind = VALUE_BOOLEAN,
					 .type = "boolean" };
	static const struct value *const arguments[] = { &no, &no };
	const struct jmx_request request = {
		.verb = JMX_INVOKE,
		.object = STCAP_THREADING,
		.names = names,
		.name_count = 1,
		.arguments = arguments,
		.signature = signature,
		.argument_count = 2,
		.returns = "[Ljavax.management.openmbean.CompositeData;",
	};

	c->infos = jmx_invoke(c->jmx, &request, a, err);
	if (!c->infos)
		return -1;
	if (c->infos->kind != VALUE_ARRAY)
		return fail(err, ERROR_REFUSED,
			    "the JVM returned no ThreadInfo");
	return 0;
}

static int capture_take_values(void *self, size_t index,
			       const struct jmx_reply *reply, struct error *err)
{
	struct capture *c = self;
	const struct value *list = reply->value;

	(void)err;
	for (size_t i = 0; i < capture_threads(c); i++)
		c->values[index][i] = -1;
	/* A JVM that lacks the operation does not measure the value. */
	if (reply->failure || !list || list->kind != VALUE_ARRAY)
		return 0;
	for (size_t i = 0; i < capture_threads(c) && i < list->list.count; i++)
		c->values[index][i] = value_integer_of(list->list.at[i], -1);
	return 0;
}

static const struct value *capture_ids(const struct capture *c, struct arena *a)
{
	size_t count = capture_threads(c);
	struct value *ids = value_new(a, VALUE_ARRAY, "[J");
	const struct value **at = arena_alloc(a, count * sizeof(*at));

	for (size_t i = 0; i < count; i++)
		at[i] = value_integer(a, "long",
				      capture_id(c->infos->list.at[i]));
	ids->list.at = at;
	ids->list.count = count;
	return ids;
}

static int capture_read_values(struct capture *c, struct arena *a,
			       struct error *err)
{
	static const char *const signature[] = { "[J" };
	const struct value *const arguments[] = { capture_ids(c, a) };
	struct jmx_request requests[BULK];

	for (size_t i = 0; i < BULK; i++) {
		requests[i] = (struct jmx_request){
			.verb = JMX_INVOKE,
			.object = STCAP_THREADING,
			.names = &bulk[i].operation,
			.name_count = 1,
			.arguments = arguments,
			.signature = signature,
			.argument_count = 1,
			.returns = "[J",
		};
		c->values[i] = arena_alloc(a, capture_threads(c) *
						      sizeof(int64_t));
	}
	return jmx_run(c->jmx, requests, BULK, capture_take_values, c, err);
}

static uint32_t capture_frame(struct capture *c, const struct value *v)
{
	int64_t line = value_integer_of(value_member(v, "lineNumber"), -1);
	struct frame f = {
		.class_name = capture_string(
			c, value_text_of(value_member(v, "className"))),
		.method = capture_string(
			c, value_text_of(value_member(v, "methodName"))),
		.source = capture_string(
			c, value_text_of(value_member(v, "fileName"))),
		.kind = FRAME_JAVA,
	};

	if (value_integer_of(value_member(v, "nativeMethod"), 0))
		f.kind = FRAME_NATIVE;
	else if (line > 0 && line <= INT32_MAX)
		f.line = (uint32_t)line;
	return profile_frame(c->profile, &f);
}

static size_t capture_trace(struct capture *c, const struct value *info)
{
	const struct value *trace = value_member(info, "stackTrace");
	size_t depth = trace && trace->kind == VALUE_ARRAY ? trace->list.count
							   : 0;

	array_reserve(c->frames, c->frame_cap, depth + 1);
	for (size_t i = 0; i < depth; i++)
		c->frames[i] = capture_frame(c, trace->list.at[i]);
	return depth;
}

static enum thread_state capture_state(const struct value *info)
{
	const char *name = value_text_of(value_member(info, "threadState"));

	for (int i = 1; name && i < THREAD_STATES; i++) {
		if (strcmp(thread_state_names[i], name) == 0)
			return (enum thread_state)i;
	}
	return STATE_NONE;
}

static bool capture_wants(struct capture *c, const char *name, size_t depth)
{
	uint32_t stack;

	if (c->thread_name &&
	    (!name || !pattern_matches(c->thread_name, name, strlen(name))))
		return false;
	if (!depth && !opt.empty)
		return false;
	if (!c->verdicts)
		return true;
	stack = profile_stack(c->profile, c->frames, depth);
	return trace_verdicts_pass(c->verdicts, c->profile, &stack, STATE_NONE);
}

static void capture_add_thread(struct capture *c, size_t at, int64_t time_ms)
{
	const struct value *info = c->infos->list.at[at];
	const char *name = value_text_of(value_member(info, "threadName"));
	struct sample_counter counters[BULK + MEMBERS];
	struct std_event e = {
		.has_trace = true,
		.time_ms = time_ms,
		.thread_id = capture_id(info),
		.state = capture_state(info),
		.counters = counters,
	};

	/* A thread that ended meanwhile has no ThreadInfo. */
	if (info->kind != VALUE_COMPOSITE)
		return;
	e.depth = capture_trace(c, info);
	if (!capture_wants(c, name, e.depth))
		return;
	e.frames = c->frames;
	e.thread_name = capture_string(c, name);
	for (size_t i = 0; i < BULK; i++) {
		int64_t value = c->values[i][at];

		counters[e.counter_count++] = (struct sample_counter){
			capture_string(c, bulk[i].key),
			value < 0 ? -1 : value / bulk[i].unit,
		};
	}
	for (size_t i = 0; i < MEMBERS; i++)
		counters[e.counter_count++] = (struct sample_counter){
			capture_string(c, members[i].key),
			value_integer_of(value_member(info, members[i].member),
					 -1),
		};
	std_encoder_add(&c->encoder, &e);
	c->count++;
	c->in_file++;
}

/* Takes one thread dump; its threads have the same time. */
static int capture_take(struct capture *c, struct error *err)
{
	int64_t time_ms = clock_wall_ns() / CLOCK_NS_PER_MS;
	struct arena a = { 0 };
	int ret = capture_read_infos(c, &a, err);

	if (ret == 0)
		ret = capture_read_values(c, &a, err);
	for (size_t i = 0; ret == 0 && i < capture_threads(c); i++)
		capture_add_thread(c, i, time_ms);
	c->infos = NULL;
	arena_release(&a);
	if (ret == 0) {
		c->dumps++;
		std_encoder_sync(&c->encoder);
		ret = capture_flush(c, err);
	}
	return ret;
}

static int capture_run(struct capture *c, struct error *err)
{
	int64_t end_ns = clock_after(clock_monotonic_ns(), opt.timeout_ns);
	int64_t due_ns, begin_ns, rest_ns;

	do {
		due_ns = clock_after(clock_monotonic_ns(), opt.interval_ns);
		if (opt.rotate && c->in_file >= opt.rotate) {
			if (capture_close_file(c, err))
				return -1;
			c->file++;
			if (capture_open_file(c, err))
				return -1;
		}
		begin_ns = clock_monotonic_ns();
		if (capture_take(c, err))
			return -1;
		/* The program runs at least as long as it is stopped. */
		rest_ns = clock_monotonic_ns() - begin_ns;
		if (due_ns < clock_after(clock_monotonic_ns(), rest_ns))
			due_ns = clock_after(clock_monotonic_ns(), rest_ns);
		if (due_ns > end_ns)
			due_ns = end_ns;
	} while (!(opt.limit && c->count >= opt.limit) &&
		 signals_wait(-1, due_ns) == WAIT_DUE &&
		 clock_monotonic_ns() < end_ns);
	return 0;
}

static int stcap_compile(struct capture *c, struct error *err)
{
	struct text list = { 0 };

	if (opt.thread_name) {
		c->thread_name = pattern_new_whole(opt.thread_name, err);
		if (!c->thread_name)
			return fail_in(err, "option --filter");
	}
	for (size_t i = 0; i < opt.frames.count; i++)
		text_printf(&list, "%s%s", i ? "," : "", opt.frames.values[i]);
	if (list.len) {
		c->filter = trace_filter_new(list.bytes, 0, err);
		if (!c->filter)
			fail_in(err, "option --match-frame");
	}
	text_release(&list);
	return opt.frames.count && !c->filter ? -1 : 0;
}

static int stcap_record(struct capture *c, struct error *err)
{
	struct error end;
	int ret;

	signals_listen();
	if (capture_open_file(c, err))
		return -1;
	ret = capture_run(c, &end);
	if (capture_close_file(c, err))
		return -1;
	if (ret == 0 || c->dumps)
		log_info("recorded %" PRIu64 " stack trace%s of %" PRIu64
			 " thread dump%s",
			 c->count, units_plural(c->count), c->dumps,
			 units_plural(c->dumps));
	if (ret == 0)
		return 0;
	*err = end;
	/* The file is complete up to the failure. */
	return c->dumps && end.kind != ERROR_OUTPUT
		       ? fail(err, ERROR_PARTIAL, "recorded until %s", end.text)
		       : -1;
}

static int stcap_run(int argc, char **argv, struct error *err)
{
	struct capture c = { .fd = -1 };
	struct jmx_client client = { 0 };
	int ret = -1;

	if (!opt.output) {
		misuse(err, "missing -o <file>");
		goto out;
	}
	if (stcap_compile(&c, err))
		goto out;
	/* Before a connection, which may start an agent. */
	if (output_try(opt.output, err))
		goto out;
	if (jmx_client_open(&client, &target_opt, argc, argv, err) == 0) {
		c.jmx = client.jmx;
		ret = stcap_record(&c, err);
		if (ret == 0)
			ret = jmx_client_check_limits(err);
	}
	jmx_client_close(&client);
out:
	pattern_free(c.thread_name);
	trace_filter_free(c.filter);
	free(c.frames);
	text_release(&c.path);
	return ret;
}

static const struct refusal refusals[] = {
	JMX_REFUSE_PASSWORD,
	SJK_REFUSE_COMMANDS,
	{ NULL, NULL },
};

/* clang-format off */
static const struct command_option options[] = {
	OPT_JMX_SOCKET(&target_opt),
	OPT_JMX_URL(&target_opt),
	OPT_TARGET(&target_opt.pid),
	OPT_STRING('o', "output", &opt.output, "<file>",
		   "write to this file"),
	OPT_DURATION('i', "interval", &opt.interval_ns, "<time>",
		     "set the time between dumps",
		     .aliases = "--sampler-interval"),
	OPT_DURATION('t', "duration", &opt.timeout_ns, "<time>",
		     "stop after this time", .aliases = "--timeout"),
	OPT_COUNT('l', "limit", &opt.limit, "<count>",
		  "stop after this number of stack traces"),
	OPT_COUNT('r', "rotate", &opt.rotate, "<count>",
		  "start a new file after this many stack traces"),
	OPT_STRING('f', "filter", &opt.thread_name, "<regex>",
		   "keep threads whose whole name matches"),
	OPT_LIST('m', "match-frame", &opt.frames, "<pattern>",
		 "keep stack traces with a matching frame"),
	OPT_FLAG('e', "empty", &opt.empty,
		 "keep threads without a stack trace"),
	OPT_JMX_LOGIN(&target_opt),
	OPT_JMX_TLS(&target_opt),
	OPT_JMX_FORCE(&target_opt),
	OPT_DURATION(0, "reply-timeout", &target_opt.timeout_ns, "<time>",
		     "wait this long for a reply (default: 10s)"),
	OPT_END,
};
/* clang-format on */

const struct command stcap_command = {
	.name = "stcap",
	.synopsis = "stcap [<options>] -o <file> <pid>",
	.summary = "record thread dumps into a .std file",
	.group = "SJK's files",
	.examples = "  sjkc stcap -p 4711 -o dump.std -i 100ms -t 1m\n"
		    "  sjkc stcap -s db1:9010 -o dump.std -i 1s -t 1h -r "
		    "50000\n"
		    "  sjkc flame dump.std\n",
	.options = options,
	.has_messages = true,
	.shorthands = sjk_shorthands,
	.refusals = refusals,
	.run = stcap_run,
};
