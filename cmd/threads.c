/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sjkc threads: reports what the threads of a thread dump do.
 *
 * The dumps come from files, or sjkc takes them from a running JVM.
 */
#include "cmd/commands.h"
#include "cmd/log.h"
#include "cmd/recording.h"
#include "cmd/signals.h"
#include "cmd/target.h"
#include "core/attach/attach.h"
#include "core/base/clock.h"
#include "core/base/output.h"
#include "core/formats/reader.h"
#include "core/threads/dump_series.h"
#include "render/threads/threads_report.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define THREADS_TOP      20
#define THREADS_FRAMES   12
#define THREADS_INTERVAL (2 * CLOCK_NS_PER_S)
#define THREADS_UNSET    UINT64_MAX

static struct {
	const char *pid;
	uint64_t count, dump, top, frames;
	int64_t interval_ns, timeout_ns;
	const char *output;
	bool locks, json, quiet, verbose, page;
} opt = {
	.count = 1,
	.top = THREADS_UNSET,
	.frames = THREADS_UNSET,
	.interval_ns = THREADS_INTERVAL,
	.timeout_ns = ATTACH_TIMEOUT_NS,
	.output = "-",
};

/* ---- dumps of a running JVM ---- */

/* Waits for the next dump; false if the user ends the series or the JVM. */
static bool threads_wait(const struct jvm *jvm, int64_t until_ns)
{
	struct pollfd fds[] = {
		{ .fd = signals_fd(), .events = POLLIN },
		{ .fd = jvm->pidfd, .events = POLLIN },
	};

	for (;;) {
		int64_t left = until_ns - clock_monotonic_ns();
		int ms = left > 0 ? (int)(left / CLOCK_NS_PER_MS) + 1 : 0;
		int ready = poll(fds, 2, ms);

		if (ready == 0)
			return true;
		if (ready > 0 || errno != EINTR)
			return false;
	}
}

/* Takes a dump as jstack does, and reads it. */
static int threads_take(struct attach *a, struct profile *p, struct error *err)
{
	const struct attach_request request = {
		.operation = "threaddump",
		.args = { opt.locks ? "-le" : "-e" },
	};
	struct text reply = { 0 };
	int ret = attach_call(a, &request, &reply, err);

	if (ret == 0)
		ret = dump_reader.read((const uint8_t *)reply.bytes, reply.len,
				       p, err);
	text_release(&reply);
	return ret;
}

static int threads_take_all(const struct jvm *jvm, struct profile *p,
			    struct error *err)
{
	struct attach *a = attach_open(jvm, opt.timeout_ns, err);
	int64_t due_ns = clock_monotonic_ns();
	int ret = a ? 0 : -1;

	signals_listen();
	for (uint64_t i = 0; ret == 0 && i < opt.count; i++) {
		if (i && !threads_wait(jvm, due_ns))
			break;
		ret = threads_take(a, p, err);
		due_ns = clock_after(due_ns, opt.interval_ns);
	}
	attach_close(a);
	return ret;
}

static struct profile *threads_of_jvm(struct dump_series *s, int argc,
				      char **argv, struct text *source,
				      struct error *err)
{
	struct jvm jvm = { 0 };
	struct profile *p = NULL;
	int ret = target_open(&jvm, opt.pid, &argc, &argv, err);

	if (ret == 0 && argc)
		ret = misuse(err,
			     "unexpected argument '%s': name one JVM, or "
			     "existing files",
			     argv[0]);
	if (ret == 0) {
		text_printf(source, "%d", (int)jvm.pid);
		p = profile_new();
		dump_series_init(s, p);
		s->wanted = opt.dump;
		ret = threads_take_all(&jvm, p, err);
	}
	jvm_close(&jvm);
	if (ret == 0)
		return p;
	profile_free(p);
	return NULL;
}

/* ---- dumps of files ---- */

static void threads_prepare(void *self, struct profile *p)
{
	struct dump_series *s = self;

	dump_series_init(s, p);
	s->wanted = opt.dump;
}

static struct profile *threads_of_files(struct dump_series *s, int argc,
					char **argv, struct text *source,
					struct error *err)
{
	const struct recording_options options = {
		.paths = (const char *const *)argv,
		.path_count = (size_t)argc,
		.format = "auto",
		.prepare = threads_prepare,
		.prepare_self = s,
	};

	text_puts(source, argv[0]);
	if (argc > 1)
		text_printf(source, " and %d more", argc - 1);
	return recording_read(&options, err);
}

/* A file is meant if one has the name, and a JVM otherwise. */
static bool threads_means_files(int argc, char **argv)
{
	return !opt.pid && argc &&
	       (argc > 1 || strcmp(argv[0], "-") == 0 || strchr(argv[0], '/') ||
		access(argv[0], F_OK) == 0);
}

/* ---- the command ---- */

static int threads_write_page(const struct dump_series *s,
			      const struct threads_options *options,
			      struct error *err)
{
	struct output out;
	int ret = output_open(&out, opt.output, err);

	if (ret == 0) {
		threads_page(&out, s, options);
		ret = output_commit(&out, err);
	}
	output_close(&out);
	return ret;
}

/* A page has everything, and the text what fits a terminal. */
static size_t threads_limit(uint64_t given, size_t text)
{
	if (given == THREADS_UNSET)
		return opt.page ? 0 : text;
	return given;
}

static int threads_write(const struct dump_series *s, const char *source,
			 struct error *err)
{
	const struct threads_options options = {
		.source = source,
		.top = threads_limit(opt.top, THREADS_TOP),
		.frames = threads_limit(opt.frames, THREADS_FRAMES),
		.colour = strcmp(opt.output, "-") == 0 &&
			  isatty(STDOUT_FILENO) == 1 && !getenv("NO_COLOR"),
	};
	struct text text = { 0 };
	int ret;

	if (opt.page)
		return threads_write_page(s, &options, err);
	(opt.json ? threads_json : threads_text)(&text, s, &options);
	ret = output_file(opt.output, text.bytes, text.len, err);
	text_release(&text);
	return ret;
}

static int threads_report(const struct dump_series *s, const struct profile *p,
			  const char *source, struct error *err)
{
	if (!s->number)
		return fail(err, ERROR_INPUT, "%s has no thread dumps", source);
	if (opt.dump && opt.dump > s->dump_count)
		return fail(err, ERROR_MISUSE,
			    "option --dump: invalid number %llu; the last "
			    "dump is number %zu",
			    (unsigned long long)opt.dump, s->dump_count);
	if (threads_write(s, source, err))
		return -1;
	return profile_is_partial(p) ? fail(err, ERROR_PARTIAL,
					    "%s: the report is partial", source)
				     : 0;
}

/* The name selects the format of the output. */
static int threads_check_output(struct error *err)
{
	const char *dot = strrchr(opt.output, '.');

	opt.page = dot &&
		   (strcmp(dot, ".html") == 0 || strcmp(dot, ".htm") == 0);
	if (opt.page && opt.json)
		return misuse(err,
			      "options --json and -o %s conflict: *.html "
			      "selects a page",
			      opt.output);
	return strcmp(opt.output, "-") == 0 ? 0 : output_try(opt.output, err);
}

static int threads_run(int argc, char **argv, struct error *err)
{
	struct dump_series s = { 0 };
	struct text source = { 0 };
	struct profile *p;
	int ret = -1;

	log_set_level(opt.verbose ? LOG_VERBOSE
		      : opt.quiet ? LOG_QUIET
				  : LOG_NORMAL);
	if (!opt.count)
		return misuse(err, "option --count must be at least 1");
	if (threads_check_output(err))
		return -1;
	p = threads_means_files(argc, argv)
		    ? threads_of_files(&s, argc, argv, &source, err)
		    : threads_of_jvm(&s, argc, argv, &source, err);
	if (p) {
		dump_series_end(&s);
		ret = threads_report(&s, p, source.bytes, err);
	}
	dump_series_release(&s);
	profile_free(p);
	text_release(&source);
	return ret;
}

/* clang-format off */
static const struct command_option options[] = {
	OPT_TARGET(&opt.pid),
	OPT_COUNT(0, "count", &opt.count, "<count>",
		  "take this many dumps of a JVM"),
	OPT_DURATION(0, "interval", &opt.interval_ns, "<time>",
		     "take them this far apart"),
	OPT_FLAG('l', "locks", &opt.locks,
		 "ask for owners of java.util.concurrent locks",
		 .aliases = "--long"),
	OPT_COUNT(0, "dump", &opt.dump, "<number>",
		  "report this dump of several (default: the last)"),
	OPT_COUNT('n', "top", &opt.top, "<count>",
		  "limit the rows and groups; 0: all"),
	OPT_COUNT(0, "frames", &opt.frames, "<count>",
		  "limit the frames; 0: all"),
	OPT_FLAG(0, "json", &opt.json, "write JSON"),
	OPT_STRING('o', "output", &opt.output, "<file>",
		   "write to this file"),
	OPT_DURATION(0, "timeout", &opt.timeout_ns, "<time>",
		     "give up after this time"),
	OPT_FLAG('q', "quiet", &opt.quiet, "print no messages but errors and losses"),
	OPT_FLAG('v', "verbose", &opt.verbose, "print verbose output"),
	OPT_END,
};
/* clang-format on */

const struct command threads_command = {
	.name = "threads",
	.synopsis = "threads [<options>] <pid>|<file>…",
	.summary = "report who blocks whom in thread dumps",
	.group = "ask a JVM",
	.examples = "  sjkc threads dump.txt             # of any tool\n"
		    "  sjkc threads -l 4711              # with lock owners\n"
		    "  sjkc threads --count 5 Main     # what does not move?\n"
		    "  sjkc threads -o out.html dump.txt # a page\n"
		    "  sjkc threads --json dump.txt\n",
	.options = options,
	.run = threads_run,
};
