/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sjkc snap: collects into one archive what a diagnosis needs after the JVM or
 * its pod is gone.
 */
#include "cmd/snap/snap.h"

#include "cmd/commands.h"
#include "cmd/shared/log.h"
#include "cmd/shared/signals.h"
#include "cmd/shared/target.h"
#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/base/units.h"
#include "core/formats/snap_bundle.h"
#include "core/jvm/main_name.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#define SNAP_MAX_SIZE ((uint64_t)64 << 20)

enum {
	JVMS_AT_ONCE = 4, /* each has some ten processes */
	HOST_MAX = 40,
};

static struct {
	const char *pid, *output;
	struct option_list commands;
	uint64_t max_size;
	bool all, quick;
} opt = {
	.max_size = SNAP_MAX_SIZE,
};

/* The JVMs, and the names of the bundle. */
struct snap {
	struct jvm_list list; /* with --all */
	struct jvm one;
	const struct jvm *jvms;
	size_t count;
	struct text *names; /* of the JVMs */
	struct utsname host;
	struct text directory, file;
	struct snap_bundle bundle;
};

static int snap_open_jvms(struct snap *s, int argc, char **argv,
			  struct error *err)
{
	if (!opt.all) {
		s->jvms = &s->one;
		s->count = 1;
		return target_open(&s->one, opt.pid, argc, argv, err);
	}
	if (argc)
		return misuse(err, "--all and '%s' cannot be used together",
			      argv[0]);
	if (jvm_list(&s->list, err))
		return -1;
	target_log_hidden(&s->list);
	s->jvms = s->list.jvms;
	s->count = s->list.count;
	return s->count ? 0 : target_fail_no_jvm(&s->list, err);
}

/* Sets "sjkc-snap-HOST-4711-20261129T202652Z". */
static void snap_name(struct snap *s)
{
	time_t now = time(NULL);
	char when[32] = "";
	struct tm tm;

	uname(&s->host);
	text_puts(&s->directory, SNAP_DIRECTORY);
	for (size_t i = 0; s->host.nodename[i] && i < HOST_MAX; i++) {
		char c = s->host.nodename[i];

		text_putc(&s->directory, c == '/' || c <= ' ' ? '_' : c);
	}
	if (gmtime_r(&now, &tm))
		strftime(when, sizeof(when), "%Y%m%dT%H%M%SZ", &tm);
	if (opt.all)
		text_printf(&s->directory, "-all-%s", when);
	else
		text_printf(&s->directory, "-%d-%s", (int)s->one.pid, when);
	text_printf(&s->file, "%s.tar.gz", s->directory.bytes);
}

static void snap_describe(struct snap *s)
{
	s->names = xcalloc(s->count, sizeof(*s->names));
	for (size_t i = 0; i < s->count; i++) {
		main_name_add_with_pod(&s->jvms[i], &s->names[i]);
		log_info("%s: observing for %s%s", s->names[i].bytes,
			 opt.quick ? "2 s" : "10 s",
			 opt.quick || i ? ""
					: "; then a heap histogram stops the "
					  "program (not with --quick)");
	}
}

/* Collects the parts of all JVMs; false after a signal. */
static bool snap_collect(struct snap *s)
{
	const struct snap_options options = {
		.is_quick = opt.quick,
		.commands = opt.commands.values,
		.command_count = opt.commands.count,
		.in_directories = opt.all,
	};
	bool goes_on = true;

	for (size_t i = 0; goes_on && i < s->count; i += JVMS_AT_ONCE) {
		size_t left = s->count - i;

		goes_on = snap_run(&options, &s->bundle, s->jvms + i,
				   left < JVMS_AT_ONCE ? left : JVMS_AT_ONCE,
				   !i);
	}
	return goes_on;
}

/* Reports the bundle; ERROR_PARTIAL without its most important parts. */
static int snap_report(const struct snap *s, const char *path, bool is_complete,
		       int64_t took_ns, struct error *err)
{
	size_t files = 0, required = 0;

	for (size_t i = 0; i < s->bundle.count; i++) {
		const struct snap_member *m = &s->bundle.all[i];

		files += m->packed.len > 0;
		required += m->is_required && m->packed.len;
	}
	log_info("wrote %s: %zu files, %s, in %s; it may have confidential "
		 "names and log lines",
		 strcmp(path, "-") == 0 ? "the bundle" : path, files,
		 units_bytes((double)s->bundle.bytes).text,
		 units_time((double)took_ns).text);
	if (!is_complete)
		return fail(err, ERROR_PARTIAL,
			    "the bundle is incomplete: interrupted");
	return required == SNAP_REQUIRED * s->count
		       ? 0
		       : fail(err, ERROR_PARTIAL,
			      "the bundle lacks its most important files; "
			      "its " SNAP_MANIFEST " has the reasons");
}

static int snap_make(struct snap *s, const char *path, struct error *err)
{
	struct snap_about about = { .host = s->host.nodename,
				    .begin_ns = clock_wall_ns(),
				    .is_quick = opt.quick,
				    .jvms = s->names,
				    .jvm_count = s->count };
	int64_t begin_ns = clock_monotonic_ns();

	s->bundle.directory = s->directory.bytes;
	s->bundle.max_bytes = opt.max_size;
	signals_listen();
	about.is_interrupted = !snap_collect(s);
	about.end_ns = clock_wall_ns();
	if (snap_bundle_write(&s->bundle, path, &about, err))
		return -1;
	return snap_report(s, path, !about.is_interrupted,
			   clock_monotonic_ns() - begin_ns, err);
}

static int snap_run_command(int argc, char **argv, struct error *err)
{
	struct snap s = { .one.pidfd = -1 };
	const char *path;
	int ret = snap_open_jvms(&s, argc, argv, err);

	if (ret == 0) {
		snap_name(&s);
		path = opt.output ? opt.output : s.file.bytes;
		ret = strcmp(path, "-") == 0 && isatty(STDOUT_FILENO)
			      ? misuse(err,
				       "-o - writes an archive, and standard "
				       "output is a terminal")
			      : output_try(path, err);
	}
	if (ret == 0) {
		snap_describe(&s);
		ret = snap_make(&s, path, err);
	}
	for (size_t i = 0; s.names && i < s.count; i++)
		text_release(&s.names[i]);
	free(s.names);
	snap_bundle_release(&s.bundle);
	text_release(&s.directory);
	text_release(&s.file);
	jvm_list_release(&s.list);
	jvm_close(&s.one);
	return ret;
}

/* clang-format off */
static const struct command_option options[] = {
	OPT_TARGET(&opt.pid),
	OPT_FLAG(0, "all", &opt.all,
		 "collect from all running JVMs, into one bundle",
		 .excludes = "pid"),
	OPT_FLAG(0, "quick", &opt.quick,
		 "observe for 2 s, without eBPF and histogram"),
	OPT_LIST(0, "exec", &opt.commands, "<command>",
		 "add the output of a command; $SJKC_PID is set",
		 .single = true),
	OPT_SIZE(0, "max-size", &opt.max_size, "<size>",
		 "omit files beyond this size", .positive = true),
	OPT_STRING('o', "output", &opt.output, "<file>",
		   "write to this file (default: sjkc-snap-…)"),
	OPT_END,
};
/* clang-format on */

const struct command snap_command = {
	.name = "snap",
	.synopsis = "snap [<options>] [<pid>]",
	.summary = "collect what a diagnosis needs before the JVM ends",
	.group = "watch",
	.examples = "  sjkc snap 4711 -o incident.tar.gz # 10 s and a heap "
		    "histogram\n"
		    "  sjkc snap 4711 --quick            # 2 s\n"
		    "  sjkc why incident.tar.gz          # also threads, "
		    "flame, diff, gc\n",
	.options = options,
	.has_messages = true,
	.run = snap_run_command,
};
