/* SPDX-License-Identifier: Apache-2.0 */
#include "bpf/sampler.h"

#include "bpf/block_probes.h"
#include "bpf/kernel/sampler_maps.h"
#include "bpf/kernel_types.h"
#include "bpf/load.h"
#include "bpf/sampling/waits.h"
#include "bpf/ticks.h"
#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/jvm/procfs.h"

#include "bpf/sampler.skel.h"
#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define RING_LEAST ((size_t)1024 * 1024)

/* Bytes of native memory from one sample to the next, as a JVM samples Java. */
#define BLOCK_INTERVAL ((uint64_t)512 << 10)

/* An attached uprobe. */
struct sampler_link {
	struct bpf_link *link;
	enum sample_kind kind;
	pid_t pid;
	dev_t dev; /* of the file; 0 = unknown */
	ino_t ino;
	uint64_t offset;
};

struct sampler {
	struct sampler_options options;
	struct sampler_bpf *programs;
	struct ring_buffer *ring;
	struct ticks ticks, faults;
	struct bpf_link *switches, *task_link;
	struct sampler_link *probes;
	size_t probe_count, probe_cap;
	struct block_probes block_probes;
	struct waits waits;
	uint64_t lost_leaves, lost_returns, lost_entries; /* at the last cut */
	uint64_t hidden;    /* waits whose sample was lost, at the last cut */
	uint64_t last_ns;   /* the latest time of the records read */
	int64_t stopped_ns; /* 0 = sampling */
	bool has_task_program; /* the program for each task is loaded */
	sampler_sink_fn *sink; /* while samples are read */
	void *self;
	size_t read;
};

static bool sampler_wants(const struct sampler *s, enum sample_kind kind)
{
	return s->options.kinds >> kind & 1;
}

static bool sampler_has_probes(const struct sampler *s)
{
	return sampler_wants(s, SAMPLE_ALLOC) ||
	       sampler_wants(s, SAMPLE_LOCK) ||
	       sampler_wants(s, SAMPLE_PROBE) || sampler_wants(s, SAMPLE_BLOCK);
}

/*
 * Returns the size of the ring buffer.  If the rate of samples is known, it
 * holds the largest samples of a quarter of a second; most samples are a tenth
 * of that.  Memory costs CPU time.  options.ring_most limits the size.
 */
static size_t sampler_ring_bytes(const struct sampler *s)
{
	const struct sampler_options *o = &s->options;
	int cpus = libbpf_num_possible_cpus();
	size_t bytes = RING_LEAST, most = SAMPLER_RING_BYTES, needed = most;

	if (o->ring_bytes)
		return o->ring_bytes;
	if (o->ring_most && o->ring_most < most)
		most = o->ring_most;
	if (o->kinds == 1U << SAMPLE_CPU && cpus >= 1)
		needed = (size_t)cpus * o->hz *
			 (o->stack_bytes + (size_t)SAMPLER_ARRAYS) / 4;
	while (bytes < needed && bytes * 2 <= most)
		bytes *= 2;
	return bytes;
}

uint64_t sampler_block_interval(const struct sampler *s)
{
	return s->options.block_interval ? s->options.block_interval
					 : BLOCK_INTERVAL;
}

size_t sampler_targets_max(const struct sampler *s)
{
	return s->options.targets ? s->options.targets : SAMPLER_TARGETS;
}

/* Checks that a record has the size that its header gives. */
static bool record_is_complete(const struct sample_event *e, size_t size)
{
	return size >= sizeof(*e) && e->kind < SAMPLE_KINDS &&
	       e->kernel_frames <= SAMPLER_WALK_FRAMES &&
	       e->stack_bytes <= SAMPLER_STACK_LIMIT &&
	       sizeof(*e) + e->kernel_frames * sizeof(uint64_t) +
			       e->stack_bytes <=
		       size;
}

static bool kind_is_wait(unsigned kind)
{
	return kind == SAMPLE_OFFCPU || kind == SAMPLE_LOCK;
}

/* Returns false when the receiver wants no more samples. */
static bool sampler_hand_over(struct sampler *s, const struct sample_event *e)
{
	const uint64_t *kernel = (const uint64_t *)(e + 1);

	uint64_t end_ns = e->time_ns + (kind_is_wait(e->kind) ? e->weight : 0);

	s->read++;
	if (end_ns > s->last_ns)
		s->last_ns = end_ns;
	return s->sink(s->self, e, kernel,
		       (const uint8_t *)(kernel + e->kernel_frames));
}

static bool sampler_end_wait(struct sampler *s, const struct sample_resumed *r)
{
	struct wait *wait = waits_end(&s->waits, (enum sample_kind)r->kind,
				      r->tgid, r->tid, r->out_ns);
	struct sample_event *e;
	bool goes_on;

	if (!wait)
		return true;
	e = &wait->event;
	e->weight = r->in_ns > e->time_ns ? r->in_ns - e->time_ns : 0;
	goes_on = sampler_hand_over(s, e);
	free(wait);
	return goes_on;
}

/*
 * Hands over a wait that began before sampling.  If its stack trace is known,
 * so is its last cut.
 */
static bool sampler_end_earlier(struct sampler *s, const struct sample_event *e)
{
	struct wait *wait = waits_end_earlier(&s->waits, e->tid);
	uint64_t end_ns = e->time_ns + e->weight;
	bool goes_on;

	if (wait && wait->event.regs[SAMPLE_SP] == e->regs[SAMPLE_SP]) {
		struct sample_event *known = &wait->event;

		memcpy(known->comm, e->comm, sizeof(known->comm));
		known->weight = end_ns > known->time_ns
					? end_ns - known->time_ns
					: 0;
		e = known;
	}
	goes_on = sampler_hand_over(s, e);
	free(wait);
	return goes_on;
}

static int sampler_on_record(void *self, void *bytes, size_t size)
{
	struct sampler *s = self;
	const struct sample_event *e = bytes;
	bool goes_on = true;

	if (size == sizeof(struct sample_resumed))
		goes_on = sampler_end_wait(s, bytes);
	else if (!record_is_complete(e, size))
		return 0;
	else if (e->flags & SAMPLE_BEGAN_EARLIER)
		goes_on = sampler_end_earlier(s, e);
	else if (kind_is_wait(e->kind))
		waits_begin(&s->waits, e, size);
	else
		goes_on = sampler_hand_over(s, e);
	return goes_on ? 0 : -ECANCELED;
}

/*
 * Sizes the areas, one for each simultaneous use; none for programs that are
 * not loaded.
 */
static int sampler_size_areas(const struct sampler *s, struct bpf_map *map,
			      int areas)
{
	size_t bytes = offsetof(struct scratch, bytes) +
		       (size_t)SAMPLER_ARRAYS +
		       s->programs->rodata->stack_limit + PAGE_BYTES;

	return bpf_map__set_autocreate(map, areas > 0) ||
	       bpf_map__set_value_size(map, (__u32)bytes) ||
	       bpf_map__set_max_entries(map, areas ? (__u32)areas : 1);
}

/* The same for the programs of sampler_memory.bpf.h. */
static int sampler_size_memory_maps(struct sampler *s, int cpus)
{
	bool blocks = sampler_wants(s, SAMPLE_BLOCK);

	return sampler_size_areas(s, s->programs->maps.fault_areas,
				  sampler_wants(s, SAMPLE_FAULT) ? cpus : 0) ||
	       bpf_map__set_autocreate(s->programs->maps.blocks, blocks) ||
	       bpf_map__set_autocreate(s->programs->maps.pending, blocks) ||
	       bpf_map__set_autocreate(s->programs->maps.usdts, blocks) ||
	       bpf_map__set_autocreate(s->programs->maps.block_calls, blocks);
}

/* Omits maps that no program uses. */
static int sampler_size_maps(struct sampler *s)
{
	int cpus = libbpf_num_possible_cpus();
	int probed = sampler_has_probes(s) ? SAMPLER_PROBES * cpus : 0;
	bool off = sampler_wants(s, SAMPLE_OFFCPU),
	     locks = sampler_wants(s, SAMPLE_LOCK);
	__u32 targets = (__u32)sampler_targets_max(s);

	return cpus < 1 || sampler_size_memory_maps(s, cpus) ||
	       sampler_size_areas(s, s->programs->maps.tick_areas,
				  sampler_wants(s, SAMPLE_CPU) ? cpus : 0) ||
	       sampler_size_areas(s, s->programs->maps.switch_areas,
				  off ? cpus : 0) ||
	       sampler_size_areas(s, s->programs->maps.task_areas,
				  off ? 1 : 0) ||
	       sampler_size_areas(s, s->programs->maps.probe_areas, probed) ||
	       bpf_map__set_autocreate(s->programs->maps.probe_busy,
				       probed > 0) ||
	       bpf_map__set_max_entries(s->programs->maps.probe_busy,
					probed ? (__u32)probed : 1) ||
	       bpf_map__set_autocreate(s->programs->maps.switched, off) ||
	       bpf_map__set_max_entries(s->programs->maps.switched,
					s->options.threads ? s->options.threads
							   : SAMPLER_THREADS) ||
	       bpf_map__set_autocreate(s->programs->maps.monitors, locks) ||
	       bpf_map__set_max_entries(s->programs->maps.targets, targets) ||
	       bpf_map__set_max_entries(s->programs->maps.monitors, targets) ||
	       bpf_map__set_max_entries(s->programs->maps.ring,
					(__u32)sampler_ring_bytes(s));
}

/* Chooses the programs of sampler_memory.bpf.h. */
static void sampler_configure_memory(struct sampler *s)
{
	struct sampler_bpf *p = s->programs;
	struct block_probes *b = &s->block_probes;
	bool blocks = sampler_wants(s, SAMPLE_BLOCK);

	*b = (struct block_probes){
		.entries = {
			[MALLOC_OF_SIZE] = p->progs.on_malloc,
			[MALLOC_OF_ARRAY] = p->progs.on_calloc,
			[MALLOC_AGAIN] = p->progs.on_realloc,
			[MALLOC_AGAIN_OR_FIRST] = p->progs.on_realloc_block,
			[MALLOC_ALIGNED] = p->progs.on_memalign,
			[MALLOC_ALIGNED_OUT] = p->progs.on_posix_memalign,
			[MALLOC_MAP] = p->progs.on_mmap,
			[MALLOC_FREE] = p->progs.on_free,
			[MALLOC_UNMAP] = p->progs.on_munmap,
			[MALLOC_PROTECT] = p->progs.on_mprotect,
			[MALLOC_BREAK] = p->progs.on_brk,
			[MALLOC_SAMPLED] = p->progs.on_sampled,
			[MALLOC_SAMPLED_FREE] = p->progs.on_sampled_free,
		},
		.returns = p->progs.on_block_return,
		.usdts = p->maps.usdts,
	};
	p->rodata->block_interval = sampler_block_interval(s);
	for (size_t i = 0; i < MALLOC_FUNCTIONS; i++)
		bpf_program__set_autoload(b->entries[i], blocks);
	bpf_program__set_autoload(b->returns, blocks);
	bpf_program__set_autoload(p->progs.on_fault,
				  sampler_wants(s, SAMPLE_FAULT));
	block_probes_prepare(b);
}

/* Sets the constants that the verifier must know. */
static int sampler_configure(struct sampler *s, struct error *err)
{
	const struct sampler_options *o = &s->options;
	struct sampler_bpf *p = s->programs;

	p->rodata->stack_limit = o->user ? (__u32)o->stack_bytes : 0;
	p->rodata->only_tid = (__u32)o->tid;
	p->rodata->pid_ns = load_own_pid_ns().inode;
	p->bss->wake_bytes = sampler_ring_bytes(s) / 8;
	p->rodata->want_kernel = o->kernel;
	bpf_program__set_autoload(p->progs.on_tick,
				  sampler_wants(s, SAMPLE_CPU));
	bpf_program__set_autoload(p->progs.on_switch,
				  sampler_wants(s, SAMPLE_OFFCPU));
	bpf_program__set_autoload(p->progs.on_task, s->has_task_program);
	bpf_program__set_autoload(p->progs.on_alloc,
				  sampler_wants(s, SAMPLE_ALLOC));
	bpf_program__set_autoload(p->progs.on_lock,
				  sampler_wants(s, SAMPLE_LOCK));
	bpf_program__set_autoload(p->progs.on_probe,
				  sampler_wants(s, SAMPLE_PROBE));
	bpf_program__set_autoload(p->progs.on_exit,
				  sampler_wants(s, SAMPLE_EXIT));
	sampler_configure_memory(s);
	if (o->stack_bytes > SAMPLER_STACK_LIMIT || sampler_size_maps(s))
		return fail(err, ERROR_FAILED,
			    "cannot set the sizes of the BPF maps");
	return 0;
}

/*
 * Opens the programs with a copy of the types that they name, or with all
 * types.
 */
static struct sampler_bpf *sampler_open_programs(int types)
{
	char path[32];
	LIBBPF_OPTS(bpf_object_open_opts, options, .btf_custom_path = path);
	struct sampler_bpf *programs;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", types);
	programs = types < 0 ? NULL : sampler_bpf__open_opts(&options);
	if (programs &&
	    kernel_types_write(types, bpf_object__btf(programs->obj)) == 0)
		return programs;
	sampler_bpf__destroy(programs);
	return sampler_bpf__open();
}

static int sampler_try_programs(struct sampler *s, struct error *err)
{
	int types = memfd_create("types", MFD_CLOEXEC), ret = -1;

	s->programs = sampler_open_programs(types);
	if (!s->programs)
		load_refused("BPF programs", errno, err);
	else if (sampler_configure(s, err) == 0)
		ret = sampler_bpf__load(s->programs)
			      ? load_refused("BPF programs", errno, err)
			      : 0;
	if (types >= 0)
		close(types);
	return ret;
}

/*
 * Loads the programs.  A kernel may reject the program for each task, which is
 * optional.
 */
static int sampler_load_programs(struct sampler *s, struct error *err)
{
	if (load_quietly(err))
		return -1;
	s->has_task_program = sampler_wants(s, SAMPLE_OFFCPU);
	if (sampler_try_programs(s, err) == 0)
		return 0;
	if (!s->has_task_program || err->kind == ERROR_PERMISSION)
		return -1;
	sampler_bpf__destroy(s->programs);
	s->has_task_program = false;
	return sampler_try_programs(s, err);
}

/*
 * Makes the descriptor edge-triggered.  A ring buffer is readable as long as a
 * byte is unread, but a waiting reader must wake only when the programs request
 * it, and then not again before it has read.  If this fails, the reader wakes
 * more often.
 */
static void sampler_wake_once(struct sampler *s)
{
	struct epoll_event edge = { .events = EPOLLIN | EPOLLET };

	epoll_ctl(ring_buffer__epoll_fd(s->ring), EPOLL_CTL_MOD,
		  bpf_map__fd(s->programs->maps.ring), &edge);
}

static int sampler_load(struct sampler *s, struct error *err)
{
	if (sampler_load_programs(s, err))
		return -1;
	s->ring = ring_buffer__new(bpf_map__fd(s->programs->maps.ring),
				   sampler_on_record, s, NULL);
	if (!s->ring)
		return load_refused("BPF ring buffer", errno, err);
	sampler_wake_once(s);
	return 0;
}

struct sampler *sampler_open(const struct sampler_options *o, struct error *err)
{
	struct sampler *s = xcalloc(1, sizeof(*s));

	s->options = *o;
	if (!s->options.fault_period)
		s->options.fault_period = 1;
	s->waits.limit = o->waits_bytes;
	/* Later, an agent is in the JVM already. */
	if (sampler_load(s, err) ||
	    ((sampler_wants(s, SAMPLE_CPU) || sampler_wants(s, SAMPLE_FAULT) ||
	      sampler_has_probes(s)) &&
	     ticks_try(o->hz, err))) {
		sampler_close(s);
		return NULL;
	}
	return s;
}

static void sampler_detach(struct sampler *s)
{
	sigset_t before;

	ticks_close(&s->ticks);
	ticks_close(&s->faults);
	bpf_link__destroy(s->switches);
	s->switches = NULL;
	bpf_link__destroy(s->task_link);
	s->task_link = NULL;
	load_block_signals(&before);
	for (size_t i = 0; i < s->probe_count; i++)
		bpf_link__destroy(s->probes[i].link);
	sigprocmask(SIG_SETMASK, &before, NULL);
	s->probe_count = 0;
	block_probes_detach(&s->block_probes, 0);
}

/* Detaches the probes of a process that has ended. */
static void sampler_detach_probes(struct sampler *s, pid_t pid)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->probe_count; i++) {
		if (s->probes[i].pid == pid)
			bpf_link__destroy(s->probes[i].link);
		else
			s->probes[kept++] = s->probes[i];
	}
	s->probe_count = kept;
}

/* Returns true if the same probe is attached to the process already. */
static bool sampler_has_probe(const struct sampler *s,
			      const struct sampler_link *probe)
{
	for (size_t i = 0; probe->dev && i < s->probe_count; i++) {
		const struct sampler_link *l = &s->probes[i];

		if (l->kind == probe->kind && l->pid == probe->pid &&
		    l->dev == probe->dev && l->ino == probe->ino &&
		    l->offset == probe->offset)
			return true;
	}
	return false;
}

void sampler_close(struct sampler *s)
{
	if (!s)
		return;
	sampler_detach(s);
	block_probes_release(&s->block_probes);
	free(s->probes);
	ring_buffer__free(s->ring);
	sampler_bpf__destroy(s->programs);
	waits_release(&s->waits);
	free(s);
}

int sampler_add(struct sampler *s, pid_t pid, struct error *err)
{
	__u64 since = (__u64)clock_monotonic_ns();
	__u32 key = (__u32)pid;

	if (bpf_map_update_elem(bpf_map__fd(s->programs->maps.targets), &key,
				&since, BPF_ANY) == 0)
		return 0;
	return errno == E2BIG
		       ? fail(err, ERROR_UNAVAILABLE,
			      "%d: cannot sample more than %zu processes",
			      (int)pid, sampler_targets_max(s))
		       : fail_sys(err, ERROR_FAILED, "cannot sample %d",
				  (int)pid);
}

void sampler_remove(struct sampler *s, pid_t pid)
{
	__u32 key = (__u32)pid;

	bpf_map_delete_elem(bpf_map__fd(s->programs->maps.targets), &key);
	if (sampler_wants(s, SAMPLE_LOCK))
		bpf_map_delete_elem(bpf_map__fd(s->programs->maps.monitors),
				    &key);
	sampler_detach_probes(s, pid);
	block_probes_detach(&s->block_probes, pid);
}

void sampler_stack_end(struct sampler *s, pid_t tid, uint64_t end)
{
	int map = bpf_map__fd(s->programs->maps.stack_ends);
	struct known_stack known = { .end = end };
	__u32 key = (__u32)tid;

	bpf_map_update_elem(map, &key, &known, BPF_ANY);
}

int sampler_probe(struct sampler *s, enum sample_kind kind, pid_t pid,
		  const char *path, uint64_t offset, uint64_t semaphore,
		  struct error *err)
{
	LIBBPF_OPTS(bpf_uprobe_opts, options, .ref_ctr_offset = semaphore);
	struct bpf_program *program = kind == SAMPLE_LOCK
					      ? s->programs->progs.on_lock
				      : kind == SAMPLE_EXIT
					      ? s->programs->progs.on_exit
				      : kind == SAMPLE_PROBE
					      ? s->programs->progs.on_probe
					      : s->programs->progs.on_alloc;
	struct sampler_link probe = { .kind = kind,
				      .pid = pid,
				      .offset = offset };
	struct stat file;
	sigset_t before;

	if (!sampler_wants(s, kind))
		return fail(err, ERROR_FAILED,
			    "%d: this kind of probe was not loaded", (int)pid);
	if (procfs_identify(AT_FDCWD, path, &file)) {
		probe.dev = file.st_dev;
		probe.ino = file.st_ino;
	}
	/* A second probe would count each call twice. */
	if (sampler_has_probe(s, &probe))
		return 0;
	load_block_signals(&before);
	probe.link = bpf_program__attach_uprobe_opts(program, pid, path, offset,
						     &options);
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (!probe.link) {
		struct proc_status target;
		int sys = errno;

		if (sys == ESRCH || sys == ENOENT)
			return fail(err, ERROR_NO_TARGET,
				    "%d: the process has exited", (int)pid);
		load_refused_uprobe(procfs_status(pid, &target, err)
					    ? geteuid()
					    : target.fs_uid,
				    sys, err);
		return fail_in(err, "%d", (int)pid);
	}
	array_add(s->probes, s->probe_count, s->probe_cap, probe);
	return 0;
}

int sampler_probe_blocks(struct sampler *s, pid_t pid, const char *path,
			 const struct malloc_point *point, struct error *err)
{
	return sampler_wants(s, SAMPLE_BLOCK)
		       ? block_probes_attach(&s->block_probes, pid, path, point,
					     err)
		       : fail(err, ERROR_FAILED,
			      "%d: this kind of probe was not loaded",
			      (int)pid);
}

void sampler_count_calls(const struct sampler *s, struct sampler_calls *calls)
{
	int cpus = libbpf_num_possible_cpus();
	struct block_calls *all = xcalloc(cpus > 0 ? (size_t)cpus : 1,
					  sizeof(*all));
	__u32 key = 0;

	*calls = (struct sampler_calls){ 0 };
	if (cpus > 0 &&
	    bpf_map_lookup_elem(bpf_map__fd(s->programs->maps.block_calls),
				&key, all))
		cpus = 0;
	for (int i = 0; i < cpus; i++) {
		calls->allocations += all[i].allocations;
		calls->frees += all[i].frees;
		calls->maps += all[i].maps;
	}
	calls->maps_cost_ns = block_probes_cost_of_maps(calls->maps);
	calls->cost_ns = calls->maps_cost_ns +
			 block_probes_cost(&s->block_probes, calls->allocations,
					   calls->frees);
	free(all);
}

void sampler_end_blocks(struct sampler *s)
{
	block_probes_detach(&s->block_probes, 0);
}

void sampler_keep_maps(struct sampler *s)
{
	block_probes_keep_maps(&s->block_probes);
}

bool sampler_block_is_live(const struct sampler *s,
			   const struct sampler_block *b, uint64_t time_ns)
{
	__u64 since;

	return bpf_map_lookup_elem(bpf_map__fd(s->programs->maps.blocks), b,
				   &since) == 0 &&
	       since == time_ns;
}

void sampler_forget_block(struct sampler *s, const struct sampler_block *b)
{
	bpf_map_delete_elem(bpf_map__fd(s->programs->maps.blocks), b);
}

int sampler_read_owners(struct sampler *s, pid_t pid,
			const struct sampler_monitors *m, struct error *err)
{
	__u32 key = (__u32)pid;

	if (sampler_wants(s, SAMPLE_LOCK) &&
	    bpf_map_update_elem(bpf_map__fd(s->programs->maps.monitors), &key,
				m, BPF_ANY))
		return fail_sys(err, ERROR_FAILED,
				"%d: cannot read the owners of monitors",
				(int)pid);
	return 0;
}

void sampler_set_anchor(struct sampler *s, pid_t tid, uint64_t address)
{
	__u32 key = (__u32)tid;
	__u64 at = address;

	bpf_map_update_elem(bpf_map__fd(s->programs->maps.anchors), &key, &at,
			    BPF_ANY);
}

int sampler_start(struct sampler *s, struct error *err)
{
	s->stopped_ns = 0;
	s->programs->bss->started_ns = (__u64)clock_monotonic_ns();
	if (sampler_wants(s, SAMPLE_CPU) &&
	    ticks_open(&s->ticks, s->programs->progs.on_tick, s->options.hz,
		       err))
		return -1;
	if (sampler_wants(s, SAMPLE_FAULT) &&
	    ticks_open_faults(&s->faults, s->programs->progs.on_fault,
			      s->options.fault_period, err)) {
		sampler_detach(s);
		return -1;
	}
	if (sampler_wants(s, SAMPLE_OFFCPU)) {
		s->switches = bpf_program__attach(s->programs->progs.on_switch);
		if (!s->switches) {
			load_refused("sched_switch", errno, err);
			sampler_detach(s);
			return -1;
		}
	}
	return 0;
}

void sampler_stop_ticks(struct sampler *s) { ticks_close(&s->ticks); }

int sampler_start_ticks(struct sampler *s, unsigned hz, struct error *err)
{
	s->options.hz = hz;
	return sampler_wants(s, SAMPLE_CPU)
		       ? ticks_open(&s->ticks, s->programs->progs.on_tick, hz,
				    err)
		       : 0;
}

int64_t sampler_stop(struct sampler *s)
{
	/* Detaching may take seconds, while waits begin and end. */
	ticks_close(&s->ticks);
	ticks_close(&s->faults);
	bpf_link__destroy(s->switches);
	s->switches = NULL;
	/* Probes that are still attached take no samples. */
	__atomic_store_n(&s->programs->bss->started_ns, 0, __ATOMIC_RELAXED);
	s->stopped_ns = clock_monotonic_ns();
	sampler_detach(s);
	return s->stopped_ns;
}

void sampler_wake(struct sampler *s, bool each)
{
	__u64 bytes = each ? 0 : sampler_ring_bytes(s) / 8;

	__atomic_store_n(&s->programs->bss->wake_bytes, bytes,
			 __ATOMIC_RELAXED);
}

int sampler_fd(const struct sampler *s)
{
	return ring_buffer__epoll_fd(s->ring);
}

static uint64_t sampler_lost(const struct sampler *s)
{
	return __atomic_load_n(&s->programs->bss->lost, __ATOMIC_RELAXED) +
	       s->waits.dropped;
}

/* The threads that the programs listed as off their CPUs at a time. */
struct sampler_listed {
	struct waits_off_cpu *all; /* NULL = not listed */
	size_t count;
	uint64_t at_ns;
};

/* Returns true if off-CPU records were lost since the last call. */
static bool sampler_has_lost_switches(struct sampler *s)
{
	const struct sampler_bpf__bss *b = s->programs->bss;
	uint64_t leaves = __atomic_load_n(&b->lost_leaves, __ATOMIC_RELAXED);
	uint64_t returns = __atomic_load_n(&b->lost_returns, __ATOMIC_RELAXED);
	bool has = leaves != s->lost_leaves || returns != s->lost_returns;

	s->lost_leaves = leaves;
	s->lost_returns = returns;
	return has;
}

/*
 * Lists the threads that are off their CPUs if records were lost since the last
 * call: other threads wait no longer.  Counts those whose sample was lost.
 */
static struct sampler_listed sampler_list_off_cpu(struct sampler *s)
{
	int map = bpf_map__fd(s->programs->maps.switched);
	struct sampler_listed l = { .at_ns = (uint64_t)clock_monotonic_ns() };
	struct switched_out out;
	size_t cap = 0;
	__u32 key, next;
	bool has_next;

	if (!sampler_wants(s, SAMPLE_OFFCPU) ||
	    !(sampler_has_lost_switches(s) || s->hidden))
		return l;
	s->hidden = 0;
	array_reserve(l.all, cap, 1);
	has_next = bpf_map_get_next_key(map, NULL, &next) == 0;
	/* The keys change meanwhile, so that their list may start again. */
	while (has_next && l.count < 2 * (size_t)SAMPLER_THREADS) {
		key = next;
		if (bpf_map_lookup_elem(map, &key, &out) == 0) {
			s->hidden += !out.is_sent;
			array_add(
				l.all, l.count, cap,
				(struct waits_off_cpu){ out.tid, out.out_ns });
		}
		has_next = bpf_map_get_next_key(map, &key, &next) == 0;
	}
	qsort(l.all, l.count, sizeof(*l.all), waits_compare);
	return l;
}

/* Removes waits that may have ended because a record was lost. */
static void sampler_check_waits(struct sampler *s, struct sampler_listed *l)
{
	uint64_t entries = __atomic_load_n(&s->programs->bss->lost_entries,
					   __ATOMIC_RELAXED);

	if (l->all)
		waits_keep_off_cpu(&s->waits, l->all, l->count, l->at_ns);
	free(l->all);
	/* No map lists the waits for monitors. */
	if (entries != s->lost_entries)
		waits_forget_locks(&s->waits);
	s->lost_entries = entries;
}

struct sampler_cut {
	struct sampler *sampler;
	sampler_part_fn *part;
	void *self;
};

static bool sampler_on_part(void *self, struct wait *wait)
{
	const struct sampler_cut *cut = self;
	const uint64_t *kernel = (const uint64_t *)(&wait->event + 1);

	return cut->part(cut->self, &wait->event, kernel,
			 (const uint8_t *)(kernel + wait->event.kernel_frames));
}

void sampler_each_known_wait(struct sampler *s,
			     void (*fn)(void *self, struct sample_event *e),
			     void *self)
{
	waits_each_known(&s->waits, fn, self);
}

void sampler_forget_waits(struct sampler *s, pid_t pid)
{
	waits_forget_process(&s->waits, (uint32_t)pid);
}

void sampler_begin_earlier(struct sampler *s, const struct sample_event *e)
{
	waits_begin_earlier(&s->waits, e);
}

bool sampler_has_wait(struct sampler *s, pid_t tid)
{
	return waits_find(&s->waits, (uint32_t)tid);
}

/* Hands over the unread samples; false if the receiver wants no more. */
static bool sampler_consume(struct sampler *s, sampler_sink_fn *sink,
			    void *self)
{
	struct epoll_event woken;

	s->sink = sink;
	s->self = self;
	s->read = 0;
	epoll_wait(ring_buffer__epoll_fd(s->ring), &woken, 1, 0);
	ticks_tend(&s->ticks);
	ticks_tend(&s->faults);
	return ring_buffer__consume(s->ring) >= 0;
}

size_t sampler_read(struct sampler *s, sampler_sink_fn *sink, void *self)
{
	sampler_consume(s, sink, self);
	return s->read;
}

uint64_t sampler_cut(struct sampler *s, sampler_sink_fn *sink,
		     sampler_part_fn *part, void *self)
{
	/* Before the read: the end of a wait that is not listed is read. */
	struct sampler_listed listed = sampler_list_off_cpu(s);
	struct sampler_cut cut = { s, part, self };
	uint64_t at_ns = (uint64_t)(s->stopped_ns ? s->stopped_ns
						  : clock_monotonic_ns());

	/* Ends that are unread are later than all that was read. */
	if (!sampler_consume(s, sink, self))
		at_ns = s->last_ns;
	sampler_check_waits(s, &listed);
	waits_cut(&s->waits, at_ns, sampler_on_part, &cut);
	return at_ns;
}

/*
 * Hands over the complete records in a buffer and moves the rest, an incomplete
 * record, to its start.  Returns the length of the rest.
 */
static size_t sampler_read_sleeper_records(uint8_t *bytes, size_t len,
					   sampler_sink_fn *sink, void *self)
{
	const struct sample_event *e = (const void *)bytes;
	size_t at = 0, size;

	while (len - at >= sizeof(*e)) {
		e = (const void *)(bytes + at);
		if (e->kernel_frames > SAMPLER_WALK_FRAMES)
			return 0;
		size = sizeof(*e) + e->kernel_frames * sizeof(uint64_t);
		if (len - at < size)
			break;
		sink(self, e, (const uint64_t *)(e + 1), NULL);
		at += size;
	}
	memmove(bytes, bytes + at, len - at);
	return len - at;
}

int sampler_read_sleepers(struct sampler *s, sampler_sink_fn *sink, void *self,
			  struct error *err)
{
	const struct bpf_program *program = s->programs->progs.on_task;
	uint64_t words[8192];
	uint8_t *bytes = (uint8_t *)words;
	size_t len = 0;
	ssize_t got;
	int fd;

	if (!s->task_link && s->has_task_program)
		s->task_link = bpf_program__attach_iter(program, NULL);
	fd = s->task_link ? bpf_iter_create(bpf_link__fd(s->task_link)) : -1;
	if (fd < 0)
		return load_refused("BPF programs for each task", errno, err);
	while ((got = read(fd, bytes + len, sizeof(words) - len)) > 0)
		len = sampler_read_sleeper_records(bytes, len + (size_t)got,
						   sink, self);
	close(fd);
	return 0;
}

/*
 * Adds the runs of a program since it was loaded.  Returns the number of calls
 * that the kernel skipped.
 */
static uint64_t sampler_add_runs(const struct bpf_program *program,
				 struct sampler_counts *counts)
{
	struct bpf_prog_info info = { 0 };
	__u32 size = sizeof(info);
	int fd = bpf_program__fd(program);

	if (fd < 0 || bpf_obj_get_info_by_fd(fd, &info, &size))
		return 0;
	counts->runs += info.run_cnt;
	counts->runs_ns += info.run_time_ns;
	return info.recursion_misses;
}

static uint64_t sampler_unsure(const struct sampler *s)
{
	return s->waits.unsure +
	       __atomic_load_n(&s->programs->bss->unsure, __ATOMIC_RELAXED);
}

bool sampler_has_lost(const struct sampler *s, const struct sampler_counts *c)
{
	return sampler_lost(s) != c->lost || sampler_unsure(s) != c->unsure;
}

void sampler_counts(const struct sampler *s, struct sampler_counts *counts)
{
	const struct sampler_bpf *p = s->programs;

	*counts = (struct sampler_counts){
		.taken = __atomic_load_n(&p->bss->taken, __ATOMIC_RELAXED),
		.lost = sampler_lost(s),
		.unended = s->waits.unended,
		.ended = s->waits.ended,
		.hidden = s->hidden,
		.unsure = sampler_unsure(s),
	};
	sampler_add_runs(p->progs.on_tick, counts);
	counts->skipped = sampler_add_runs(p->progs.on_switch, counts);
	sampler_add_runs(p->progs.on_alloc, counts);
	sampler_add_runs(p->progs.on_lock, counts);
	sampler_add_runs(p->progs.on_probe, counts);
	sampler_add_runs(p->progs.on_exit, counts);
	sampler_add_runs(p->progs.on_fault, counts);
}

const char *sampler_clock(const struct sampler *s)
{
	return ticks_clock(&s->ticks);
}
