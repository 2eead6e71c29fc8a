/* SPDX-License-Identifier: Apache-2.0 */
/* sjkc why: prints the causes of a JVM's problems, or of its crash. */
#include "cmd/why/why.h"

#include "cmd/commands.h"
#include "cmd/shared/log.h"
#include "cmd/shared/signals.h"
#include "cmd/shared/target.h"
#include "core/base/alloc.h"
#include "core/base/child.h"
#include "core/base/clock.h"
#include "core/base/input.h"
#include "core/base/units.h"
#include "core/formats/snap_bundle.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define WHY_DURATION (15 * CLOCK_NS_PER_S)
#define WHY_LEAST    CLOCK_NS_PER_S
/* The other observation ends at most so much later. */
#define WHY_GRACE (10 * CLOCK_NS_PER_S)

/* Exit statuses of --exit-code. */
enum { WHY_FOUND = 10, WHY_BROKEN = 11 };

static struct {
	const char *pid, *output, *against;
	struct observation_options observation;
	bool json, exit_code, watch;
} opt = { .output = "-", .observation.duration_ns = WHY_DURATION };

/* Lines of the answer on the terminal, which the next one replaces. */
static size_t answer_lines;

/* The diagnosis of --against; it is observed by a child, or was read. */
struct against {
	struct child child;
	int result; /* the document "sjkc.why/1" that the child writes; -1 =
		       none */
	struct jvm jvm;
	bool is_given;
	struct diagnosis diagnosis;
};

/* ---- the other JVM ---- */

/* Observes and diagnoses; the caller closes *o, even after a failure. */
static int why_observe(const struct jvm *jvm, struct observation **o,
		       struct diagnosis *d,
		       void (*tell)(const struct diagnosis *d),
		       struct error *err)
{
	*o = observation_open(jvm, &opt.observation, err);
	if (!*o)
		return -1;
	observation_run(*o, tell);
	return observation_diagnose(*o, d, err);
}

/* Runs in the child. */
static int against_observe(void *self, int channel, struct error *err)
{
	struct against *a = self;
	struct observation *o;
	struct diagnosis d = { 0 };
	struct text out = { 0 };
	int ret;

	(void)channel;
	/* The terminal's signals go to the parent, which passes one on. */
	setsid();
	signals_forget();
	signals_listen();
	log_set_level(LOG_QUIET);
	ret = why_observe(&a->jvm, &o, &d, NULL, err);
	if (ret == 0) {
		diagnosis_add_json(&out, &d, NULL);
		if (write(a->result, out.bytes, out.len) != (ssize_t)out.len)
			ret = fail_sys(err, ERROR_FAILED, "a diagnosis");
	}
	observation_close(o);
	text_release(&out);
	diagnosis_release(&d);
	return ret ? -1 : CHILD_NOTHING;
}

/* pid: of the JVM that is diagnosed; 0 = none. */
static int against_start(struct against *a, pid_t pid, struct error *err)
{
	const struct child_options options = {
		.files = CHILD_KEEPS_FILES,
		.signals = CHILD_KEEPS_SIGNALS,
		.dies_with_parent = true,
	};

	if (target_open_named(&a->jvm, opt.against, err))
		return -1;
	if (a->jvm.pid == pid)
		return misuse(err, "--against %s: the same JVM", opt.against);
	a->result = memfd_create("sjkc", MFD_CLOEXEC);
	if (a->result < 0)
		return fail_sys(err, ERROR_FAILED, "memfd_create");
	return child_start(&a->child, &options, against_observe, a, err);
}

static int against_read_result(struct against *a, struct error *err)
{
	struct text text = { 0 };
	char part[4096];
	ssize_t got;
	int ret;

	lseek(a->result, 0, SEEK_SET);
	while ((got = read(a->result, part, sizeof(part))) > 0)
		text_add(&text, part, (size_t)got);
	ret = diagnosis_read_json(&a->diagnosis, text.len ? text.bytes : "",
				  text.len, err);
	text_release(&text);
	return ret;
}

/* Of a bundle, the document of the observation. */
static int why_open_input(struct input *in, const char *path, struct error *err)
{
	if (input_open_any(in, path, err) || input_complete(in, err))
		return -1;
	return snap_bundle_narrow(in, SNAP_WHY, err) < 0 ? -1 : 0;
}

static int against_read_file(struct against *a, struct error *err)
{
	struct input in = { 0 };
	int ret = why_open_input(&in, opt.against, err);

	if (ret == 0)
		ret = why_read_files(&a->diagnosis, &in, 1, err);
	else
		fail_in(err, "%s", opt.against);
	input_close(&in);
	return ret;
}

static int against_open(struct against *a, pid_t pid, struct error *err)
{
	if (!opt.against)
		return 0;
	a->is_given = true;
	if (target_is_file(opt.against))
		return against_read_file(a, err);
	return against_start(a, pid, err);
}

static int against_finish(struct against *a, struct error *err)
{
	int fd = -1;
	enum child_news news;

	if (!a->child.pid)
		return 0;
	if (signals_arrived())
		kill(a->child.pid, SIGINT);
	news = child_wait(&a->child, clock_monotonic_ns() + WHY_GRACE, &fd,
			  err);
	if (news != CHILD_DONE) {
		fail_in(err, "%s", opt.against);
		return -1;
	}
	return against_read_result(a, err);
}

static void against_close(struct against *a)
{
	child_end(&a->child, 0);
	if (a->result >= 0)
		close(a->result);
	if (a->is_given)
		diagnosis_release(&a->diagnosis);
	jvm_close(&a->jvm);
}

/* NULL without --against. */
static const struct diagnosis *against_diagnosis(const struct against *a)
{
	return a->is_given ? &a->diagnosis : NULL;
}

/* ---- output ---- */

static bool why_output_is_page(void)
{
	const char *dot = strrchr(opt.output, '.');

	return dot && (strcmp(dot, ".html") == 0 || strcmp(dot, ".htm") == 0);
}

static int why_write_html(const struct diagnosis *d, struct observation *o,
			  struct error *err)
{
	struct output out;
	int ret = output_open(&out, opt.output, err);

	if (ret == 0) {
		why_write_page(&out, d, o);
		ret = output_commit(&out, err);
	}
	output_close(&out);
	return ret;
}

static int why_write(const struct diagnosis *d, const struct against *a,
		     struct error *err)
{
	struct text out = { 0 };
	int ret;

	(opt.json ? diagnosis_add_json : why_add_text)(&out, d,
						       against_diagnosis(a));
	ret = output_file(opt.output, out.bytes, out.len, err);
	text_release(&out);
	return ret;
}

/* An exit status is an error without a text. */
static int why_end_with(int status, struct error *err)
{
	*err = (struct error){ .kind = (enum error_kind)status };
	return -1;
}

static int why_set_status(const struct diagnosis *d, const struct against *a,
			  struct error *err)
{
	if (!opt.exit_code || !why_count_causes(d, against_diagnosis(a)))
		return 0;
	return why_end_with(d->causes[0].rank == CAUSE_BROKEN ? WHY_BROKEN
							      : WHY_FOUND,
			    err);
}

/* ---- files ---- */

/* Explains a fatal error log, which may end early. */
static int why_explain_crash(const struct input *in, struct error *err)
{
	struct error output_err;
	struct output out;
	int ret = output_open(&out, opt.output, err);

	if (ret == 0)
		ret = why_hs_err(in, opt.json, &out, err);
	if ((ret == 0 || err->kind == ERROR_PARTIAL) &&
	    output_commit(&out, &output_err)) {
		*err = output_err;
		ret = -1;
	}
	output_close(&out);
	return ret;
}

static int why_compare_files(const struct diagnosis *d, struct error *err)
{
	struct against a = { .result = -1 };
	bool ok = against_open(&a, 0, err) == 0 &&
		  against_finish(&a, err) == 0 && why_write(d, &a, err) == 0 &&
		  why_set_status(d, &a, err) == 0;

	if (ok && d->lost.len)
		ok = fail(err, ERROR_PARTIAL, "the input is incomplete") == 0;
	against_close(&a);
	return ok ? 0 : -1;
}

/* A single file may be a fatal error log, which needs no other. */
static int why_judge_inputs(const struct input *all, size_t count,
			    struct error *err)
{
	struct diagnosis d = { 0 };
	struct text name = { 0 };
	struct error no_recording;
	int ret = -1;

	if (count == 1) {
		ret = why_explain_crash(all, err);
		if (ret == 0 && opt.exit_code)
			return why_end_with(WHY_BROKEN, err);
		if (ret == 0 || err->kind != ERROR_INPUT)
			return ret;
	}
	ret = why_read_files(&d, all, count, &no_recording);
	if (ret == 0)
		ret = why_compare_files(&d, err);
	else if (count > 1 || !foreign_file_name(&name, all->bytes, all->len))
		*err = no_recording;
	text_release(&name);
	diagnosis_release(&d);
	return ret;
}

static int why_run_files(const char *const *paths, size_t count,
			 struct error *err)
{
	struct input *all;
	int ret = 0;

	if (target_refuse_live("duration|watch|no-attach|no-uprobes", err))
		return -1;
	if (why_output_is_page())
		return misuse(err, "a page requires a running JVM: '%s'",
			      opt.output);
	all = xcalloc(count, sizeof(*all));
	for (size_t i = 0; ret == 0 && i < count; i++) {
		ret = why_open_input(&all[i], paths[i], err);
		if (ret)
			fail_in(err, "%s", paths[i]);
	}
	if (ret == 0)
		ret = why_judge_inputs(all, count, err);
	for (size_t i = 0; i < count; i++)
		input_close(&all[i]);
	free(all);
	return ret;
}

/* ---- a running JVM ---- */

/* True if answers so far are shown, and replaced by the next one. */
static bool why_shows_answers(void)
{
	return !opt.json && strcmp(opt.output, "-") == 0 &&
	       isatty(STDOUT_FILENO) && isatty(STDERR_FILENO);
}

/* Removes the answer from the terminal. */
static void why_remove_answer(void)
{
	if (answer_lines)
		printf("\033[%zuA\033[J", answer_lines);
	fflush(stdout);
	answer_lines = 0;
}

/* An answer may change: on a terminal, the next one replaces it. */
static void why_tell(const struct diagnosis *d)
{
	static bool has_told;
	struct text out = { 0 };

	if (!has_told && !why_shows_answers())
		log_info("after %s: %s%s", units_time(d->seconds * 1e9).text,
			 d->count ? d->causes[0].sentence.bytes
				  : "no cause found so far",
			 d->count > 1 ? ", and more" : "");
	has_told = true;
	if (!why_shows_answers())
		return;
	why_remove_answer();
	why_add_text(&out, d, NULL);
	fwrite(out.bytes, 1, out.len, stdout);
	fflush(stdout);
	for (size_t i = 0; i < out.len; i++)
		answer_lines += out.bytes[i] == '\n';
	text_release(&out);
}

/* Prints the changes, until a signal arrives or the JVM exits. */
static int why_watch(const struct jvm *jvm, struct error *err)
{
	struct diagnosis d = { 0 }, before = { 0 };
	bool is_first = true;
	int ret = 0;

	while (ret == 0 && !signals_arrived() && jvm_runs(jvm)) {
		struct text out = { 0 };
		struct observation *o;

		ret = why_observe(jvm, &o, &d, NULL, err);
		observation_close(o);
		/* What a signal cut short is no change. */
		if (ret == 0 && (is_first || !signals_arrived()))
			why_add_changes(&out, &d, is_first ? NULL : &before);
		if (out.len) {
			fwrite(out.bytes, 1, out.len, stdout);
			fflush(stdout);
		}
		text_release(&out);
		diagnosis_release(&before);
		before = d;
		d = (struct diagnosis){ 0 };
		is_first = false;
	}
	if (!jvm_runs(jvm)) {
		log_info("the JVM has exited");
		ret = 0;
	}
	diagnosis_release(&before);
	return ret;
}

static int why_run_jvm(const struct jvm *jvm, struct error *err)
{
	struct against a = { .result = -1 };
	struct diagnosis d = { 0 };
	struct observation *o = NULL;
	bool ok;

	if (opt.watch)
		return why_watch(jvm, err);
	ok = against_open(&a, jvm->pid, err) == 0 &&
	     why_observe(jvm, &o, &d, why_tell, err) == 0;
	why_remove_answer();
	ok = ok && against_finish(&a, err) == 0 &&
	     (why_output_is_page() ? why_write_html(&d, o, err)
				   : why_write(&d, &a, err)) == 0 &&
	     why_set_status(&d, &a, err) == 0;
	observation_close(o);
	against_close(&a);
	diagnosis_release(&d);
	return ok ? 0 : -1;
}

static int why_run_command(int argc, char **argv, struct error *err)
{
	struct jvm jvm = { .pidfd = -1 };
	int ret;

	if (!opt.pid && argc >= 1 && target_is_file(argv[0]))
		return why_run_files((const char *const *)argv, (size_t)argc,
				     err);
	if (why_output_is_page() && (opt.json || opt.against))
		return misuse(err, "a page excludes --json and --against");
	if (opt.observation.duration_ns < WHY_LEAST)
		return misuse(err, "--duration must be at least 1s");
	if (strcmp(opt.output, "-") != 0 && output_try(opt.output, err))
		return -1;
	ret = target_open(&jvm, opt.pid, argc, argv, err);
	if (ret)
		return -1;
	signals_listen();
	ret = why_run_jvm(&jvm, err);
	jvm_close(&jvm);
	return ret;
}

/* clang-format off */
static const struct command_option options[] = {
	OPT_TARGET(&opt.pid),
	OPT_DURATION('d', "duration", &opt.observation.duration_ns, "<time>",
		     "observe for this long", .positive = true),
	OPT_FLAG(0, "no-attach", &opt.observation.no_attach,
		 "take no thread dumps, and ask the JVM nothing"),
	OPT_FLAG(0, "no-uprobes", &opt.observation.no_uprobes,
		 "measure pauses by the JVM's counters"),
	OPT_STRING(0, "against", &opt.against, "<pid|file>",
		   "print only causes that this JVM or file lacks"),
	OPT_FLAG(0, "watch", &opt.watch,
		 "repeat, and print only changes",
		 .excludes = "json|output|against|exit-code"),
	OPT_FLAG(0, "json", &opt.json, "write JSON"),
	OPT_STRING('o', "output", &opt.output, "<file>",
		   "write to this file"),
	OPT_FLAG(0, "exit-code", &opt.exit_code,
		 "exit with status 10 if there is a cause, or 11"),
	OPT_END,
};
/* clang-format on */

const struct command why_command = {
	.name = "why",
	.synopsis = "why [<options>] [<pid>|<file>...]",
	.summary = "find what is wrong with a JVM: stops, locks, waits, CPU",
	.group = "watch",
	.examples = "  sjkc why 4711                     # the causes, in 15 "
		    "s\n"
		    "  sjkc why -d 5s Main\n"
		    "  sjkc why 4711 --against 4712      # what the other "
		    "lacks\n"
		    "  sjkc why 4711 --watch -d 60s      # changes, until ^C\n"
		    "  sjkc why hs_err_pid4711.log       # why it crashed\n"
		    "  sjkc why dump1.txt dump2.txt gc.log\n"
		    "  sjkc why 4711 --json | jq '.causes[].sentence'\n",
	.options = options,
	.has_messages = true,
	.run = why_run_command,
};
