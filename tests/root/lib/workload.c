/* SPDX-License-Identifier: Apache-2.0 */
/*
 * workload [threads=N] [depth=FRAMES] WORD...
 *
 * Prints READY, then "tid T" for each thread.  Executes the words in all
 * threads when a line arrives on stdin; then prints "thread T cpu=NS" for each,
 * "cpu=NS" for the process since the line, and DONE.  Ends at the next line.
 *
 *	burn=MS		of CPU time of the thread, in user mode
 *	calls=MS	of CPU time, in short system calls
 *	sleep=MS*N	sleeps N times
 *	turns=N		N times, each of two threads wakes the other and
 *			waits for it
 *	probed=N	calls of probed() with 1 to N, in turn
 *
 * A frame has about 100 bytes.
 */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 64 };

static int threads = 1, depth;
static char **deeds;
static pthread_barrier_t ready, begin;
static struct {
	pthread_t thread;
	pid_t tid;
	int64_t cpu_ns;
} workers[THREADS];

static volatile uint64_t sink;

static int64_t clock_ns(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/*
 * Uprobes are attached to this function; its own section makes it easy to find.
 */
__attribute__((noinline, visibility("default"))) void probed(uint64_t weight);
void probed(uint64_t weight) { sink = sink + weight; }

static void burn(int64_t ns, int is_calling)
{
	int64_t end = clock_ns(CLOCK_THREAD_CPUTIME_ID) + ns;

	while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < end) {
		for (int i = 0; i < (is_calling ? 0 : 20000); i++)
			sink = sink * 31 + (uint64_t)i;
		for (int i = 0; i < (is_calling ? 100 : 0); i++)
			sink = sink + (uint64_t)getppid();
	}
}

static void sleep_times(const char *value)
{
	char *rest;
	long ms = strtol(value, &rest, 10);
	long times = *rest == '*' ? strtol(rest + 1, NULL, 10) : 1;
	struct timespec t = { ms / 1000, ms % 1000 * 1000000 };

	for (long i = 0; i < times; i++)
		nanosleep(&t, NULL);
}

/* Pipes; a thread's number selects its ends. */
static int turns_of[2][2];

static void take_turns(size_t self, long times)
{
	char byte = 0;

	for (long i = 0; i < times; i++) {
		if (write(turns_of[self & 1][1], &byte, 1) != 1 ||
		    read(turns_of[~self & 1][0], &byte, 1) != 1)
			return;
	}
}

static void do_deed(size_t self, const char *deed)
{
	const char *value = strchr(deed, '=');

	if (!value)
		return;
	value++;
	if (strncmp(deed, "burn", 4) == 0)
		burn(strtol(value, NULL, 10) * INT64_C(1000000), 0);
	else if (strncmp(deed, "calls", 5) == 0)
		burn(strtol(value, NULL, 10) * INT64_C(1000000), 1);
	else if (strncmp(deed, "sleep", 5) == 0)
		sleep_times(value);
	else if (strncmp(deed, "turns", 5) == 0)
		take_turns(self, strtol(value, NULL, 10));
	else if (strncmp(deed, "probed", 6) == 0)
		for (long i = 1, n = strtol(value, NULL, 10); i <= n; i++)
			probed((uint64_t)i);
}

__attribute__((noinline)) static void descend(size_t self, int left)
{
	volatile char frame[64];

	frame[0] = (char)left;
	if (left > 0) {
		descend(self, left - 1);
	} else {
		for (char **d = deeds; *d; d++)
			do_deed(self, *d);
	}
	sink = sink + (uint64_t)frame[0];
}

static void *work(void *of)
{
	size_t self = (size_t)(uintptr_t)of;

	workers[self].tid = gettid();
	pthread_barrier_wait(&ready);
	pthread_barrier_wait(&begin);
	descend(self, depth);
	workers[self].cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	return NULL;
}

static void start_all(void)
{
	pthread_barrier_init(&ready, NULL, (unsigned)threads + 1);
	pthread_barrier_init(&begin, NULL, (unsigned)threads + 1);
	for (int i = 0; i < threads; i++)
		pthread_create(&workers[i].thread, NULL, work,
			       (void *)(uintptr_t)i);
	pthread_barrier_wait(&ready);
	for (int i = 0; i < threads; i++)
		printf("tid %d\n", (int)workers[i].tid);
	printf("READY %d\n", (int)getpid());
	fflush(stdout);
}

static void await_line(void)
{
	for (int c = 0; c != '\n' && c != EOF;)
		c = getchar();
}

int main(int argc, char **argv)
{
	int64_t before;

	/* Also ends when timeout(1) is killed. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (deeds = argv + 1; argc > 1 && *deeds; deeds++) {
		if (strncmp(*deeds, "threads=", 8) == 0)
			threads = (int)strtol(*deeds + 8, NULL, 10);
		else if (strncmp(*deeds, "depth=", 6) == 0)
			depth = (int)strtol(*deeds + 6, NULL, 10);
		else
			break;
	}
	if (threads < 1 || threads > THREADS || pipe(turns_of[0]) ||
	    pipe(turns_of[1]))
		return 2;
	/* Limits the time if the parent is gone. */
	alarm(120);
	start_all();
	await_line();
	before = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	pthread_barrier_wait(&begin);
	for (int i = 0; i < threads; i++)
		pthread_join(workers[i].thread, NULL);
	for (int i = 0; i < threads; i++)
		printf("thread %d cpu=%lld\n", (int)workers[i].tid,
		       (long long)workers[i].cpu_ns);
	printf("cpu=%lld\nDONE\n",
	       (long long)(clock_ns(CLOCK_PROCESS_CPUTIME_ID) - before));
	fflush(stdout);
	await_line();
	return 0;
}
