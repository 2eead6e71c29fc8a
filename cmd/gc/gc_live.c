/* SPDX-License-Identifier: Apache-2.0 */
/* Live JVMs of sjkc gc: chooses a source for each, and watches the processes.
 */
#include "cmd/gc/gc_command.h"

#include "bpf/gc_probes.h"
#include "cmd/shared/log.h"
#include "cmd/shared/target.h"
#include "core/base/alloc.h"
#include "core/gc/gc_counters.h"
#include "core/jvm/main_name.h"
#include "core/jvm/procfs.h"
#include "core/threads/thread_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct gc_source *live_open_probes(const struct gc_options *o,
					  const struct jvm *jvm,
					  struct error *err)
{
	struct gc_probes_options options = {
		.phases = o->phases,
		.no_heap = o->no_heap,
		.last_threads = o->safepoints,
	};
	struct error no_counters;
	struct gc_source *s;

	s = gc_probes_open(jvm, &options, &no_counters, err);
	if (s && no_counters.kind)
		log_info("no hsperfdata counters: %s", no_counters.text);
	return s;
}

static struct gc_source *live_open_perfdata(const struct gc_options *o,
					    const struct jvm *jvm,
					    struct error *err)
{
	(void)o;
	return gc_perfdata_open(jvm, err);
}

/* The sources of a live JVM, best first. */
static const struct {
	const char *name;
	struct gc_source *(*open)(const struct gc_options *o,
				  const struct jvm *jvm, struct error *err);
} kinds[] = {
	{ "uprobes", live_open_probes },
	{ "counters", live_open_perfdata },
	{ "log", gc_vm_log_open }, /* on request: it changes the JVM's log */
};

enum { KINDS = sizeof(kinds) / sizeof(*kinds) };

static bool live_wants(const struct gc_options *o, const char *kind)
{
	if (o->source && strcmp(o->source, "auto") != 0)
		return strcmp(o->source, kind) == 0;
	return strcmp(kind, "log") != 0;
}

/* The text of an error without the PID at its start. */
static const char *live_reason(const struct jvm *jvm, const struct error *why)
{
	char prefix[16];
	int len = snprintf(prefix, sizeof(prefix), "%d: ", (int)jvm->pid);

	return strncmp(why->text, prefix, (size_t)len) == 0 ? why->text + len
							    : why->text;
}

/* Opens the first source that works; prints why better ones do not. */
static struct gc_source *live_open_source(const struct gc_options *o,
					  const struct jvm *jvm,
					  struct error *err)
{
	struct error why = { 0 };

	for (size_t i = 0; i < KINDS; i++) {
		struct gc_source *s;

		if (!live_wants(o, kinds[i].name))
			continue;
		if (why.kind)
			log_info("%d: no uprobes: %s; trying %s", (int)jvm->pid,
				 live_reason(jvm, &why), kinds[i].name);
		s = kinds[i].open(o, jvm, &why);
		if (s)
			return s;
		if (jvm_is_ending(jvm))
			break;
	}
	*err = why;
	return NULL;
}

/* Prints why columns are missing. */
static void live_log_limits(const struct gc_options *o,
			    const struct gc_source *s)
{
	if (o->phases && !(s->columns & GC_HAS_PHASES))
		log_info("%s: no phases: they require --source uprobes "
			 "or log",
			 s->label.bytes);
	if (!(s->columns & GC_HAS_GC))
		log_info("%s: no GC time: %s", s->label.bytes,
			 s->collector.len ? "the counters of this collector "
					    "have none; the source uprobes does"
					  : "the JVM has no counters");
	if (!(s->columns & GC_HAS_BEFORE) && !o->no_heap)
		log_detail("%s: no heap before a collection: the counters hold "
			   "the heap after it",
			   s->label.bytes);
}

/* The sum of the GC threads; GC_ABSENT if there are none. */
static int64_t live_read_cpu(struct tasks *t)
{
	int64_t sum = GC_ABSENT;

	if (!t || tasks_read(t, false, error_unused()))
		return GC_ABSENT;
	for (size_t i = 0; i < tasks_count(t); i++) {
		const struct task *task = tasks_at(t, i);

		if (thread_names_kind_of(task->comm) == THREAD_GC)
			sum = (sum == GC_ABSENT ? 0 : sum) +
			      (int64_t)task->cpu_ns;
	}
	return sum;
}

void gc_log_source(const struct gc_source *s)
{
	struct text name = { 0 };

	text_puts(&name, s->label.bytes);
	container_pod_add_to_title(&s->pod, &name);
	log_info("%s: %s%s%s", name.bytes,
		 s->collector.len ? s->collector.bytes : "",
		 s->collector.len ? "; " : "", s->description.bytes);
	text_release(&name);
}

/* Takes over *jvm, which it closes on failure. */
static int live_add(const struct gc_options *o, struct gc_streams *streams,
		    struct jvm *jvm, struct error *err)
{
	struct gc_stream *s = xcalloc(1, sizeof(*s));
	struct proc_stat stat;

	/* Sources borrow the JVM, so it must not move. */
	s->jvm = *jvm;
	s->cpu_ns = GC_ABSENT;
	s->source = live_open_source(o, &s->jvm, err);
	if (!s->source) {
		jvm_close(&s->jvm);
		free(s);
		return -1;
	}
	if (procfs_stat(s->jvm.pid, &stat, error_unused()) == 0)
		s->stack = stat.start_stack;
	if (!o->json && !o->csv)
		s->tasks = tasks_open(&s->jvm, error_unused());
	s->cpu_ns = live_read_cpu(s->tasks);
	main_name_add_with_pid(&s->jvm, &s->source->label);
	container_pod_read(&s->source->pod, &s->jvm);
	gc_log_source(s->source);
	live_log_limits(o, s->source);
	array_add(streams->all, streams->count, streams->cap, s);
	return 0;
}

/* Reports a JVM that cannot be observed.  One that has ended is not missed. */
static void live_log_skipped(const struct jvm *jvm, const struct error *why)
{
	if (jvm_is_ending(jvm))
		log_detail("%d has exited", (int)jvm->pid);
	else
		log_always("skipping %d: %s", (int)jvm->pid,
			   live_reason(jvm, why));
}

/* Adds the JVMs of a list that the options select. */
static void live_add_listed(const struct gc_options *o,
			    struct gc_streams *streams, struct jvm_list *list,
			    struct jvm_selector *selector)
{
	struct error why;

	for (size_t i = 0; i < list->count; i++) {
		struct jvm *jvm = &list->jvms[i];
		bool is_final;
		int failed;

		if (!jvm_selector_wants(selector, jvm, &is_final))
			continue;
		failed = live_add(o, streams, jvm, &why);
		jvm->pidfd = -1;
		if (!failed)
			continue;
		live_log_skipped(jvm, &why);
		streams->skipped += !jvm_is_ending(jvm);
	}
}

static int live_add_all(const struct gc_options *o, struct gc_streams *streams,
			struct error *err)
{
	struct jvm_selector *selector = jvm_selector_new(&o->select, err);
	struct jvm_list list = { 0 };
	bool has_list = selector && jvm_list(&list, err) == 0;
	int ret = has_list ? 0 : -1;

	if (has_list) {
		live_add_listed(o, streams, &list, selector);
		jvm_selector_log(selector);
		if (list.count)
			target_log_hidden(&list);
	}
	if (has_list && !list.count)
		ret = target_fail_no_jvm(&list, err);
	else if (has_list && !streams->count)
		ret = fail(err, ERROR_NO_TARGET, "no JVM to observe");
	jvm_list_release(&list);
	jvm_selector_free(selector);
	return ret;
}

static bool live_has(const struct gc_streams *streams, const struct jvm *jvm)
{
	for (size_t i = 0; i < streams->count; i++) {
		if (streams->all[i]->jvm.pid == jvm->pid)
			return true;
	}
	return false;
}

/* A JVM that is named twice is observed once. */
static int live_add_named(const struct gc_options *o,
			  struct gc_streams *streams, const char *name,
			  struct error *err)
{
	struct jvm jvm;

	if (target_open_named(&jvm, name, err))
		return -1;
	if (!live_has(streams, &jvm))
		return live_add(o, streams, &jvm, err);
	log_info("'%s' is JVM %d, which was already given", name, (int)jvm.pid);
	jvm_close(&jvm);
	return 0;
}

int gc_live_open(const struct gc_options *o, struct gc_streams *streams,
		 struct error *err)
{
	struct jvm jvm;

	if (o->all)
		return live_add_all(o, streams, err);
	for (size_t i = 0; i < o->pids.count; i++) {
		if (live_add_named(o, streams, o->pids.values[i], err))
			return -1;
	}
	if (o->pids.count)
		return 0;
	return target_open_any(&jvm, err) ? -1
					  : live_add(o, streams, &jvm, err);
}

/*
 * True if all threads have ended. The state in *stat is that of the first
 * thread, after whose end (pthread_exit) the JVM may live on.
 */
static bool live_has_ended(const struct gc_stream *s, struct proc_stat *stat)
{
	struct pollfd fd = { .fd = s->jvm.pidfd, .events = POLLIN };

	if (procfs_stat(s->jvm.pid, stat, error_unused()) ||
	    stat->start_ticks != s->jvm.start_ticks)
		return true;
	if (s->jvm.pidfd >= 0)
		return poll(&fd, 1, 0) == 1;
	return stat->state == 'Z' || stat->state == 'X';
}

void gc_live_check(struct gc_stream *s)
{
	struct proc_stat stat;
	bool is_stopped;

	/* Records of a file have no process. */
	if (s->has_ended || !s->jvm.pid)
		return;
	if (live_has_ended(s, &stat)) {
		log_info("%s has exited", s->source->label.bytes);
		s->has_ended = true;
		return;
	}
	if (!jvm_runs(&s->jvm) ||
	    (s->stack && stat.start_stack && stat.start_stack != s->stack)) {
		log_always("%s has executed another program",
			   s->source->label.bytes);
		s->has_ended = true;
		return;
	}
	is_stopped = stat.state == 'T' || stat.state == 't';
	if (is_stopped && !s->was_stopped)
		log_always("%s is stopped by a signal or a debugger; waiting",
			   s->source->label.bytes);
	s->was_stopped = is_stopped;
}

int64_t gc_live_cpu_ns(const struct gc_stream *s)
{
	int64_t now_ns = s->tasks ? live_read_cpu(s->tasks) : GC_ABSENT;

	if (now_ns == GC_ABSENT || s->cpu_ns == GC_ABSENT || now_ns < s->cpu_ns)
		return GC_ABSENT;
	return now_ns - s->cpu_ns;
}

int64_t gc_streams_observed_ns(const struct gc_streams *streams, int64_t end_ns)
{
	int64_t sum = 0;

	for (size_t i = 0; i < streams->count; i++) {
		const struct gc_stream *s = streams->all[i];

		sum += (s->end_ns ? s->end_ns : end_ns) - s->source->begin_ns;
	}
	return sum;
}

void gc_streams_close(struct gc_streams *streams)
{
	for (size_t i = 0; i < streams->count; i++) {
		gc_source_close(streams->all[i]->source);
		tasks_close(streams->all[i]->tasks);
		jvm_close(&streams->all[i]->jvm);
		free(streams->all[i]);
	}
	free(streams->all);
	*streams = (struct gc_streams){ 0 };
}
