/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sjkc why: measures a JVM for a while, and prints what is wrong with it.
 *
 * The measurements come from the modules that ttop, gc, prof and threads use:
 * two samples of /proc, several thread dumps, pauses by uprobes, and CPU
 * samples by eBPF.  core/diagnosis has the rules.
 */
#include "bpf/gc_probes.h"
#include "bpf/sampling/sampling.h"
#include "cmd/commands.h"
#include "cmd/shared/dump_owners.h"
#include "cmd/shared/log.h"
#include "cmd/shared/signals.h"
#include "cmd/shared/target.h"
#include "cmd/why/why.h"
#include "core/attach/attach.h"
#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/base/intern.h"
#include "core/base/json.h"
#include "core/base/output.h"
#include "core/base/units.h"
#include "core/diagnosis/diagnosis.h"
#include "core/formats/reader.h"
#include "core/gc/gc_counters.h"
#include "core/jvm/main_name.h"
#include "core/threads/proc_source.h"

#include <inttypes.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#define WHY_DURATION   (15 * CLOCK_NS_PER_S)
#define WHY_LEAST      CLOCK_NS_PER_S
#define WHY_FIRST_NS   (1500 * CLOCK_NS_PER_MS) /* of the second dump */
#define WHY_EARLY_NS   (5 * CLOCK_NS_PER_S)   /* from here on, a first answer */
#define WHY_SLOW_NS    (10 * CLOCK_NS_PER_MS) /* a slow stop */
#define WHY_TIMEOUT_NS (5 * CLOCK_NS_PER_S)   /* of a dump */

enum { WHY_DUMPS = 4, WHY_FILES = 4, WHY_CAUSES = 5 };

/* Exit statuses of --exit-code. */
enum { WHY_FOUND = 10, WHY_BROKEN = 11 };

static struct {
	const char *pid, *output;
	int64_t duration_ns;
	bool json, exit_code;
} opt = { .output = "-", .duration_ns = WHY_DURATION };

/* The measurements of a JVM. */
struct why {
	struct jvm jvm;
	char name[16]; /* the PID */
	int64_t begin_ns;

	struct thread_source *source;
	/* Of the first answer, and of the whole time. */
	struct thread_rates *first_rates, *rates;
	struct top_sample sample; /* the last one */
	struct process_sample before;

	struct attach *attach;
	struct dump_owners owners;
	struct dump_waits waits;
	size_t dumps_due; /* number of the next dump */

	struct gc_source *gc;
	struct diagnosis_pauses pauses;
	struct intern last_names; /* of the last threads of slow stops */
	unsigned last_counts[64], last_known;

	struct sampling *sampling;
	struct sampling_options sampling_options;

	struct open_files files[WHY_FILES];
	struct text problems[DIAGNOSIS_NEEDS]; /* by the number of the bit */
	struct diagnosis_facts facts;
};

/* Keeps why a fact is missing. */
static void why_miss(struct why *w, enum diagnosis_need need, const char *text)
{
	struct text *problem = &w->problems[__builtin_ctz(need)];

	text_clear(problem);
	text_puts(problem, text);
}

/* ---- thread dumps ---- */

static int why_read_dump(struct why *w, struct error *err)
{
	const struct attach_request request = {
		.operation = "threaddump",
		.args = { "-e" },
	};
	struct text reply = { 0 };
	struct dump_series series = { 0 };
	struct error no_peers;
	struct profile *p;
	int ret;

	dump_owners_before(&w->owners);
	ret = attach_call(w->attach, &request, &reply, err);
	dump_owners_after(&w->owners);
	if (ret == 0) {
		p = profile_new();
		dump_series_init(&series, p);
		ret = dump_reader.read((const uint8_t *)reply.bytes, reply.len,
				       p, err);
		if (ret == 0)
			dump_owners_add(&w->owners, &series);
		dump_series_end(&series);
		/* Without the right, waits have no peers. */
		if (ret == 0 && series_read_peers(&series, &w->jvm, &no_peers))
			log_detail("no peers: %s", no_peers.text);
		if (ret == 0)
			dump_waits_add(&w->waits, &series);
		dump_series_release(&series);
		profile_free(p);
	}
	text_release(&reply);
	return ret;
}

static void why_count_files(struct why *w)
{
	struct error err;

	if (w->facts.file_counts == WHY_FILES)
		return;
	if (open_files_read(&w->files[w->facts.file_counts], w->jvm.pid, &err))
		why_miss(w, NEEDS_FILES, err.text);
	else
		w->facts.file_counts++;
}

/* When the dump of this number is due, after the beginning. */
static int64_t why_dump_ns(size_t number)
{
	int64_t last = opt.duration_ns - 200 * CLOCK_NS_PER_MS;
	int64_t even = last * (int64_t)number / (WHY_DUMPS - 1);

	return number == 1 && even > WHY_FIRST_NS ? WHY_FIRST_NS : even;
}

static void why_take_due_dump(struct why *w)
{
	struct error err;
	int64_t now = clock_monotonic_ns() - w->begin_ns;

	if (!w->attach || w->dumps_due == WHY_DUMPS ||
	    now < why_dump_ns(w->dumps_due))
		return;
	w->dumps_due++;
	if (w->dumps_due > 1 && w->dumps_due < WHY_DUMPS)
		why_count_files(w);
	if (why_read_dump(w, &err)) {
		why_miss(w, NEEDS_DUMPS, err.text);
		log_info("the thread dump failed: %s", err.text);
		attach_close(w->attach);
		w->attach = NULL;
	}
}

/* ---- pauses ---- */

static void why_add_last_thread(struct why *w, const struct gc_pause *p)
{
	uint32_t id;

	if (!p->last_thread || p->sync_ns < WHY_SLOW_NS)
		return;
	w->last_known++;
	if (w->last_names.count == 64 &&
	    !intern_find(&w->last_names, p->last_thread,
			 strlen(p->last_thread)))
		return;
	id = intern_id(&w->last_names, p->last_thread, strlen(p->last_thread));
	if (id)
		w->last_counts[id - 1]++;
}

static void why_read_pauses(struct why *w)
{
	struct gc_pause p;
	struct error err = { 0 };
	enum gc_next next = GC_NEXT_RECORD;

	while (w->gc && next == GC_NEXT_RECORD) {
		next = gc_source_next(w->gc, &p, &err);
		if (next != GC_NEXT_RECORD)
			break;
		diagnosis_add_pause(&w->pauses, &p, w->gc->columns);
		why_add_last_thread(w, &p);
	}
	if (next == GC_NEXT_FAILED) {
		why_miss(w, NEEDS_PAUSES, err.text);
		gc_source_close(w->gc);
		w->gc = NULL;
	}
}

static void why_open_pauses(struct why *w)
{
	const struct gc_probes_options options = {
		.no_heap = true,
		.last_threads = true,
	};
	struct error no_counters, err, why;

	w->gc = gc_probes_open(&w->jvm, &options, &no_counters, &why);
	if (w->gc)
		return;
	w->gc = gc_perfdata_open(&w->jvm, &err);
	if (!w->gc)
		why_miss(w, NEEDS_PAUSES, why.text);
	else
		log_detail("pauses by the JVM's counters: %s", why.text);
}

/* ---- CPU samples ---- */

static void why_on_notice(void *self, enum sampling_notice level,
			  const char *text)
{
	(void)self;
	(level == SAMPLING_LOSS ? log_always : log_detail)("%s", text);
}

static int why_start_sampling(struct why *w, struct error *err)
{
	struct jvm jvm;

	w->sampling_options = (struct sampling_options){
		.events = SAMPLING_CPU,
		.no_agent = true,
		.notice = why_on_notice,
		.add_name = main_name_add_with_pid,
	};
	w->sampling = sampling_open(&w->sampling_options, err);
	if (!w->sampling || jvm_open_java(&jvm, w->jvm.pid, err))
		return -1;
	return sampling_add(w->sampling, &jvm, err) ||
			       sampling_find(w->sampling, err) ||
			       sampling_start(w->sampling, err)
		       ? -1
		       : 0;
}

static void why_open_sampling(struct why *w)
{
	struct error err;

	if (why_start_sampling(w, &err) == 0)
		return;
	why_miss(w, NEEDS_PROFILE, err.text);
	sampling_close(w->sampling);
	w->sampling = NULL;
}

/* ---- the course ---- */

/* Sets the rates; r compares with its own last sample. */
static int why_sample_proc(struct why *w, struct thread_rates *r,
			   struct error *err)
{
	struct top_sample sample;

	if (w->source->ops->sample(w->source, &sample, err))
		return -1;
	w->sample = sample;
	w->facts.rates = thread_rates_update(r, &w->sample);
	return 0;
}

static int why_sample_first(struct why *w, struct error *err)
{
	if (why_sample_proc(w, w->rates, err))
		return -1;
	thread_rates_update(w->first_rates, &w->sample);
	w->before = w->sample.process;
	w->facts.before = &w->before;
	return 0;
}

static int why_open(struct why *w, struct error *err)
{
	const struct proc_source_options options = {
		.no_attach = true,
		.switches = true,
	};
	struct error unused;

	snprintf(w->name, sizeof(w->name), "%d", (int)w->jvm.pid);
	w->source = proc_source_open(&w->jvm, &options, err);
	if (!w->source)
		return -1;
	w->rates = thread_rates_new();
	w->first_rates = thread_rates_new();
	why_open_pauses(w);
	why_open_sampling(w);
	w->attach = attach_open(&w->jvm, WHY_TIMEOUT_NS, &unused);
	if (!w->attach)
		why_miss(w, NEEDS_DUMPS, unused.text);
	else
		attach_stop_by(w->attach, signals_fd());
	dump_owners_open(&w->owners, &w->jvm);
	if (*w->owners.why.text)
		log_detail("no owners of locks: %s", w->owners.why.text);
	w->facts.files = w->files;
	why_count_files(w);
	/* Attaching may have taken seconds. */
	why_read_pauses(w);
	w->pauses = (struct diagnosis_pauses){ 0 };
	w->begin_ns = clock_monotonic_ns();
	return why_sample_first(w, err);
}

/* Waits for the next samples; false when the time is over. */
static bool why_step(struct why *w)
{
	struct pollfd fds[] = {
		{ .fd = signals_fd(), .events = POLLIN },
		{ .fd = w->gc ? w->gc->fd : -1, .events = POLLIN },
	};
	int64_t now = clock_monotonic_ns();
	int64_t due = now + 100 * CLOCK_NS_PER_MS;

	/* Counters that are read too late have several pauses in one record. */
	if (w->gc && w->gc->fd < 0 && w->gc->wait_ns < due - now)
		due = now + w->gc->wait_ns;

	if (now >= w->begin_ns + opt.duration_ns)
		return false;
	if (w->sampling)
		return sampling_step(w->sampling, fds, 2) && !fds[0].revents;
	return signals_wait(w->jvm.pidfd, due) == WAIT_DUE;
}

/* The CPUs on which the JVM may run: cpusets, taskset(1). */
static double why_count_cpus(const struct why *w)
{
	cpu_set_t cpus;

	if (sched_getaffinity(w->jvm.pid, sizeof(cpus), &cpus) == 0)
		return CPU_COUNT(&cpus);
	return (double)w->sample.process.cpus;
}

/* Sets the facts of the time so far. */
static void why_set_facts(struct why *w)
{
	struct diagnosis_facts *f = &w->facts;
	unsigned most = 0;

	f->target = w->name;
	f->seconds = (double)(clock_monotonic_ns() - w->begin_ns) / 1e9;
	f->cpus = why_count_cpus(w);
	f->dumps = &w->waits;
	f->pauses = w->gc ? &w->pauses : NULL;
	w->pauses.seconds = f->seconds;
	w->pauses.last_of = w->last_known;
	for (size_t i = 0; i < w->last_names.count; i++)
		if (w->last_counts[i] > most) {
			most = w->last_counts[i];
			w->pauses.last_thread = intern_text(&w->last_names,
							    (uint32_t)i + 1);
			w->pauses.last_times = most;
		}
	for (size_t i = 0; i < DIAGNOSIS_NEEDS; i++)
		f->missing[i] = w->problems[i].bytes;
}

/* Prints the first cause after two dumps: it may change. */
static void why_tell_first(struct why *w)
{
	struct diagnosis d;

	if (why_sample_proc(w, w->first_rates, error_unused()))
		return;
	why_set_facts(w);
	diagnosis_make(&d, &w->facts);
	log_info("after %s: %s%s", units_time(w->facts.seconds * 1e9).text,
		 d.count ? d.causes[0].sentence.bytes : "no cause found so far",
		 d.count > 1 ? ", and more" : "");
	diagnosis_release(&d);
}

static void why_run(struct why *w)
{
	bool told = opt.duration_ns < WHY_EARLY_NS;

	progress_start("observing");
	do {
		why_take_due_dump(w);
		why_read_pauses(w);
		progress_show(NULL,
			      (uint64_t)(clock_monotonic_ns() - w->begin_ns),
			      (uint64_t)opt.duration_ns);
		if (!told && w->waits.dumps == 2) {
			told = true;
			why_tell_first(w);
		}
	} while (why_step(w));
	progress_end();
	why_take_due_dump(w);
}

static void why_finish(struct why *w)
{
	if (w->gc)
		w->gc->is_ending = true;
	why_read_pauses(w);
	if (w->sampling) {
		sampling_stop(w->sampling);
		w->facts.profile = sampling_profile(w->sampling);
	}
	if (why_sample_proc(w, w->rates, error_unused())) {
		w->facts.rates = NULL;
		why_miss(w, NEEDS_RATES, "the JVM has exited");
	}
	why_count_files(w);
	why_set_facts(w);
}

static void why_close(struct why *w)
{
	sampling_close(w->sampling);
	gc_source_close(w->gc);
	intern_release(&w->last_names);
	attach_close(w->attach);
	dump_owners_close(&w->owners);
	dump_waits_release(&w->waits);
	thread_rates_free(w->rates);
	thread_rates_free(w->first_rates);
	if (w->source)
		w->source->ops->close(w->source);
	for (size_t i = 0; i < DIAGNOSIS_NEEDS; i++)
		text_release(&w->problems[i]);
	jvm_close(&w->jvm);
}

/* ---- output ---- */

/* "fine: deadlocks, locks"; with reasons "not checked: disk, locks (reason)".
 */
static void why_put_list(struct text *out, const char *label,
			 const struct rule *const *rules, size_t count,
			 const char *const *reasons)
{
	if (!count)
		return;
	text_puts(out, label);
	for (size_t i = 0; i < count; i++) {
		text_printf(out, "%s%s", i ? ", " : " ", rules[i]->topic);
		if (reasons && (i + 1 == count || reasons[i] != reasons[i + 1]))
			text_printf(out, " (%s)", reasons[i]);
	}
	text_putc(out, '\n');
}

/* Prints the losses: the diagnosis may lack causes. */
static void why_put_losses(struct text *out, const struct why *w)
{
	const struct profile *p = w->facts.profile;
	struct gc_lost lost = { 0 };

	for (size_t i = 0; p && i < p->remark_count; i++) {
		if (!p->remarks[i].is_loss)
			continue;
		text_printf(out, "lost: %s: ", p->remarks[i].what);
		remark_add_count(out, &p->remarks[i]);
		text_putc(out, '\n');
	}
	if (w->gc)
		gc_source_lost(w->gc, &lost);
	if (lost.pauses || lost.records)
		text_printf(out, "lost: pauses: %" PRIu64 "\n",
			    lost.pauses + lost.records);
	if (w->waits.left_out)
		text_printf(out, "lost: waiting threads: %zu\n",
			    w->waits.left_out);
}

static void why_put_cause(struct text *out, size_t number,
			  const struct cause *c)
{
	text_printf(out, "%zu  %-8s %s\n", number, cause_rank_names[c->rank],
		    c->sentence.bytes);
	if (c->detail.len)
		text_printf(out, "            %s\n", c->detail.bytes);
	if (c->next.len)
		text_printf(out, "            -> sjkc %s\n", c->next.bytes);
}

static void why_put_busiest(struct text *out, const struct diagnosis_facts *f)
{
	struct text place = { 0 };
	double share;

	text_printf(out, "no cause found in %.0f s", f->seconds);
	if (f->rates)
		text_printf(out, "; the JVM uses %.2f cores",
			    f->rates->process.cpu);
	if (diagnosis_busiest(f, &place, &share))
		text_printf(out, ", %.0f%% of the samples in or below %s",
			    100 * share, place.bytes);
	text_putc(out, '\n');
	text_release(&place);
}

static void why_text(struct text *out, struct why *w, const struct diagnosis *d)
{
	const struct diagnosis_facts *f = &w->facts;

	text_printf(out, "%s: %.1f s observed, %zu thread dump%s\n",
		    w->source->ops->title(w->source), f->seconds,
		    w->waits.dumps, units_plural(w->waits.dumps));
	if (!d->count)
		why_put_busiest(out, f);
	for (size_t i = 0; i < d->count && i < WHY_CAUSES; i++)
		why_put_cause(out, i + 1, &d->causes[i]);
	if (d->count > WHY_CAUSES)
		text_printf(out, "%zu more causes; --json lists all causes\n",
			    d->count - WHY_CAUSES);
	why_put_list(out, "fine:", d->fine, d->fine_count, NULL);
	why_put_list(out, "not checked:", d->unchecked, d->unchecked_count,
		     d->reasons);
	why_put_losses(out, w);
}

static void why_put_json_cause(struct json *j, const struct cause *c)
{
	json_open_object(j);
	json_add_text(j, "rule", c->rule->name);
	json_add_text(j, "rank", cause_rank_names[c->rank]);
	json_add_text(j, "sentence", c->sentence.bytes);
	json_add_text(j, "detail", c->detail.bytes);
	json_add_array(j, "evidence");
	for (size_t i = 0; i < c->evidence_count; i++) {
		const struct evidence *e = &c->evidence[i];

		json_open_object(j);
		json_add_text(j, "name", e->name);
		json_add_double(j, "value", e->value);
		json_add_text(j, "unit", e->unit);
		json_add_text(j, "source", e->source);
		json_close_object(j);
	}
	json_close_array(j);
	json_add_text(j, "place", c->place.bytes);
	json_add_uint(j, "threads", c->threads);
	json_add_text(j, "next", c->next.bytes);
	json_close_object(j);
}

static void why_json(struct text *out, const struct why *w,
		     const struct diagnosis *d)
{
	struct json j = json_document(out, "sjkc.why/1");

	json_add_int(&j, "pid", w->jvm.pid);
	json_add_double(&j, "duration_s", w->facts.seconds);
	json_add_array(&j, "causes");
	for (size_t i = 0; i < d->count; i++)
		why_put_json_cause(&j, &d->causes[i]);
	json_close_array(&j);
	json_add_array(&j, "fine");
	for (size_t i = 0; i < d->fine_count; i++)
		json_text(&j, d->fine[i]->name);
	json_close_array(&j);
	json_add_array(&j, "not_checked");
	for (size_t i = 0; i < d->unchecked_count; i++) {
		json_open_object(&j);
		json_add_text(&j, "rule", d->unchecked[i]->name);
		json_add_text(&j, "reason", d->reasons[i]);
		json_close_object(&j);
	}
	json_close_array(&j);
	json_end_document(&j);
}

static int why_write(struct why *w, const struct diagnosis *d,
		     struct error *err)
{
	struct text out = { 0 };
	int ret;

	if (opt.json)
		why_json(&out, w, d);
	else
		why_text(&out, w, d);
	ret = output_file(opt.output, out.bytes, out.len, err);
	text_release(&out);
	return ret;
}

/* ---- the command ---- */

/* With --exit-code, causes are an error without a text, whose kind is 10 or 11.
 */
static int why_set_status(const struct diagnosis *d, struct error *err)
{
	int status;

	if (!opt.exit_code || !d->count)
		return 0;
	status = d->causes[0].rank == CAUSE_BROKEN ? WHY_BROKEN : WHY_FOUND;
	*err = (struct error){ .kind = (enum error_kind)status };
	return -1;
}

/* Explains a fatal error log, which may end early. */
static int why_run_file(const char *path, struct error *err)
{
	struct error output_err;
	struct output out;
	int ret;

	if (target_refuse_live("duration|exit-code", err))
		return -1;
	ret = output_open(&out, opt.output, err);
	if (ret == 0)
		ret = why_hs_err(path, opt.json, &out, err);
	if ((ret == 0 || err->kind == ERROR_PARTIAL) &&
	    output_commit(&out, &output_err)) {
		*err = output_err;
		ret = -1;
	}
	output_close(&out);
	return ret;
}

static int why_run_command(int argc, char **argv, struct error *err)
{
	struct why w = { .jvm.pidfd = -1 };
	struct diagnosis d = { 0 };
	int ret;

	if (!opt.pid && argc == 1 && target_is_file(argv[0]))
		return why_run_file(argv[0], err);
	if (opt.duration_ns < WHY_LEAST)
		return misuse(err, "--duration must be at least 1s");
	if (strcmp(opt.output, "-") != 0 && output_try(opt.output, err))
		return -1;
	ret = target_open(&w.jvm, opt.pid, argc, argv, err);
	if (ret)
		return -1;
	signals_listen();
	ret = why_open(&w, err);
	if (ret == 0) {
		why_run(&w);
		why_finish(&w);
		diagnosis_make(&d, &w.facts);
		ret = !jvm_runs(&w.jvm) && w.waits.dumps < 2
			      ? jvm_fail_ended(&w.jvm, err)
			      : why_write(&w, &d, err);
		if (ret == 0)
			ret = why_set_status(&d, err);
	}
	diagnosis_release(&d);
	why_close(&w);
	return ret;
}

/* clang-format off */
static const struct command_option options[] = {
	OPT_TARGET(&opt.pid),
	OPT_DURATION('d', "duration", &opt.duration_ns, "<time>",
		     "observe for this long", .positive = true),
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
	.synopsis = "why [<options>] [<pid>|<file>]",
	.summary = "find what is wrong with a JVM: stops, locks, waits, CPU",
	.group = "watch",
	.examples = "  sjkc why 4711                     # the causes, in 15 "
		    "s\n"
		    "  sjkc why -d 5s Main\n"
		    "  sjkc why hs_err_pid4711.log       # why it crashed\n"
		    "  sjkc why 4711 --json | jq '.causes[].sentence'\n",
	.options = options,
	.has_messages = true,
	.run = why_run_command,
};
