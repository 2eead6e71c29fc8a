/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/why/why.h"

#include "bpf/gc_probes.h"
#include "bpf/sampling/sampling.h"
#include "cmd/shared/log.h"
#include "cmd/shared/signals.h"
#include "core/attach/attach.h"
#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/base/intern.h"
#include "core/base/units.h"
#include "core/diagnosis/rules.h"
#include "core/formats/reader.h"
#include "core/gc/gc_counters.h"
#include "core/hotspot/java_heap.h"
#include "core/jvm/main_name.h"
#include "core/threads/dump_owners.h"
#include "core/threads/proc_source.h"
#include "core/unwind/unwinder.h"

#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_NS   (1500 * CLOCK_NS_PER_MS) /* of the second dump */
#define EARLY_NS   (5 * CLOCK_NS_PER_S)     /* from here on, a first answer */
#define SLOW_NS    (10 * CLOCK_NS_PER_MS)   /* a slow stop */
#define TIMEOUT_NS (5 * CLOCK_NS_PER_S)     /* of a request to the JVM */

/* As prof. */
#define STACK_BYTES (64U << 10)
#define SAMPLES_HZ  99

/* Chosen: a JVM whose compilers use less has room in its code cache. */
#define COMPILERS_ASKED 0.05
/* Anonymous memory that grows like this may be the heap, or leak. */
#define GROWTH_PER_S (1024.0 * 1024)

enum {
	OBSERVATION_DUMPS = 4,
	OBSERVATION_QUARTERS = 4,
	LAST_NAMES = 64,
	STOPS_MAX = 20000
};

struct observation {
	const struct jvm *jvm;
	int64_t duration_ns, begin_ns;
	char name[16]; /* the PID */

	struct thread_source *source;
	/* Of the first answer, and of the whole time. */
	struct thread_rates *first_rates, *rates;
	struct top_sample sample; /* the last one */
	struct process_sample before;

	struct attach *attach;
	struct dump_owners owners;
	struct dump_waits waits;
	struct dump_series dump; /* the last one */
	struct profile *dump_profile;
	size_t dumps_due; /* number of the next dump */

	struct gc_source *gc;
	struct diagnosis_pauses pauses;
	struct observed_stop *stops;
	size_t stop_count, stop_cap;
	struct intern last_names; /* of the last threads of slow stops */
	unsigned last_counts[LAST_NAMES], last_known;

	struct sampling *sampling;
	struct sampling_options sampling_options;

	struct trends trends;
	size_t samples_due;               /* number of the next sample */
	struct class_histogram histogram; /* the first one */
	bool has_histogram;
	struct jvm_replies replies;
	/* Of the memory when it began to grow, and at the end. */
	struct mem_account first_account, account;
	struct mem_growth growth;
	struct busy_processes others;

	struct text problems[DIAGNOSIS_NEEDS]; /* by the number of the bit */
	struct text lost;
	struct diagnosis_facts facts;
};

/* Keeps why a fact is missing. */
static void observation_miss(struct observation *o, enum diagnosis_need need,
			     const char *text)
{
	struct text *problem = &o->problems[__builtin_ctz(need)];

	text_clear(problem);
	text_puts(problem, text);
}

/* ---- thread dumps ---- */

/* The dump is kept until the next one. */
static int observation_read_dump(struct observation *o, struct error *err)
{
	struct error no_peers;
	int ret;

	dump_series_release(&o->dump);
	profile_free(o->dump_profile);
	o->dump_profile = profile_new();
	dump_series_init(&o->dump, o->dump_profile);
	ret = dump_owners_take(&o->owners, o->attach, "-e", &o->dump, err);
	if (ret == 0)
		dump_owners_add(&o->owners, &o->dump);
	dump_series_end(&o->dump);
	if (ret)
		return -1;
	/* Without the right, waits have no peers. */
	if (series_read_peers(&o->dump, o->jvm, &no_peers))
		log_detail("no peers: %s", no_peers.text);
	dump_waits_add(&o->waits, &o->dump);
	return 0;
}

static void observation_take_due_dump(struct observation *o)
{
	struct error err;
	int64_t now = clock_monotonic_ns() - o->begin_ns;
	int64_t last = o->duration_ns - 200 * CLOCK_NS_PER_MS;
	int64_t due = last * (int64_t)o->dumps_due / (OBSERVATION_DUMPS - 1);

	if (o->dumps_due == 1 && due > FIRST_NS)
		due = FIRST_NS;
	if (!o->attach || o->dumps_due == OBSERVATION_DUMPS || now < due)
		return;
	o->dumps_due++;
	if (observation_read_dump(o, &err)) {
		observation_miss(o, NEEDS_DUMPS, err.text);
		log_info("the thread dump failed: %s", err.text);
		attach_close(o->attach);
		o->attach = NULL;
	}
}

/* ---- pauses ---- */

static void observation_add_last_thread(struct observation *o,
					const struct gc_pause *p)
{
	size_t len = p->last_thread ? strlen(p->last_thread) : 0;
	uint32_t id;

	if (!p->last_thread || p->sync_ns < SLOW_NS)
		return;
	o->last_known++;
	id = o->last_names.count == LAST_NAMES
		     ? intern_find(&o->last_names, p->last_thread, len)
		     : intern_id(&o->last_names, p->last_thread, len);
	if (id)
		o->last_counts[id - 1]++;
}

static void observation_add_stop(struct observation *o,
				 const struct gc_pause *p)
{
	int64_t now = clock_monotonic_ns();
	double age_s = (double)(clock_wall_of(now) - p->end_ns) / 1e9;

	if (!gc_kind_stops(p->kind) || p->stopped_ns < 0 ||
	    o->stop_count == STOPS_MAX)
		return;
	array_add(o->stops, o->stop_count, o->stop_cap,
		  (struct observed_stop){
			  .end_s = (double)(now - o->begin_ns) / 1e9 - age_s,
			  .stopped_s = (double)p->stopped_ns / 1e9,
			  .is_collection = gc_pause_is_collection(p),
		  });
}

static void observation_read_pauses(struct observation *o)
{
	struct gc_pause p;
	struct error err = { 0 };
	enum gc_next next = GC_NEXT_RECORD;

	while (o->gc &&
	       (next = gc_source_next(o->gc, &p, &err)) == GC_NEXT_RECORD) {
		diagnosis_add_pause(&o->pauses, &p, o->gc->columns);
		observation_add_last_thread(o, &p);
		observation_add_stop(o, &p);
	}
	if (next == GC_NEXT_FAILED) {
		observation_miss(o, NEEDS_PAUSES, err.text);
		gc_source_close(o->gc);
		o->gc = NULL;
	}
}

static void observation_open_pauses(struct observation *o, bool no_uprobes)
{
	const struct gc_probes_options options = {
		.no_heap = true,
		.last_threads = true,
	};
	struct error no_counters, err, why;

	fail(&why, ERROR_REFUSED, "--no-uprobes uses no uprobes");
	if (!no_uprobes)
		o->gc = gc_probes_open(o->jvm, &options, &no_counters, &why);
	if (o->gc)
		return;
	o->gc = gc_perfdata_open(o->jvm, &err);
	if (!o->gc)
		observation_miss(o, NEEDS_PAUSES, why.text);
	else
		log_detail("pauses by the JVM's counters: %s", why.text);
}

/* ---- CPU samples ---- */

static void observation_on_notice(void *self, enum sampling_notice level,
				  const char *text)
{
	(void)self;
	(level == SAMPLING_LOSS ? log_always : log_detail)("%s", text);
}

static void observation_open_sampling(struct observation *o)
{
	struct jvm jvm;
	struct error err;

	o->sampling_options = (struct sampling_options){
		.events = SAMPLING_CPU,
		.hz = SAMPLES_HZ,
		.stack_bytes = STACK_BYTES,
		.max_stack = UNWIND_FRAMES,
		.no_agent = true,
		.notice = observation_on_notice,
		.add_name = main_name_add_with_pid,
	};
	o->sampling = sampling_open(&o->sampling_options, &err);
	if (o->sampling && jvm_open_java(&jvm, o->jvm->pid, &err) == 0 &&
	    sampling_add(o->sampling, &jvm, &err) == 0 &&
	    sampling_find(o->sampling, &err) == 0 &&
	    sampling_start(o->sampling, &err) == 0)
		return;
	observation_miss(o, NEEDS_PROFILE, err.text);
	sampling_close(o->sampling);
	o->sampling = NULL;
}

/* ---- questions to the JVM ---- */

/* True if there is a reply; *err has no text without an error. */
static bool observation_call(struct observation *o, const char *operation,
			     const char *argument, struct text *reply,
			     struct error *err)
{
	const struct attach_request request = { .operation = operation,
						.args = { argument } };

	*err = (struct error){ 0 };
	return o->attach && attach_call(o->attach, &request, reply, err) == 0 &&
	       reply->len;
}

/* Refused by JDKs that lack the command: there is no reply then. */
static void observation_ask(struct observation *o, const char *command,
			    jvm_reply_parser *add)
{
	struct text reply = { 0 };
	struct error err;

	if (observation_call(o, "jcmd", command, &reply, &err))
		add(&o->replies, reply.bytes, reply.len);
	else if (*err.text)
		log_detail("%s: %s", command, err.text);
	text_release(&reply);
}

static bool observation_count_objects(struct observation *o,
				      struct class_histogram *h)
{
	struct text reply = { 0 };
	struct error err;
	bool ok = observation_call(o, "inspectheap", "-all", &reply, &err) &&
		  class_histogram_read(h, reply.bytes, reply.len, &err) == 0;

	if (!ok)
		log_detail("no class histogram: %s", err.text);
	text_release(&reply);
	return ok;
}

/*
 * Memory that grows is a reason for more: the kernel's walk of the heap's
 * pages, and later two class histograms, which stop the program.
 */
static void observation_suspect(struct observation *o)
{
	const struct trends *t = &o->trends;
	struct heap_range heap = { 0 };
	bool is_native;

	if (t->uptime_s < GROWTH_UPTIME_S || !o->owners.view ||
	    !o->owners.view->structs)
		return;
	if (o->samples_due == 2 &&
	    trends_rate(t, TREND_ANONYMOUS) >= GROWTH_PER_S &&
	    java_heap_range(o->owners.view->structs, o->owners.view->memory,
			    &heap.begin, &heap.end)) {
		o->trends.heap = heap;
		if (mem_account_read(&o->first_account, o->jvm, true,
				     error_unused()))
			mem_account_release(&o->first_account);
	}
	if (o->samples_due != OBSERVATION_QUARTERS)
		return;
	is_native = trends_rate(t, TREND_NATIVE) >= GROWTH_PER_S;
	if (!is_native &&
	    (!t->old_is_concurrent || trends_rate(t, TREND_OLD) <= 0 ||
	     trends_last(t, TREND_OLD) < t->limits[TREND_OLD] / 2))
		return;
	log_info("memory %s grows: two class histograms stop the "
		 "program for a moment",
		 is_native ? "outside the heap" : "of the old generation");
	o->has_histogram = observation_count_objects(o, &o->histogram);
}

/* Takes the samples of trends after each quarter of the time. */
static void observation_take_due_sample(struct observation *o)
{
	int64_t now = clock_monotonic_ns() - o->begin_ns;

	if (o->samples_due >= OBSERVATION_QUARTERS ||
	    now < o->duration_ns * (int64_t)o->samples_due /
			    OBSERVATION_QUARTERS)
		return;
	trends_sample(&o->trends);
	o->samples_due++;
	observation_suspect(o);
}

/* The walk of the blocks takes longer than the rest, and is for growth only. */
static void observation_account(struct observation *o)
{
	bool has_grown = o->first_account.pid != 0;
	struct error err;

	if (mem_account_read(&o->account, o->jvm, has_grown, &err)) {
		log_detail("no account of memory: %s", err.text);
		mem_account_release(&o->account);
		return;
	}
	o->facts.account = &o->account;
	if (!has_grown)
		return;
	mem_growth_of(&o->growth, &o->first_account, &o->account);
	o->facts.growth = &o->growth;
}

/* Asks the JVM what the facts so far are not enough for. */
static void observation_ask_more(struct observation *o)
{
	struct class_histogram last = { 0 };

	observation_account(o);
	if (o->has_histogram && observation_count_objects(o, &last))
		jvm_replies_add_growth(&o->replies, &o->histogram, &last);
	class_histogram_release(&last);
	if (trends_rate(&o->trends, TREND_CLASSES) >= 1)
		observation_ask(o, "VM.classloader_stats",
				jvm_replies_add_loaders);
	if (o->waits.finalizer.dumps >= 2)
		observation_ask(o, "GC.finalizer_info",
				jvm_replies_add_finalizable);
	if (o->waits.virtual_threads.dumps >= 2)
		observation_ask(o, "Thread.vthread_scheduler",
				jvm_replies_add_scheduler);
	if (o->facts.rates && (facts_compilers(&o->facts) >= COMPILERS_ASKED ||
			       o->pauses.code_cache))
		observation_ask(o, "Compiler.codecache",
				jvm_replies_add_code_cache);
}

/* ---- the course ---- */

/* Sets the rates; r compares with its own last sample. */
static int observation_sample_proc(struct observation *o,
				   struct thread_rates *r, struct error *err)
{
	struct top_sample sample;

	if (o->source->ops->sample(o->source, &sample, err))
		return -1;
	o->sample = sample;
	o->facts.rates = thread_rates_update(r, &o->sample);
	return 0;
}

static void observation_open_attach(struct observation *o, bool no_attach)
{
	struct error err;

	if (no_attach)
		fail(&err, ERROR_REFUSED, "--no-attach takes no thread dumps");
	else
		o->attach = attach_open(o->jvm, TIMEOUT_NS, &err);
	if (!o->attach)
		observation_miss(o, NEEDS_DUMPS, err.text);
	else
		attach_stop_by(o->attach, signals_fd());
}

static int observation_begin(struct observation *o,
			     const struct observation_options *wanted,
			     struct error *err)
{
	const struct proc_source_options options = {
		.no_attach = true,
		.switches = true,
	};

	snprintf(o->name, sizeof(o->name), "%d", (int)o->jvm->pid);
	o->source = proc_source_open(o->jvm, &options, err);
	if (!o->source)
		return -1;
	o->rates = thread_rates_new();
	o->first_rates = thread_rates_new();
	observation_open_pauses(o, wanted->no_uprobes);
	observation_open_sampling(o);
	observation_open_attach(o, wanted->no_attach);
	dump_owners_open(&o->owners, o->jvm);
	if (*o->owners.why.text)
		log_detail("no owners of locks: %s", o->owners.why.text);
	/* Attaching may have taken seconds. */
	observation_read_pauses(o);
	o->pauses = (struct diagnosis_pauses){ 0 };
	o->stop_count = 0;
	o->begin_ns = clock_monotonic_ns();
	trends_open(&o->trends, o->jvm);
	busy_processes_read(&o->others);
	if (observation_sample_proc(o, o->rates, err))
		return -1;
	thread_rates_update(o->first_rates, &o->sample);
	o->before = o->sample.process;
	o->facts.before = &o->before;
	return 0;
}

struct observation *observation_open(const struct jvm *jvm,
				     const struct observation_options *options,
				     struct error *err)
{
	struct observation *o = xcalloc(1, sizeof(*o));

	o->jvm = jvm;
	o->duration_ns = options->duration_ns;
	jvm_replies_init(&o->replies);
	if (observation_begin(o, options, err) == 0)
		return o;
	observation_close(o);
	return NULL;
}

/* Waits for the next samples; false when the time is over. */
static bool observation_step(struct observation *o)
{
	struct pollfd fds[] = {
		{ .fd = signals_fd(), .events = POLLIN },
		{ .fd = o->gc ? o->gc->fd : -1, .events = POLLIN },
	};
	int64_t now = clock_monotonic_ns();
	int64_t due = now + 100 * CLOCK_NS_PER_MS;

	/* Counters that are read too late have several pauses in one record. */
	if (o->gc && o->gc->fd < 0 && o->gc->wait_ns < due - now)
		due = now + o->gc->wait_ns;

	if (now >= o->begin_ns + o->duration_ns)
		return false;
	if (o->sampling)
		return sampling_step(o->sampling, fds, 2) && !fds[0].revents;
	return signals_wait(o->jvm->pidfd, due) == WAIT_DUE;
}

/* The diagnosis may lack causes for these reasons. */
static void observation_set_lost(struct observation *o)
{
	const struct profile *p = o->facts.profile;
	struct gc_lost lost = { 0 };
	struct text *out = &o->lost;

	text_clear(out);
	for (size_t i = 0; p && i < p->remark_count; i++) {
		if (!p->remarks[i].is_loss)
			continue;
		text_printf(out, "%s%s: ", out->len ? "; " : "",
			    p->remarks[i].what);
		remark_add_count(out, &p->remarks[i]);
	}
	if (o->gc)
		gc_source_lost(o->gc, &lost);
	why_add_lost(out, "pauses", lost.pauses + lost.records);
	why_add_lost(out, "waiting threads", o->waits.left_out);
	o->facts.lost = out;
}

/* Sets the facts of the time so far. */
static void observation_set_facts(struct observation *o)
{
	struct diagnosis_facts *f = &o->facts;
	struct busy_processes now = { 0 };
	unsigned most = 0;
	cpu_set_t cpus;

	f->target = o->name;
	f->title = o->source->ops->title(o->source);
	f->pid = o->jvm->pid;
	f->trends = &o->trends;
	f->replies = &o->replies;
	f->seconds = (double)(clock_monotonic_ns() - o->begin_ns) / 1e9;
	busy_processes_read(&now);
	f->neighbor = busy_processes_compare(&o->others, &now, o->jvm->pid);
	busy_processes_release(&now);
	/* The CPUs on which the JVM may run: cpusets, taskset(1). */
	f->cpus = sched_getaffinity(o->jvm->pid, sizeof(cpus), &cpus) == 0
			  ? CPU_COUNT(&cpus)
			  : (double)o->sample.process.cpus;
	f->dumps = &o->waits;
	f->pauses = o->gc ? &o->pauses : NULL;
	o->pauses.seconds = f->seconds;
	o->pauses.last_of = o->last_known;
	for (size_t i = 0; i < o->last_names.count; i++)
		if (o->last_counts[i] > most) {
			most = o->last_counts[i];
			o->pauses.last_thread = intern_text(&o->last_names,
							    (uint32_t)i + 1);
			o->pauses.last_times = most;
		}
	for (size_t i = 0; i < DIAGNOSIS_NEEDS; i++)
		f->missing[i] = o->problems[i].bytes;
	observation_set_lost(o);
}

/* Tells the diagnosis of the time so far, if there is news since told. */
static void observation_tell(struct observation *o, size_t *told,
			     void (*tell)(const struct diagnosis *d))
{
	size_t news = o->waits.dumps + o->samples_due;
	struct diagnosis d;

	if (!tell || o->duration_ns < EARLY_NS || o->waits.dumps < 2 ||
	    news == *told ||
	    observation_sample_proc(o, o->first_rates, error_unused()))
		return;
	if (!*told)
		trends_sample(&o->trends);
	*told = news;
	observation_set_facts(o);
	diagnosis_make(&d, &o->facts);
	progress_end();
	tell(&d);
	progress_start("observing");
	diagnosis_release(&d);
}

void observation_run(struct observation *o,
		     void (*tell)(const struct diagnosis *d))
{
	size_t told = 0;

	progress_start("observing");
	do {
		observation_take_due_sample(o);
		observation_take_due_dump(o);
		observation_read_pauses(o);
		progress_show(NULL,
			      (uint64_t)(clock_monotonic_ns() - o->begin_ns),
			      (uint64_t)o->duration_ns);
		observation_tell(o, &told, tell);
	} while (observation_step(o));
	progress_end();
	observation_take_due_dump(o);
}

int observation_diagnose(struct observation *o, struct diagnosis *d,
			 struct error *err)
{
	*d = (struct diagnosis){ 0 };
	if (o->gc)
		o->gc->is_ending = true;
	observation_read_pauses(o);
	if (o->sampling) {
		sampling_stop(o->sampling);
		o->facts.profile = sampling_profile(o->sampling);
	}
	if (observation_sample_proc(o, o->rates, error_unused())) {
		o->facts.rates = NULL;
		observation_miss(o, NEEDS_RATES, "the JVM has exited");
	}
	trends_sample(&o->trends);
	observation_set_facts(o);
	if (!jvm_runs(o->jvm) && o->waits.dumps < 2)
		return jvm_fail_ended(o->jvm, err);
	observation_ask_more(o);
	diagnosis_make(d, &o->facts);
	return 0;
}

struct observed observation_observed(struct observation *o)
{
	return (struct observed){
		.profile = o->facts.profile ? sampling_profile(o->sampling)
					    : NULL,
		.dump = o->waits.dumps ? &o->dump : NULL,
		.stops = o->stops,
		.stop_count = o->stop_count,
	};
}

void observation_close(struct observation *o)
{
	if (!o)
		return;
	sampling_close(o->sampling);
	gc_source_close(o->gc);
	intern_release(&o->last_names);
	attach_close(o->attach);
	dump_owners_close(&o->owners);
	dump_waits_release(&o->waits);
	dump_series_release(&o->dump);
	profile_free(o->dump_profile);
	thread_rates_free(o->rates);
	thread_rates_free(o->first_rates);
	trends_close(&o->trends);
	class_histogram_release(&o->histogram);
	jvm_replies_release(&o->replies);
	mem_account_release(&o->first_account);
	mem_account_release(&o->account);
	busy_processes_release(&o->others);
	if (o->source)
		o->source->ops->close(o->source);
	for (size_t i = 0; i < DIAGNOSIS_NEEDS; i++)
		text_release(&o->problems[i]);
	text_release(&o->lost);
	free(o->stops);
	free(o);
}
