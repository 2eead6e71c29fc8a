/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sjkc threads: reports what the threads of a thread dump do.
 *
 * The dumps come from files, or sjkc takes them from a running JVM.
 */
#include "cmd/commands.h"
#include "cmd/shared/log.h"
#include "cmd/shared/recording.h"
#include "cmd/shared/report_format.h"
#include "cmd/shared/signals.h"
#include "cmd/shared/target.h"
#include "cmd/shared/virtual_dump.h"
#include "core/attach/attach.h"
#include "core/base/clock.h"
#include "core/base/output.h"
#include "core/formats/reader.h"
#include "core/threads/dump_owners.h"
#include "core/threads/dump_series.h"
#include "render/threads/threads_report.h"

#include <inttypes.h>
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
	bool locks, virtual_threads, json, csv, page;
} opt = {
	.count = COUNT_NOT_GIVEN,
	.top = THREADS_UNSET,
	.frames = THREADS_UNSET,
	.interval_ns = -1, /* not given */
	.timeout_ns = -1,
	.output = "-",
};

/* Of the dumps: files, or a JVM. */
struct threads_source {
	struct text name;
	struct container_pod pod;
};

/* ---- owners of locks, from the JVM's memory ---- */

/* Prints why owners are unknown, if that is the case. */
static void owners_explain(const struct dump_owners *o,
			   const struct dump_series *s)
{
	if (*o->why.text && blocked_has_ownerless(&s->blocked))
		log_info("cannot read owners of locks from the JVM's memory: "
			 "%s; -l makes the JVM search its heap for them",
			 o->why.text);
}

/* ---- dumps of a running JVM ---- */

/*
 * Waits for the next dump. False if the user, ERROR_NONE, or the JVM ends the
 * series; *err has a text then.
 */
static bool threads_wait(const struct jvm *jvm, int64_t until_ns,
			 struct error *err)
{
	switch (signals_wait(jvm->pidfd, until_ns)) {
	case WAIT_SIGNAL:
		fail(err, ERROR_NONE, "interrupted");
		return false;
	case WAIT_EXIT:
		fail(err, ERROR_NO_TARGET, "the JVM has exited");
		return false;
	case WAIT_DUE:
		break;
	}
	return true;
}

/*
 * Reads the peers for which the threads of the dump wait. Without the right,
 * the report lacks them.
 */
static void threads_read_peers(const struct jvm *jvm, struct dump_series *s)
{
	static bool has_failed;
	struct error err;

	dump_series_end(s);
	if (has_failed || !s->number ||
	    (s->wanted && s->wanted != s->dump_count))
		return;
	if (series_read_peers(s, jvm, &err) == 0) {
		if (s->peers.unread)
			log_always("the system calls of %zu threads were not "
				   "read: too many threads",
				   s->peers.unread);
		if (s->peers.is_cut)
			log_always("some descriptors and addresses are "
				   "missing: reading them took too long");
		return;
	}
	has_failed = true;
	if (err.kind == ERROR_PERMISSION)
		log_info("the peers of system calls are missing: the kernel "
			 "denies /proc/%d/task/TID/syscall; run as root",
			 (int)jvm->pid);
	else if (err.kind != ERROR_NO_TARGET)
		log_info("the peers of system calls are missing: %s", err.text);
}

/*
 * Takes a dump as jstack does, and reads it. The JVM prints only the virtual
 * threads that run: another dump has all of them. It is taken first, so that a
 * failure does not leave half a dump.
 */
static int threads_take(const struct jvm *jvm, struct attach *a,
			struct dump_owners *owners, struct dump_series *s,
			struct error *err)
{
	struct input all = { 0 };
	int ret = 0;

	if (opt.virtual_threads)
		ret = virtual_dump_take(jvm, a, true, opt.timeout_ns, &all,
					err);
	if (ret == 0)
		ret = dump_owners_take(owners, a, opt.locks ? "-le" : "-e", s,
				       err);
	if (ret == 0 && opt.virtual_threads && dump_series_supplement(s))
		ret = dump_json_reader.read(all.bytes, all.len, s->profile,
					    err);
	if (ret == 0)
		dump_owners_add(owners, s);
	if (ret == 0)
		threads_read_peers(jvm, s);
	input_close(&all);
	return ret;
}

/*
 * Points to --virtual if the dump has a virtual thread, or a thread that serves
 * them: VirtualThread-unparker, VirtualThread-unblocker.
 */
static void threads_suggest_virtual(const struct dump_series *s)
{
	static const char service[] = "VirtualThread-";

	for (size_t i = 0; !opt.virtual_threads && i < s->thread_count; i++) {
		const struct series_thread *t = &s->threads[i];
		const char *name = profile_text(s->profile, t->thread.name);

		if (!t->thread.is_virtual &&
		    strncmp(name, service, strlen(service)) != 0)
			continue;
		log_info("the JVM uses virtual threads, and its dump lacks "
			 "all but the running ones; --virtual adds them");
		return;
	}
}

/*
 * Takes the dumps. If one of them fails, the dumps before it are reported, and
 * *early has the reason.
 */
static int threads_take_all(const struct jvm *jvm, struct dump_series *s,
			    struct error *early, struct error *err)
{
	struct dump_owners owners = { 0 };
	struct attach *a = NULL;
	uint64_t taken = 0;
	int ret = opt.virtual_threads ? virtual_dump_check(jvm, err) : 0;

	/* With --locks, the dump has the owners. */
	if (ret == 0 && !opt.locks)
		dump_owners_open(&owners, jvm);
	if (ret == 0)
		a = attach_open(jvm, opt.timeout_ns, err);
	ret = a ? threads_take(jvm, a, &owners, s, err) : -1;

	signals_listen();
	if (a)
		attach_stop_by(a, signals_fd());
	while (ret == 0 && ++taken < opt.count) {
		/* A late dump does not shorten the time to the next one. */
		int64_t due_ns = clock_after(clock_monotonic_ns(),
					     opt.interval_ns);

		if (threads_wait(jvm, due_ns, early) &&
		    threads_take(jvm, a, &owners, s, early) == 0)
			continue;
		if (signals_arrived())
			fail(early, ERROR_NONE, "interrupted");
		fail_in(early, "took %" PRIu64 " of %" PRIu64 " dumps", taken,
			opt.count);
		break;
	}
	attach_close(a);
	if (ret == 0) {
		threads_suggest_virtual(s);
		dump_series_end(s);
		owners_explain(&owners, s);
	}
	dump_owners_close(&owners);
	return ret;
}

static void threads_set_defaults(void)
{
	if (opt.count == COUNT_NOT_GIVEN)
		opt.count = 1;
	if (opt.interval_ns < 0)
		opt.interval_ns = THREADS_INTERVAL;
	if (opt.timeout_ns < 0)
		opt.timeout_ns = ATTACH_TIMEOUT_NS;
}

static struct profile *threads_of_jvm(struct dump_series *s, int argc,
				      char **argv,
				      struct threads_source *source,
				      struct error *early, struct error *err)
{
	struct jvm jvm = { 0 };
	struct profile *p = NULL;
	int ret;

	threads_set_defaults();
	if (opt.dump > opt.count) {
		misuse(err,
		       "option --dump: invalid number %" PRIu64
		       "; the last dump is number %" PRIu64,
		       opt.dump, opt.count);
		return NULL;
	}
	ret = target_open(&jvm, opt.pid, argc, argv, err);
	if (ret == 0) {
		text_printf(&source->name, "%d", (int)jvm.pid);
		container_pod_read(&source->pod, &jvm);
		p = profile_new();
		dump_series_init(s, p);
		s->wanted = opt.dump;
		ret = threads_take_all(&jvm, s, early, err);
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
					char **argv,
					struct threads_source *source,
					struct error *err)
{
	const struct recording_options options = {
		.paths = (const char *const *)argv,
		.path_count = (size_t)argc,
		/* The readers that pass thread dumps to a tap. */
		.wanted = "jstack jstack-json std",
		.prepare = threads_prepare,
		.prepare_self = s,
	};

	if (target_refuse_live("count|interval|timeout|locks|virtual", err))
		return NULL;
	text_puts(&source->name, argv[0]);
	if (argc > 1)
		text_printf(&source->name, " and %d more", argc - 1);
	return recording_read(&options, err);
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

static int threads_write(const struct dump_series *s,
			 const struct threads_source *source, struct error *err)
{
	const struct threads_options options = {
		.source = source->name.bytes,
		.pod = &source->pod,
		.top = threads_limit(opt.top, THREADS_TOP),
		.few = command_given("verbose")
			       ? 0
			       : threads_limit(opt.top, BLOCKED_FEW),
		.frames = threads_limit(opt.frames, THREADS_FRAMES),
		.width = output_terminal_width(opt.output),
		.color = output_wants_color(opt.output),
	};
	struct text text = { 0 };
	int ret;

	if (opt.page)
		return threads_write_page(s, &options, err);
	(opt.json  ? threads_json
	 : opt.csv ? threads_csv
		   : threads_text)(&text, s, &options);
	ret = output_file(opt.output, text.bytes, text.len, err);
	text_release(&text);
	return ret;
}

/* early: why dumps are missing; empty if none is. */
static int threads_report(const struct dump_series *s, const struct profile *p,
			  const struct threads_source *source,
			  const struct error *early, struct error *err)
{
	const char *name = source->name.bytes;
	bool is_short = early->kind != ERROR_NONE;

	if (!s->number)
		return fail(err, ERROR_INPUT, "%s has no thread dumps", name);
	if (opt.dump > s->dump_count && *early->text)
		return fail(err, ERROR_PARTIAL, "%s: %s", name, early->text);
	if (opt.dump > s->dump_count)
		return misuse(err,
			      "option --dump: invalid number %" PRIu64
			      "; the last dump is number %zu",
			      opt.dump, s->dump_count);
	if (threads_write(s, source, err))
		return -1;
	if (*early->text && !is_short)
		log_info("%s: %s", name, early->text);
	if (is_short)
		return fail(err, ERROR_PARTIAL, "%s: %s", name, early->text);
	return profile_is_partial(p) ? fail(err, ERROR_PARTIAL,
					    "%s: the report is partial", name)
				     : 0;
}

static int threads_check_output(struct error *err)
{
	const struct report_format format = { &opt.csv, &opt.json, &opt.page };

	if (report_format_choose(&format, opt.output, err))
		return -1;
	return strcmp(opt.output, "-") == 0 ? 0 : output_try(opt.output, err);
}

static int threads_run(int argc, char **argv, struct error *err)
{
	struct dump_series s = { 0 };
	struct threads_source source = { 0 };
	struct error early = { 0 };
	struct profile *p;
	int ret = -1;

	if (threads_check_output(err))
		return -1;
	p = !opt.pid && argc && (argc > 1 || target_is_file(argv[0]))
		    ? threads_of_files(&s, argc, argv, &source, err)
		    : threads_of_jvm(&s, argc, argv, &source, &early, err);
	if (p) {
		dump_series_end(&s);
		ret = threads_report(&s, p, &source, &early, err);
	}
	dump_series_release(&s);
	profile_free(p);
	text_release(&source.name);
	container_pod_release(&source.pod);
	return ret;
}

/* clang-format off */
static const struct command_option options[] = {
	OPT_TARGET(&opt.pid),
	OPT_COUNT(0, "count", &opt.count, "<count>",
		  "take this many dumps of a JVM (default: 1)",
		  .positive = true),
	OPT_DURATION(0, "interval", &opt.interval_ns, "<time>",
		     "wait this long between dumps (default: 2s)"),
	OPT_FLAG('l', "locks", &opt.locks,
		 "let the JVM search its heap for owners of locks",
		 .aliases = "--long"),
	OPT_FLAG(0, "virtual", &opt.virtual_threads,
		 "include all virtual threads (JDK 21)"),
	OPT_COUNT(0, "dump", &opt.dump, "<number>",
		  "report the dump of this number (default: last)"),
	OPT_COUNT('n', "top", &opt.top, "<count>",
		  "limit the rows of text; 0: all (default: 20)"),
	OPT_COUNT(0, "frames", &opt.frames, "<count>",
		  "limit the frames of text; 0: all (default: 12)"),
	OPT_FLAG(0, "json", &opt.json, "write JSON"),
	OPT_FLAG(0, "csv", &opt.csv, "write CSV with a row for each thread",
		 .excludes = "json"),
	OPT_STRING('o', "output", &opt.output, "<file>",
		   "write to this file"),
	OPT_DURATION(0, "timeout", &opt.timeout_ns, "<time>",
		     "give up after this time (default: 10s)"),
	OPT_END,
};
/* clang-format on */

const struct command threads_command = {
	.name = "threads",
	.synopsis = "threads [<options>] [<pid>|<file>…]",
	.summary = "find blocked, deadlocked and stuck threads",
	.group = "threads and heap",
	.examples = "  sjkc threads dump.txt             # of any tool\n"
		    "  sjkc threads 4711                 # of a JVM\n"
		    "  sjkc threads --count 5 Main       # stuck threads\n"
		    "  sjkc threads --virtual 4711       # all of JDK 21\n"
		    "  sjkc threads -o out.html dump.txt # a page\n"
		    "  sjkc threads --json dump.txt\n",
	.options = options,
	.has_messages = true,
	.run = threads_run,
};
