/* SPDX-License-Identifier: Apache-2.0 */
#include "bpf/gc_probes.h"

#include "bpf/gc_join.h"
#include "bpf/kernel_types.h"
#include "bpf/load.h"
#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/base/units.h"
#include "core/elf/target_files.h"
#include "core/gc/gc_counters.h"
#include "core/gc/gc_points.h"
#include "core/jvm/procfs.h"
#include "core/process/mappings.h"
#include "core/process/memory.h"

#include "bpf/gc.skel.h"
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * Waking at each record would prolong the pause: read periodically. Each
 * reading wakes this process, which costs more than the records do. Phases fill
 * the ring buffer sooner.
 */
#define POLL_NS        (500 * CLOCK_NS_PER_MS)
#define POLL_PHASES_NS (250 * CLOCK_NS_PER_MS)

enum {
	PROBES_MAX = 8 + GC_REPORTS,
	NAMES_MAX = 512, /* HotSpot has some 200 names of phases */
	NAME_BYTES = 80,
};

/* A phase name of the process, which is a constant of libjvm. */
struct phase_name {
	uint64_t address;
	char text[NAME_BYTES];
};

struct probe_source {
	struct gc_source source;
	struct gc_probes_options options;
	const struct jvm *jvm;
	struct gc_counters *counters; /* NULL: the JVM has none */
	struct gc_points points;
	struct mappings mappings;
	uint64_t bias;
	char path[64]; /* of libjvm */
	pid_t thread;  /* for whose process the probes are */
	struct gc_bpf *programs;
	struct ring_buffer *ring;
	struct bpf_link *links[PROBES_MAX];
	size_t link_count;
	struct remote_memory *memory; /* NULL: phases have no names */
	struct gc_join *join;
	struct phase_name *names;
	size_t name_count;
};

static struct probe_source *probes_of(struct gc_source *s)
{
	return (struct probe_source *)s;
}

/* ---- finding the points ---- */

static bool mapping_is_libjvm(const struct mapping *m)
{
	const char *slash = strrchr(m->path, '/');

	return slash && strncmp(slash, "/libjvm.so", 10) == 0;
}

/*
 * Finds libjvm: its first mapping gives the bias, an executable one the file.
 */
static const struct mapping *probes_find_library(struct probe_source *s)
{
	const struct mapping *first = NULL;

	for (size_t i = 0; i < s->mappings.count; i++) {
		const struct mapping *m = &s->mappings.all[i];

		if (!mapping_is_libjvm(m) || !m->inode)
			continue;
		if (!first)
			first = m;
		if (m->is_executable && m->inode == first->inode)
			return m;
	}
	return NULL;
}

static int probes_read_points(struct probe_source *s, struct error *err)
{
	const struct mapping *library = probes_find_library(s);
	struct target_files files = { .jvm = s->jvm };
	int fd, ret;

	if (!library)
		return fail(err, ERROR_UNAVAILABLE,
			    "libjvm.so is not mapped as a library");
	fd = target_files_open(&files, library, err);
	if (fd < 0)
		return -1;
	ret = gc_points_read(&s->points, fd, err);
	close(fd);
	if (ret)
		return -1;
	if (!s->points.stop.offset)
		return fail(err, ERROR_UNAVAILABLE, "%s",
			    gc_points_missing(&s->points));
	/* An address of the file is offset by its segment, too. */
	s->bias = library->start - library->offset + s->points.stop.offset -
		  s->points.stop.address;
	snprintf(s->path, sizeof(s->path),
		 "/proc/%d/map_files/%" PRIx64 "-%" PRIx64,
		 (int)procfs_owner(s->jvm->pid), library->start, library->end);
	return 0;
}

/* ---- loading ---- */

/* Returns the address where the JVM has mapped its counters; 0 = nowhere. */
static uint64_t probes_find_counters(const struct probe_source *s,
				     const struct gc_offsets *o)
{
	for (size_t i = 0; !o->address && i < s->mappings.count; i++) {
		const struct mapping *m = &s->mappings.all[i];

		if (m->inode == o->ino && m->dev == o->dev && m->offset == 0)
			return m->start;
	}
	return o->address;
}

static void addresses_add(__u64 *out, const uint32_t *offsets, size_t count,
			  uint64_t base)
{
	for (size_t i = 0; i < count; i++)
		out[i] = offsets[i] ? base + offsets[i] : 0;
}

static void probes_set_addresses(struct probe_source *s, struct gc_addresses *a)
{
	struct gc_offsets o;
	uint64_t base;

	*a = (struct gc_addresses){ 0 };
	if (s->points.operation)
		a->operation = s->points.operation + s->bias;
	if (s->points.state)
		a->state = s->points.state + s->bias;
	if (!s->counters)
		return;
	gc_counters_offsets(s->counters, &o);
	base = probes_find_counters(s, &o);
	addresses_add(&a->safepoints, &o.safepoints, 1, base);
	addresses_add(&a->sync, &o.sync, 1, base);
	addresses_add(&a->stopped, &o.stopped, 1, base);
	addresses_add(&a->cause, &o.cause, 1, base);
	addresses_add(&a->last_cause, &o.last_cause, 1, base);
	addresses_add(a->collector_ns, o.collector_ns, GC_COLLECTORS, base);
	addresses_add(a->collector_count, o.collector_count, GC_COLLECTORS,
		      base);
	addresses_add(a->used, o.used, GC_SPACES, base);
	addresses_add(a->committed, o.committed, GC_COLLECTORS, base);
}

/* Opens the programs without reading all types of the kernel. */
static struct gc_bpf *probes_open_programs(void)
{
	LIBBPF_OPTS(bpf_object_open_opts, options);

	return gc_bpf__open_opts(&options);
}

static bool probes_wants_reports(const struct probe_source *s)
{
	const char *collector = s->source.collector.bytes;

	if (s->options.no_reports)
		return false;
	return s->options.phases || !s->counters ||
	       (collector && strcmp(collector, "Shenandoah") == 0) ||
	       (collector && strcmp(collector, "ZGC") == 0);
}

/*
 * True if the counters of the collector omit parts of its pauses, or if there
 * are no counters.
 */
static bool probes_wants_collections(const struct probe_source *s)
{
	const char *collector = s->source.collector.bytes;

	if (s->options.no_reports || !s->points.collect.offset)
		return false;
	return !s->counters ||
	       (collector && (strcmp(collector, "Serial") == 0 ||
			      strcmp(collector, "G1") == 0));
}

/*
 * Returns the VM thread, or the process. The kernel takes probes of a process
 * back when the thread by which they name it ends, and the first thread may end
 * before the JVM does.
 */
static pid_t probes_find_thread(const struct probe_source *s)
{
	struct text comm = { 0 };
	pid_t found = 0;
	char name[64];
	struct dirent *e;
	DIR *tasks;

	snprintf(name, sizeof(name), "/proc/%d/task", (int)s->jvm->pid);
	tasks = opendir(name);
	while (tasks && !found && (e = readdir(tasks))) {
		snprintf(name, sizeof(name), "task/%.20s/comm", e->d_name);
		text_clear(&comm);
		if (e->d_name[0] != '.' &&
		    procfs_read(s->jvm->pid, name, 64, &comm, error_unused()) ==
			    0 &&
		    comm.len && strcmp(comm.bytes, "VM Thread\n") == 0)
			found = (pid_t)strtol(e->d_name, NULL, 10);
	}
	if (tasks)
		closedir(tasks);
	text_release(&comm);
	return found ? found : s->jvm->pid;
}

/* Omits programs that are not attached: each has a descriptor. */
static void probes_choose(struct probe_source *s)
{
	struct gc_bpf *p = s->programs;
	bool has_collections = probes_wants_collections(s);

	bpf_program__set_autoload(p->progs.on_begin, !s->counters);
	bpf_program__set_autoload(p->progs.on_heap, !s->options.no_heap);
	bpf_program__set_autoload(p->progs.on_block, s->options.last_threads);
	bpf_program__set_autoload(p->progs.on_collected, has_collections);
	bpf_program__set_autoload(p->progs.on_logged, has_collections);
	bpf_program__set_autoload(p->progs.on_collect, has_collections);
	bpf_program__set_autoload(p->progs.on_report, probes_wants_reports(s));
}

static int probes_load(struct probe_source *s, struct error *err)
{
	struct load_pid_ns ns = load_own_pid_ns();

	if (load_quietly(err))
		return -1;
	s->programs = probes_open_programs();
	if (!s->programs)
		return load_refused("BPF programs", errno, err);
	probes_set_addresses(s,
			     (struct gc_addresses *)&s->programs->rodata->at);
	s->programs->rodata->pid_ns_dev = ns.dev;
	s->programs->rodata->pid_ns_inode = ns.inode;
	probes_choose(s);
	if (gc_bpf__load(s->programs))
		return load_refused("BPF programs", errno, err);
	return 0;
}

static int probes_attach_one(struct probe_source *s,
			     const struct bpf_program *program,
			     const struct gc_point *point, struct error *err)
{
	struct bpf_link *link;
	sigset_t before;

	if (!point->offset)
		return 0;
	load_block_signals(&before);
	link = bpf_program__attach_uprobe(program, false, s->thread, s->path,
					  point->offset);
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (!link) {
		int sys = errno;

		if (sys == ESRCH || sys == ENOENT)
			return fail(err, ERROR_NO_TARGET,
				    "the process has exited");
		return load_refused_uprobe(s->jvm->uid, sys, err);
	}
	s->links[s->link_count++] = link;
	return 0;
}

/* The probe at the end of a safepoint comes last: then all others see it. */
static int probes_attach(struct probe_source *s, struct error *err)
{
	struct gc_bpf *p = s->programs;

	s->thread = probes_find_thread(s);
	if (!s->counters &&
	    probes_attach_one(s, p->progs.on_begin, &s->points.begin, err))
		return -1;
	if (!s->options.no_heap &&
	    probes_attach_one(s, p->progs.on_heap, &s->points.heap, err))
		return -1;
	if (s->options.last_threads && s->points.state &&
	    probes_attach_one(s, p->progs.on_block, &s->points.block, err))
		return -1;
	if (probes_wants_collections(s) &&
	    (probes_attach_one(s, p->progs.on_collected, &s->points.collected,
			       err) ||
	     probes_attach_one(s, p->progs.on_logged, &s->points.logged, err) ||
	     probes_attach_one(s, p->progs.on_collect, &s->points.collect,
			       err)))
		return -1;
	for (size_t i = 0;
	     probes_wants_reports(s) && i < s->points.report_count; i++) {
		if (probes_attach_one(s, p->progs.on_report,
				      &s->points.reports[i], err))
			return -1;
	}
	return probes_attach_one(s, p->progs.on_stop, &s->points.stop, err);
}

/* ---- names ---- */

static const char *probes_phase_name(void *self, uint64_t address)
{
	struct probe_source *s = self;
	struct phase_name *n;

	for (size_t i = 0; i < s->name_count; i++) {
		if (s->names[i].address == address)
			return s->names[i].text;
	}
	if (!s->memory || s->name_count == NAMES_MAX)
		return NULL;
	n = &s->names[s->name_count];
	if (!memory_string(remote_memory_of(s->memory), address, n->text,
			   sizeof(n->text)))
		return NULL;
	n->address = address;
	s->name_count++;
	return n->text;
}

/* The kernel's name of a thread, if it still runs. */
static void probes_thread_name(void *self, uint32_t tid, struct text *out)
{
	const struct probe_source *s = self;
	struct text text = { 0 };
	char name[48];

	snprintf(name, sizeof(name), "task/%u/comm", tid);
	if (procfs_read(s->jvm->pid, name, 64, &text, error_unused()) == 0 &&
	    text.len)
		text_add(out, text.bytes, strcspn(text.bytes, "\n"));
	text_release(&text);
}

/* ---- reading ---- */

static int probes_on_event(void *self, void *bytes, size_t size)
{
	struct probe_source *s = self;
	const struct gc_event *e = bytes;

	if (size >= sizeof(*e) && e->kind == GC_EVENT_STOP)
		s->source.pending.since_ns = 0;
	gc_join_add(s->join, bytes, size);
	return 0;
}

/*
 * Reads the ring buffer. SafepointSynchronize::_state, 0 while threads run, is
 * read before: a stop that ends in between counts as ended.
 */
static void probes_consume(struct probe_source *s)
{
	struct gc_pending *p = &s->source.pending;
	int64_t now_ns = clock_monotonic_ns();
	uint32_t state = 0;

	if (s->memory && s->points.state)
		state = memory_u32(remote_memory_of(s->memory),
				   s->points.state + s->bias);
	p->is_synchronizing = state == 1;
	if (!state)
		p->since_ns = 0;
	else if (!p->since_ns)
		p->since_ns = now_ns;
	ring_buffer__consume(s->ring);
}

static enum gc_next probes_next(struct gc_source *source, struct gc_pause *p,
				struct error *err)
{
	struct probe_source *s = probes_of(source);

	(void)err;
	if (gc_join_next(s->join, clock_monotonic_ns(), p))
		return GC_NEXT_RECORD;
	probes_consume(s);
	if (gc_join_next(s->join,
			 source->is_ending ? INT64_MAX : clock_monotonic_ns(),
			 p))
		return GC_NEXT_RECORD;
	return GC_NEXT_LATER;
}

static void probes_lost(const struct gc_source *source, struct gc_lost *lost)
{
	const struct probe_source *s = (const struct probe_source *)source;

	lost->records = __atomic_load_n(&s->programs->bss->lost,
					__ATOMIC_RELAXED);
	lost->pauses = gc_join_missed(s->join);
	lost->more_pauses = lost->records && !s->counters;
}

static void probes_close(struct gc_source *source)
{
	struct probe_source *s = probes_of(source);
	sigset_t before;

	load_block_signals(&before);
	for (size_t i = 0; i < s->link_count; i++)
		bpf_link__destroy(s->links[i]);
	sigprocmask(SIG_SETMASK, &before, NULL);
	ring_buffer__free(s->ring);
	gc_bpf__destroy(s->programs);
	gc_join_free(s->join);
	gc_counters_close(s->counters);
	gc_points_release(&s->points);
	mappings_release(&s->mappings);
	remote_memory_close(s->memory);
	free(s->names);
	free(s);
}

static const struct gc_source_methods probes_methods = {
	.next = probes_next,
	.lost = probes_lost,
	.close = probes_close,
};

/* ---- opening ---- */

static int64_t probes_vm_start(const struct probe_source *s)
{
	uint64_t start = 0;

	if (s->memory && s->points.initial_time)
		start = memory_u64(remote_memory_of(s->memory),
				   s->points.initial_time + s->bias);
	return start ? (int64_t)start : GC_ABSENT;
}

static int probes_start_join(struct probe_source *s, struct error *err)
{
	struct gc_values first;
	struct gc_join_options o = {
		.counters = s->counters,
		.points = &s->points,
		.bias = s->bias,
		.vm_start_ns = probes_vm_start(s),
		.wall_of = clock_wall_of,
		.collector = s->source.collector.len ? s->source.collector.bytes
						     : "",
		.keeps_phases = s->options.phases,
		.has_collections = probes_wants_collections(s),
		.name = probes_phase_name,
		.thread = probes_thread_name,
		.self = s,
	};

	/* Shenandoah's time of a pause is only among its cycle's phases. */
	o.holds_pauses = !s->options.no_reports && s->points.report_count &&
			 o.vm_start_ns != GC_ABSENT &&
			 (strcmp(o.collector, "Shenandoah") == 0 ||
			  (s->options.phases &&
			   strcmp(o.collector, "ZGC") == 0));
	s->source.begin_ns = clock_monotonic_ns();
	if (s->counters && gc_counters_read(s->counters, &first, err))
		return -1;
	s->join = gc_join_new(&o, s->counters ? &first : NULL);
	s->ring = ring_buffer__new(bpf_map__fd(s->programs->maps.ring),
				   probes_on_event, s, NULL);
	return s->ring ? 0 : load_refused("BPF ring buffer", errno, err);
}

static void probes_describe(struct probe_source *s)
{
	struct gc_source *source = &s->source;

	if (s->counters)
		source->columns = gc_counters_columns(s->counters);
	else
		source->columns = GC_HAS_STOPPED | GC_HAS_SYNC | GC_HAS_OTHER;
	source->columns |= s->points.operation ? GC_HAS_OPERATION : 0;
	if (probes_wants_collections(s))
		source->columns |= GC_HAS_GC;
	if (s->points.heap.offset && !s->options.no_heap)
		source->columns |= GC_HAS_BEFORE | GC_HAS_AFTER;
	if (probes_wants_reports(s) && s->points.report_count)
		source->columns |= GC_HAS_PHASES | GC_HAS_CYCLES | GC_HAS_GC;
	text_printf(&source->description, "%zu uprobe%s in libjvm%s",
		    s->link_count, units_plural(s->link_count),
		    s->counters ? " and the hsperfdata counters: they add up "
				  "to 50 us to "
				  "each pause"
				: ": times are estimates");
}

/* Counters of a file that the JVM has not mapped cannot be read in a probe. */
static void probes_check_counters(struct probe_source *s, struct error *why)
{
	struct gc_offsets o;

	if (!s->counters)
		return;
	gc_counters_offsets(s->counters, &o);
	if (probes_find_counters(s, &o))
		return;
	gc_counters_close(s->counters);
	s->counters = NULL;
	fail(why, ERROR_UNAVAILABLE,
	     "the JVM does not map its hsperfdata file");
}

static int probes_start(struct probe_source *s, struct error *no_counters,
			struct error *err)
{
	if (mappings_read(&s->mappings, s->jvm, err) ||
	    probes_read_points(s, err))
		return -1;
	*no_counters = (struct error){ 0 };
	s->counters = gc_counters_open(s->jvm, no_counters);
	probes_check_counters(s, no_counters);
	if (s->counters)
		text_puts(&s->source.collector,
			  gc_counters_collector(s->counters));
	s->memory = remote_memory_open(s->jvm, NULL, error_unused());
	s->names = xcalloc(NAMES_MAX, sizeof(*s->names));
	if (probes_load(s, err) || probes_attach(s, err) ||
	    probes_start_join(s, err))
		return -1;
	probes_describe(s);
	return 0;
}

struct gc_source *gc_probes_open(const struct jvm *jvm,
				 const struct gc_probes_options *o,
				 struct error *no_counters, struct error *err)
{
	struct probe_source *s = xcalloc(1, sizeof(*s));

	s->source.methods = &probes_methods;
	s->source.fd = -1;
	s->source.pid = jvm->pid;
	s->source.wait_ns = o->phases ? POLL_PHASES_NS : POLL_NS;
	s->source.cpu_ns = GC_ABSENT;
	s->options = *o;
	s->jvm = jvm;
	if (probes_start(s, no_counters, err)) {
		gc_source_close(&s->source);
		return NULL;
	}
	return &s->source;
}
