/* SPDX-License-Identifier: Apache-2.0 */
/* The sentences of all rules, as in tests/data/why/causes.txt. */
#include "tests/unit/core/diagnosis/facts.h"

/* Appends all texts and numbers of the causes, and what was not checked. */
static void add_texts(struct text *out, const char *title)
{
	diagnosis_release(&d);
	diagnosis_make(&d, &m.facts);
	text_printf(out, "== %s\n", title);
	for (size_t i = 0; i < d.count; i++) {
		const struct cause *c = &d.causes[i];

		text_printf(out, "%s %s %.4g s, %zu threads, because of %zu\n",
			    c->rule->name, cause_rank_names[c->rank], c->lost_s,
			    c->threads, c->explained_by);
		text_printf(out, "%s\n%s\n", c->sentence.bytes,
			    c->detail.len ? c->detail.bytes : "-");
		text_printf(out, "%s\n%s\n",
			    c->place.len ? c->place.bytes : "-",
			    c->next.len ? c->next.bytes : "-");
		for (size_t k = 0; k < c->evidence_count; k++)
			text_printf(out, "  %s = %.6g, %s, %s\n",
				    c->evidence[k].name, c->evidence[k].value,
				    c->evidence[k].unit, c->evidence[k].source);
	}
	for (size_t i = 0; i < d.unchecked_count; i++)
		if (strcmp(d.reasons[i], "not root") != 0)
			text_printf(out, "%s is not checked: %s\n",
				    d.unchecked[i]->name, d.reasons[i]);
}

/* The same, of facts that are healthy again afterwards. */
static void end_texts(struct text *out, const char *title)
{
	add_texts(out, title);
	release(NULL);
	healthy(NULL);
}

static void add_texts_of_stops(struct text *out)
{
	struct gc_pause p;

	m.thread.state = RUN_STOPPED;
	add_texts(out, "stopped");
	m.rates.row_count = 0;
	end_texts(out, "no threads");

	add_pause(GC_YOUNG, 2000000000, 0, "Allocation Failure");
	add_texts(out, "one long collection");
	p = add_pause(GC_FULL, 10000000, 0, "Ergonomics");
	m.sample.process.heap_max = 100 << 20;
	p.after = 90 << 20;
	add_texts(out, "a full collection");
	diagnosis_add_pause(&m.pauses, &p, GC_HAS_SYNC);
	end_texts(out, "full collections");

	m.sample.process.heap_max = 100 << 20;
	p.cause = "System.gc()";
	diagnosis_add_pause(&m.pauses, &p, GC_HAS_SYNC);
	end_texts(out, "full heap");

	for (int i = 0; i < 10; i++)
		add_pause(GC_YOUNG, 1000000, 0, "G1 Humongous Allocation");
	add_texts(out, "cheap large arrays");
	add_pause(GC_YOUNG, 100000000, 0, "G1 Humongous Allocation");
	end_texts(out, "large arrays");

	add_pause(GC_OTHER, 301000000, 300000000, NULL);
	add_texts(out, "slow stop");
	m.pauses.last_thread = "audit";
	m.pauses.last_times = 1;
	m.pauses.last_of = 2;
	end_texts(out, "slow stop with a last thread");
	m.pauses.has_sync = false;
	end_texts(out, "stops without the time to safepoint");
}

static void add_texts_of_starvation(struct text *out)
{
	struct process_sample *p = &m.sample.process;

	p->cpu_limit = 1500;
	p->cfs_periods = 52;
	p->throttled_periods = 10;
	m.before.cfs_periods = m.before.throttled_periods = 0;
	m.rates.process.throttled_periods = 10 / 52.0;
	end_texts(out, "limit");
	p->cpu_limit = CPU_LIMIT_UNKNOWN;
	end_texts(out, "unknown limit");

	m.rates.process.runq = 0.6;
	m.rates.process.machine = 1;
	add_texts(out, "run queue");
	m.facts.neighbor = (struct busy_process){ 815, "burn", 1.5 };
	end_texts(out, "run queue with a neighbor");
	m.rates.process.runq = NAN;
	end_texts(out, "unknown run queue");

	set_trend(TREND_MEMORY, 90 << 20, 94 << 20, 95 << 20, 100 << 20);
	add_texts(out, "full memory");
	set_trend(TREND_OOM_KILLS, 0, 0, 1, -1);
	add_texts(out, "full memory, a process was killed");
	set_trend(TREND_MEMORY, 50, 50, 50, -1);
	set_trend(TREND_OOM_KILLS, 2, 2, 2, -1);
	add_texts(out, "processes were killed");
	set_trend(TREND_MEMORY, -1, -1, -1, 100);
	end_texts(out, "unknown memory");

	set_trend(TREND_SWAPPED, 1 << 20, 1 << 20, 1 << 20, -1);
	set_trend(TREND_MAJOR_FAULTS, 100, 150, 200, -1);
	add_texts(out, "swap space");
	set_trend(TREND_PRESSURE_US, 0, 500000, 1000000, -1);
	add_texts(out, "swap space and pressure");
	set_trend(TREND_SWAPPED, 0, 0, 0, -1);
	end_texts(out, "pressure");
}

static void add_texts_of_waits(struct text *out)
{
	static const enum dump_wait_kind owners[] = {
		DUMP_WAIT_SOCKET, DUMP_WAIT_NAMES, DUMP_WAIT_SLEEP,
		DUMP_WAIT_KINDS,  DUMP_WAIT_OTHER,
	};
	struct dump_wait *g;

	text_puts(&m.waits.deadlock, "A waits for B");
	m.waits.deadlocked = m.waits.deadlock_dumps = 2;
	m.waits.deadlocks = 1;
	add_texts(out, "deadlock");
	m.waits.behind = 1;
	m.waits.deadlocks = 2;
	add_texts(out, "deadlocks, one thread behind");
	m.waits.behind = 2;
	end_texts(out, "deadlocks, threads behind");

	g = add_group(DUMP_WAIT_MONITOR, 9, 20);
	add_texts(out, "convoy");
	g->owner = "writer";
	g->owner_place = "Journal.append:3";
	for (size_t i = 0; i < sizeof(owners) / sizeof(*owners); i++) {
		g->owner_kind = owners[i];
		add_texts(out, "convoy with an owner");
	}
	g->owner_kind = DUMP_WAIT_DISK;
	add_texts(out, "convoy behind a disk");
	g->owner_place = g->place;
	add_texts(out, "convoy behind a disk in the same place");
	g->kind = DUMP_WAIT_LOCK;
	g->lock = g->place = g->owner_place = "";
	g->dumps = 3;
	g->owner_kind = DUMP_WAIT_KINDS;
	add_texts(out, "convoy of an unknown lock");
	g->dumps = 4;
	g->owner_kind = DUMP_WAIT_DISK;
	end_texts(out, "convoy behind a disk in an unknown place");

	for (enum dump_wait_kind i = 0; i < DUMP_WAIT_KINDS; i++) {
		g = add_group(i, 20, 20);
		g->place = i ? g->place : "";
		end_texts(out, "all threads of a pool");
		add_group(i, 19, 20);
		end_texts(out, "threads of a pool");
	}
	add_group(DUMP_WAIT_SOCKET, 20, 20)->peer = "read from 10.1.2.3:5432";
	end_texts(out, "a peer");

	m.waits.finalizer = (struct dump_work){ "Handle.finalize:4", 1, 4 };
	m.replies.finalizable_count = 2000;
	add_texts(out, "finalizer");
	text_puts(&m.replies.finalizable, "app.Handle (11257)");
	add_texts(out, "finalizer with classes");
	m.waits.finalizer.place = NULL;
	end_texts(out, "finalizer without a place");

	m.waits.virtual_threads = (struct dump_work){ "Images.scale:9", 2, 4 };
	m.replies.carriers = 2;
	m.replies.queued = 1042;
	add_texts(out, "carriers");
	m.waits.virtual_threads.place = NULL;
	add_texts(out, "carriers without a place");
	m.replies.carriers = -1;
	end_texts(out, "unknown carriers");
}

/* Samples of a method; of them, slow ones are interpreted. */
static struct profile *add_samples(uint64_t samples, uint64_t slow, bool throws,
				   const char *class_name)
{
	const char *const frames[][2] = {
		{ throws ? "java.lang.Throwable" : "java.lang.String",
		  throws ? "fillInStackTrace" : "hashCode" },
		{ class_name, "parse" },
	};
	struct profile *p = profile_new();
	uint32_t event = profile_event(p, "cpu", UNIT_NS);

	for (int kind = 0; kind < 2; kind++) {
		uint32_t ids[2];

		for (size_t i = 0; i < 2; i++) {
			struct frame f = {
				.class_name = profile_string(
					p, frames[i][0], strlen(frames[i][0])),
				.method = profile_string(p, frames[i][1],
							 strlen(frames[i][1])),
				.kind = kind ? FRAME_INTERPRETED : FRAME_JIT,
			};

			ids[i] = profile_frame(p, &f);
		}
		profile_add(p, &(struct sample){
				       .event = event,
				       .stack = profile_stack(p, ids, 2),
				       .count = kind ? slow : samples - slow,
				       .weight = 1 });
	}
	m.facts.profile = p;
	return p;
}

static void add_texts_of_cpu(struct text *out)
{
	struct profile *p;

	m.replies.code_size = 100 << 20;
	m.replies.code_used = m.replies.code_most = 90 << 20;
	add_texts(out, "full code cache");
	m.rows[0].rates[THREAD_CPU] = NAN;
	m.replies.code_is_off = true;
	add_texts(out, "compilation is disabled");
	m.replies.code_is_off = false;
	m.rows[0].rates[THREAD_CPU] = 0.5;
	m.replies.code_used = 40 << 20;
	end_texts(out, "small code cache");

	m.rates.process.cpu = 1;
	m.rows[0].rates[THREAD_CPU] = 0.5;
	add_texts(out, "compilers");
	p = add_samples(200, 50, false, "app.Orders");
	add_texts(out, "compilers, with samples");
	m.trends.uptime_s = 299;
	end_texts(out, "young JVM");
	profile_free(p);

	p = add_samples(200, 0, true, "app.Orders");
	end_texts(out, "exceptions");
	profile_free(p);
	p = add_samples(99, 0, true, "app.Orders");
	m.rates.process.cpu = 1.5;
	end_texts(out, "few samples");
	profile_free(p);

	p = add_samples(200, 0, false, "app.Orders");
	m.rates.process.cpu = 1.5;
	end_texts(out, "place");
	m.facts.profile = p;
	m.rates.process.cpu = NAN;
	end_texts(out, "unknown CPU time");
	profile_free(p);
	p = add_samples(200, 0, false, "java.lang.Integer");
	m.rates.process.cpu = 1.5;
	add_texts(out, "no place, not all CPUs");
	m.rates.process.cpu = 1.9;
	end_texts(out, "no place");
	profile_free(p);
}

static void add_texts_of_growth(struct text *out)
{
	set_files(850, 850, 850, 1024);
	add_texts(out, "descriptors");
	set_files(300, 350, 400, 1024);
	add_texts(out, "growing descriptors");
	m.trends.first.sockets = 1;
	m.trends.last.files = 10;
	m.trends.last.sockets = 390;
	add_texts(out, "growing sockets");
	set_trend(TREND_DESCRIPTORS, -1, -1, -1, 1024);
	add_texts(out, "unknown descriptors");
	m.trends.no_files = (struct error){ .text = "no right to read them" };
	end_texts(out, "unreadable descriptors");

	set_trend(TREND_THREADS, 30, 40, 50, -1);
	set_trend(TREND_CLASSES, 3000, 3600, 4200, -1);
	set_trend(TREND_OLD, 60 << 20, 65 << 20, 70 << 20, 100 << 20);
	set_trend(TREND_ANONYMOUS, 1 << 28, 3 << 27, 1 << 29, -1);
	set_trend(TREND_NATIVE, 1 << 26, 3 << 25, 1 << 27, -1);
	add_texts(out, "growth");
	text_puts(&m.replies.growing, "Session +1,500 (67,253)");
	text_puts(&m.replies.loaders, "ScriptLoader (4,034)");
	add_texts(out, "growth of classes of the application");
	text_puts(&m.replies.native, "java.util.zip.Deflater +90 (1,700)");
	add_texts(out, "growth of classes with native memory");
	text_clear(&m.replies.growing);
	add_texts(out, "growth of these alone");
	m.trends.uptime_s = 29;
	m.trends.old_is_concurrent = false;
	end_texts(out, "first half minute");
	set_trend(TREND_THREADS, -1, -1, -1, -1);
	set_trend(TREND_CLASSES, -1, -1, -1, -1);
	set_trend(TREND_OLD, -1, -1, -1, -1);
	set_trend(TREND_ANONYMOUS, -1, -1, -1, -1);
	end_texts(out, "unknown trends");
}

/* All sentences of all rules, as in tests/data/why/causes.txt. */
static void rules_have_these_texts(void **state)
{
	struct text out = { 0 }, wanted = { 0 };
	char part[4096];
	size_t got;
	FILE *file = fopen("tests/data/why/causes.txt", "re");

	(void)state;
	assert_non_null(file);
	while ((got = fread(part, 1, sizeof(part), file)) > 0)
		text_add(&wanted, part, got);
	fclose(file);
	add_texts_of_stops(&out);
	add_texts_of_starvation(&out);
	add_texts_of_waits(&out);
	add_texts_of_cpu(&out);
	add_texts_of_growth(&out);
	assert_string_equal(out.bytes, wanted.bytes);
	text_release(&out);
	text_release(&wanted);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(rules_have_these_texts, healthy,
						release),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
