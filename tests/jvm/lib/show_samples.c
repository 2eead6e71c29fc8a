/* SPDX-License-Identifier: Apache-2.0 */
/*
 *	show_samples PID [no-attach] [switches] [timeout=MS] COMMAND...
 *
 * Takes samples of a JVM from /proc, and executes commands:
 *
 *	sample		takes and prints a sample; quiet: does not print it
 *	again		prints the last sample as it is now
 *	names=TEXT	repeats until the note on names contains TEXT
 *	until=NAME	repeats until there is a Java thread with this name
 *	stack=NAME	prints the stack trace of a thread in the last sample
 *	deadlocks
 *	sleep=MS
 *	times		wall-clock time, CPU time, and maximum memory
 *
 * The exit status is the kind of the error.
 */
#include "core/base/clock.h"
#include "core/base/safe_text.h"
#include "core/jvm/jvm.h"
#include "core/threads/proc_source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static struct jvm jvm;
static struct thread_source *source;
static struct top_sample last;
static struct error err;
static int64_t begun_ns;

static void put_safe(const char *foreign)
{
	struct text t = { 0 };

	text_puts(&t, "");
	safe_text(&t, foreign, strlen(foreign));
	fputs(t.bytes, stdout);
	text_release(&t);
}

static void put_counter(const char *name, int64_t value)
{
	if (value == COUNTER_ABSENT)
		printf(" %s=-", name);
	else
		printf(" %s=%lld", name, (long long)value);
}

static void put_thread(const struct thread_sample *t)
{
	printf("thread %d ns=%d id=%lld virtual=%lld %s %s%s", (int)t->tid,
	       (int)t->ns_tid, (long long)t->java_id, (long long)t->virtual_id,
	       thread_kind_name(t->kind), thread_run_state_name(t->state),
	       t->state_is_old ? "(old)" : "");
	for (int i = 0; i < THREAD_COUNTERS; i++)
		put_counter(thread_counter_name((enum thread_counter)i),
			    t->counters[i]);
	printf(" name=");
	put_safe(t->name);
	putchar('\n');
}

static void put_process(const struct process_sample *p)
{
	printf("process");
	put_counter("cpu", p->cpu_ns);
	put_counter("user", p->user_ns);
	put_counter("sys", p->sys_ns);
	put_counter("threads", p->threads);
	put_counter("rss", p->rss_bytes);
	put_counter("alloc", p->alloc_bytes);
	put_counter("safepoints", p->safepoints);
	put_counter("safepoint", p->safepoint_ns);
	put_counter("sync", p->sync_ns);
	put_counter("used", p->heap_used);
	put_counter("committed", p->heap_committed);
	put_counter("max", p->heap_max);
	putchar('\n');
	for (size_t i = 0; i < p->gc_count; i++)
		printf("gc count=%lld time=%lld %s\n",
		       (long long)p->gc[i].count, (long long)p->gc[i].time_ns,
		       p->gc[i].name);
}

static int take_sample(void)
{
	return source->ops->sample(source, &last, &err);
}

static void put_sample(void)
{
	printf("sample threads=%zu missed=%llu title=%s\n", last.thread_count,
	       (unsigned long long)last.missed, source->ops->title(source));
	put_process(&last.process);
	for (size_t i = 0; i < last.note_count; i++)
		printf("note %s %s: %s\n", last.notes[i].figure,
		       last.notes[i].is_absent ? "absent" : "given",
		       last.notes[i].text);
	for (size_t i = 0; i < last.thread_count; i++)
		put_thread(&last.threads[i]);
	fflush(stdout);
}

static int show_sample(void)
{
	if (take_sample())
		return -1;
	put_sample();
	return 0;
}

/* Returns true if the note on names contains the text. */
static bool names_say(const char *text)
{
	for (size_t i = 0; i < last.note_count; i++) {
		if (strcmp(last.notes[i].figure, "names") == 0)
			return strstr(last.notes[i].text, text) != NULL;
	}
	return false;
}

static int show_when(const char *text)
{
	int64_t deadline = clock_monotonic_ns() + 60 * CLOCK_NS_PER_S;

	while (take_sample() == 0) {
		if (names_say(text) || clock_monotonic_ns() > deadline) {
			put_sample();
			return 0;
		}
		clock_sleep_until(clock_monotonic_ns() + 50 * CLOCK_NS_PER_MS);
	}
	return -1;
}

static bool has_thread(const char *name)
{
	for (size_t i = 0; i < last.thread_count; i++) {
		if (last.threads[i].kind == THREAD_JAVA &&
		    strcmp(last.threads[i].name, name) == 0)
			return true;
	}
	return false;
}

static int show_until(const char *name)
{
	int64_t deadline = clock_monotonic_ns() + 180 * CLOCK_NS_PER_S;

	while (!has_thread(name)) {
		if (clock_monotonic_ns() > deadline)
			return fail(&err, ERROR_FAILED, "no %s", name);
		if (show_sample())
			return -1;
		clock_sleep_until(clock_monotonic_ns() + 500 * CLOCK_NS_PER_MS);
	}
	return 0;
}

static int show_text(int failed, struct text *text)
{
	if (!failed)
		printf("%s", text->len ? text->bytes : "nothing\n");
	text_release(text);
	return failed;
}

static int show_stack(const char *name)
{
	struct text text = { 0 };

	for (size_t i = 0; i < last.thread_count; i++) {
		if (strcmp(last.threads[i].name, name) == 0)
			return show_text(source->ops->stack(source,
							    &last.threads[i],
							    &text, &err),
					 &text);
	}
	return fail(&err, ERROR_MISUSE, "no thread %s", name);
}

static int show_deadlocks(void)
{
	struct text text = { 0 };
	int ret = source->ops->deadlocks(source, &text, &err);

	return show_text(ret, &text);
}

static int64_t us_of(struct timeval t)
{
	return (int64_t)t.tv_sec * 1000000 + t.tv_usec;
}

static void show_times(void)
{
	struct rusage self;

	getrusage(RUSAGE_SELF, &self);
	printf("times wall_ms=%lld cpu_us=%lld rss_kb=%ld\n",
	       (long long)((clock_monotonic_ns() - begun_ns) / CLOCK_NS_PER_MS),
	       (long long)(us_of(self.ru_utime) + us_of(self.ru_stime)),
	       self.ru_maxrss);
	fflush(stdout);
}

static int act(const char *deed)
{
	if (strcmp(deed, "sample") == 0)
		return show_sample();
	if (strcmp(deed, "again") == 0)
		return put_sample(), 0;
	if (strcmp(deed, "quiet") == 0)
		return take_sample();
	if (strncmp(deed, "names=", 6) == 0)
		return show_when(deed + 6);
	if (strncmp(deed, "until=", 6) == 0)
		return show_until(deed + 6);
	if (strncmp(deed, "sleep=", 6) == 0)
		clock_sleep_until(clock_monotonic_ns() +
				  strtol(deed + 6, NULL, 10) * CLOCK_NS_PER_MS);
	else if (strncmp(deed, "stack=", 6) == 0)
		return show_stack(deed + 6);
	else if (strcmp(deed, "deadlocks") == 0)
		return show_deadlocks();
	else if (strcmp(deed, "times") == 0)
		show_times();
	else
		return fail(&err, ERROR_MISUSE, "what is %s?", deed);
	return 0;
}

int main(int argc, char **argv)
{
	struct proc_source_options options = { 0 };
	int ret = -1;
	int i = 2;

	begun_ns = clock_monotonic_ns();
	for (; i < argc; i++) {
		if (strcmp(argv[i], "no-attach") == 0)
			options.no_attach = true;
		else if (strcmp(argv[i], "switches") == 0)
			options.switches = true;
		else if (strncmp(argv[i], "timeout=", 8) == 0)
			options.attach_timeout_ns = strtol(argv[i] + 8, NULL,
							   10) *
						    CLOCK_NS_PER_MS;
		else
			break;
	}
	if (argc < 2 || jvm_open(&jvm, (pid_t)strtol(argv[1], NULL, 10), &err))
		goto out;
	source = proc_source_open(&jvm, &options, &err);
	if (!source)
		goto out;
	for (ret = 0; i < argc && ret == 0; i++)
		ret = act(argv[i]);
out:
	if (ret)
		printf("error %d %s\n", (int)err.kind, err.text);
	if (source)
		source->ops->close(source);
	jvm_close(&jvm);
	return ret ? (int)err.kind : 0;
}
