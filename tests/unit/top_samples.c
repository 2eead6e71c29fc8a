/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/top_samples.h"

void made_begin(struct made_sample *m, int64_t monotonic_ns)
{
	*m = (struct made_sample){
		.sample.monotonic_ns = monotonic_ns,
		.sample.threads = m->threads,
	};
	process_sample_clear(&m->sample.process);
}

struct thread_sample *made_thread(struct made_sample *m, pid_t tid,
				  const char *name)
{
	struct thread_sample *t = &m->threads[m->sample.thread_count++];

	*t = (struct thread_sample){
		.tid = tid,
		.java_id = tid ? tid % 100 : 0,
		.start = 1000,
		.name = name,
		.kind = THREAD_JAVA,
		.state = RUN_RUNNABLE,
	};
	for (size_t i = 0; i < THREAD_COUNTERS; i++)
		t->counters[i] = COUNTER_ABSENT;
	return t;
}

struct thread_sample *made_busy(struct made_sample *m, pid_t tid,
				const char *name, int64_t cpu, int64_t user,
				int64_t sys)
{
	struct thread_sample *t = made_thread(m, tid, name);

	t->counters[THREAD_CPU] = cpu;
	t->counters[THREAD_USER] = user;
	t->counters[THREAD_SYS] = sys;
	return t;
}
