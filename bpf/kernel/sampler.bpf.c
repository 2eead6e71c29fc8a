/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/*
 * The programs that run in the kernel.  Each checks whether the thread belongs
 * to a target, builds a sample in a scratch area, and sends the used part of it
 * to the ring buffer.
 *
 * A ring buffer reserves only records of constant size, so each sample would
 * take the space of the largest; copying the used part costs less.
 */
#include "bpf/kernel/kernel.bpf.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <stdbool.h>

#include "bpf/kernel/sample_event.h"
#include "bpf/kernel/sampler_maps.h"

#define UNKNOWN_END (1ULL << 63)

/* Prevents optimizations whose result the verifier cannot follow. */
#define opaque(x) asm volatile("" : "+r"(x))

/* Set before loading; constants to the verifier. */
const volatile __u32 stack_limit; /* maximum bytes of the user's stack */
const volatile __u32 only_tid;    /* 0 = all */
const volatile __u32
	pid_ns; /* inode of the sampler's namespace; 0 = the initial one */
const volatile bool want_kernel;

/*
 * The sampler reads these as they grow, and writes started_ns when it starts.
 */
__u64 taken, lost, started_ns;
/* Parts of `lost`: beginnings of waits, returns to a CPU, entered monitors. */
__u64 lost_leaves, lost_returns, lost_entries;
__u64 wake_bytes; /* number of unread bytes that wakes the reader */
/*
 * When a thread last had no room in `switched`: a thread that is missing there
 * may be off its CPU since then.  Waits whose beginning is unknown for this
 * reason are counted in `unsure`.
 */
__u64 switched_full_ns, unsure;

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, SAMPLER_RING_BYTES);
} ring SEC(".maps");

/*
 * Processes by the sampler's PIDs, with the time since when they are sampled.
 */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, SAMPLER_TARGETS);
	__type(key, __u32);
	__type(value, __u64);
} targets SEC(".maps");

/* The stacks of threads; a full map drops the least recently used thread. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, SAMPLER_STACK_ENDS);
	__type(key, __u32);
	__type(value, struct known_stack);
} stack_ends SEC(".maps");

/*
 * The addresses of JavaFrameAnchors by the sampler's TID, of threads in a JVM
 * with native code that cannot be unwound.
 */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, SAMPLER_STACK_ENDS);
	__type(key, __u32);
	__type(value, __u64);
} anchors SEC(".maps");

/* Threads that are off-CPU, by their TID in the initial PID namespace. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, SAMPLER_THREADS);
	__type(key, __u32);
	__type(value, struct switched_out);
} switched SEC(".maps");

/*
 * Scratch areas, by CPU.  Each kind of program has its own, since one may
 * interrupt another.  Declared with the maximum size.
 */
struct area {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(struct scratch));
};
struct area tick_areas SEC(".maps"), switch_areas SEC(".maps"),
	probe_areas SEC(".maps"), task_areas SEC(".maps");

/*
 * The entries of probe_areas in use.  Adding an entry that must not exist is
 * atomic; atomic instructions exist only since Linux 5.12.
 */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} probe_busy SEC(".maps");

/* The path from a thread to the owner of the monitor that it waits for. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, SAMPLER_TARGETS);
	__type(key, __u32);
	__type(value, struct sampler_monitors);
} monitors SEC(".maps");

struct identity {
	__u32 tgid, tid;
};

/*
 * Returns a task's number in the sampler's PID namespace; 0 = it has none
 * there.
 */
static __always_inline __u32 task_number(struct task_struct *task)
{
	struct pid *pid = BPF_CORE_READ(task, thread_pid);
	__u32 level = BPF_CORE_READ(pid, level);
	const void *numbers = (void *)pid +
			      bpf_core_field_offset(struct pid, numbers);
	struct pid_namespace *ns;
	const struct upid *at;

	for (__u32 i = 0; i <= KERNEL_PID_LEVELS && i <= level; i++) {
		at = numbers + i * bpf_core_type_size(struct upid);
		ns = BPF_CORE_READ(at, ns);
		if (BPF_CORE_READ(ns, ns.inum) == pid_ns)
			return (__u32)BPF_CORE_READ(at, nr);
	}
	return 0;
}

static __always_inline struct identity task_identify(struct task_struct *task)
{
	struct identity id;

	if (pid_ns) {
		id.tgid = task_number(BPF_CORE_READ(task, group_leader));
		id.tid = task_number(task);
	} else {
		id.tgid = (__u32)BPF_CORE_READ(task, tgid);
		id.tid = (__u32)BPF_CORE_READ(task, pid);
	}
	return id;
}

/*
 * Returns the time since when the thread is sampled; NULL = it is not.  A
 * process that started later has the PID of a target that has ended.
 */
static __always_inline __u64 *target_since(struct identity id,
					   struct task_struct *task)
{
	__u64 *since;

	if (only_tid && id.tid != only_tid)
		return NULL;
	since = bpf_map_lookup_elem(&targets, &id.tgid);
	if (!since || BPF_CORE_READ(task, group_leader, start_time) > *since)
		return NULL;
	return since;
}

/*
 * Sends a record to the ring buffer.  Waking the reader for each record would
 * take threads off their CPUs, which would cause more records.
 */
static __always_inline long ring_put(void *record, __u32 size)
{
	__u64 flags = bpf_ringbuf_query(&ring, BPF_RB_AVAIL_DATA) >= wake_bytes
			      ? BPF_RB_FORCE_WAKEUP
			      : BPF_RB_NO_WAKEUP;

	return bpf_ringbuf_output(&ring, record, size, flags);
}

/* Linux 5.15 and later; earlier kernels need other ways. */
#define HAS_TASK_HELPERS                                                       \
	bpf_core_enum_value_exists(enum bpf_func_id___5_15,                    \
				   BPF_FUNC_task_pt_regs___5_15)

#define HAS_COOKIES                                                            \
	bpf_core_enum_value_exists(enum bpf_func_id___5_15,                    \
				   BPF_FUNC_get_attach_cookie___5_15)

static __always_inline struct task_struct *task_current(void)
{
	if (HAS_TASK_HELPERS)
		return bpf_get_current_task_btf();
	return (struct task_struct *)bpf_get_current_task();
}

/* Reads the user registers of a task that is in the kernel. */
static __always_inline void registers_read_user(struct sample_event *e,
						struct task_struct *task)
{
	struct pt_regs___kernel *r;

	if (HAS_TASK_HELPERS)
		r = (struct pt_regs___kernel *)bpf_task_pt_regs(task);
	else
		r = BPF_CORE_READ(task, stack) + KERNEL_STACK_BYTES -
		    bpf_core_type_size(struct pt_regs___kernel);
	opaque(r);
	e->regs[SAMPLE_IP] = BPF_CORE_READ(r, ip);
	e->regs[SAMPLE_SP] = BPF_CORE_READ(r, sp);
	e->regs[SAMPLE_BP] = BPF_CORE_READ(r, bp);
	e->regs[SAMPLE_BX] = BPF_CORE_READ(r, bx);
	e->regs[SAMPLE_R12] = BPF_CORE_READ(r, r12);
	e->regs[SAMPLE_R13] = BPF_CORE_READ(r, r13);
	e->regs[SAMPLE_R14] = BPF_CORE_READ(r, r14);
	e->regs[SAMPLE_R15] = BPF_CORE_READ(r, r15);
	e->regs[SAMPLE_AX] = BPF_CORE_READ(r, ax);
}

/*
 * Reads the registers of a task that is in the kernel and may have no user
 * registers.
 */
static __always_inline void registers_read_in_kernel(struct sample_event *e,
						     struct task_struct *task)
{
	e->flags |= SAMPLE_IN_KERNEL;
	if (BPF_CORE_READ(task, mm))
		registers_read_user(e, task);
	else
		e->flags |= SAMPLE_NO_USER;
}

/* A macro, since the verifier depends on the type of the context. */
#define registers_copy(e, r)                                                   \
	do {                                                                   \
		(e)->regs[SAMPLE_IP] = (r)->rip;                               \
		(e)->regs[SAMPLE_SP] = (r)->rsp;                               \
		(e)->regs[SAMPLE_BP] = (r)->rbp;                               \
		(e)->regs[SAMPLE_BX] = (r)->rbx;                               \
		(e)->regs[SAMPLE_R12] = (r)->r12;                              \
		(e)->regs[SAMPLE_R13] = (r)->r13;                              \
		(e)->regs[SAMPLE_R14] = (r)->r14;                              \
		(e)->regs[SAMPLE_R15] = (r)->r15;                              \
		(e)->regs[SAMPLE_AX] = (r)->rax;                               \
	} while (0)

/* Returns the number of bytes from SP to the stack's end, or UNKNOWN_END. */
static __always_inline __u64 stack_length(struct sample_event *e)
{
	struct known_stack *known = bpf_map_lookup_elem(&stack_ends, &e->tid);

	return known && known->end > e->regs[SAMPLE_SP]
		       ? known->end - e->regs[SAMPLE_SP]
		       : UNKNOWN_END;
}

/*
 * Adds `part` bytes to the copy, or fewer if fewer are wanted.  Adds none if
 * the copy would be too large or some bytes cannot be read without waiting.
 *
 * The number of copied bytes is kept in memory, whose contents the verifier
 * ignores: it would explore all possible values, too many for it.  Before Linux
 * 6.8, the verifier learns bounds only from comparisons with constants: cap is
 * a constant, and part is at most cap.
 */
static __always_inline void stack_copy_part(struct scratch *s, __u32 offset,
					    __u32 wanted, __u32 part, __u32 cap)
{
	struct sample_event *e = &s->event;
	volatile __u32 *copied = &e->stack_bytes;
	__u32 done = *copied, most = stack_limit + PAGE_BYTES;

	if (offset > SAMPLER_ARRAYS || cap > most || done > most - cap ||
	    done >= wanted)
		return;
	if (wanted - done < part)
		part = wanted - done;
	opaque(part);
	if (part > cap)
		return;
	if (bpf_probe_read_user(s->bytes + offset + done, part,
				(void *)(e->regs[SAMPLE_SP] + done)) == 0)
		*copied = done + part;
}

/*
 * Copies the stack, usually at once.  If that fails, copies up to the first
 * page that cannot be read: the rest of the first page, and then half of the
 * possible remainder each time, down to a page, of which there may be one more.
 */
static __always_inline void stack_copy(struct scratch *s, __u32 offset)
{
	struct sample_event *e = &s->event;
	volatile __u32 *copied = &e->stack_bytes;
	__u64 from = e->regs[SAMPLE_SP];
	__u64 there = stack_length(e);
	__u32 wanted = there < stack_limit ? (__u32)there : stack_limit;

	stack_copy_part(s, offset, wanted, stack_limit, stack_limit);
	if (!*copied) {
		__u32 first = PAGE_BYTES - (from & (PAGE_BYTES - 1));

		stack_copy_part(s, offset, wanted, first, PAGE_BYTES);
		for (__u32 part = SAMPLER_STACK_LIMIT / 2;
		     *copied && part >= PAGE_BYTES; part /= 2)
			stack_copy_part(s, offset, wanted, part, part);
		if (*copied)
			stack_copy_part(s, offset, wanted, PAGE_BYTES,
					PAGE_BYTES);
	}
	/* If the end is unknown, it is assumed to be where reading failed. */
	if (*copied == stack_limit || (there < UNKNOWN_END && *copied < there))
		e->flags |= SAMPLE_STACK_CUT;
}

/* Copies the first bytes of a stack, if all of them can be read. */
static __always_inline void stack_copy_glance(struct scratch *s)
{
	struct sample_event *e = &s->event;
	__u64 there = stack_length(e);
	__u32 wanted = there < SAMPLE_GLANCE ? (__u32)there : SAMPLE_GLANCE;

	if (!(e->flags & SAMPLE_NO_USER))
		stack_copy_part(s, 0, wanted, SAMPLE_GLANCE, SAMPLE_GLANCE);
}

/* Stores the kernel's stack and returns its number of addresses. */
static __always_inline __u32 stack_walk_kernel(void *ctx, struct scratch *s)
{
	long bytes = bpf_get_stack(ctx, s->bytes, SAMPLER_WALK_BYTES, 0);

	return bytes < 0 ? 0 : (__u32)bytes / sizeof(__u64);
}

/* The thread is current, so that the anchor belongs to the copied stack. */
static __always_inline void sample_read_anchor(struct sample_event *e)
{
	__u64 *at = bpf_map_lookup_elem(&anchors, &e->tid);

	if (at &&
	    bpf_probe_read_user(e->anchor, sizeof(e->anchor), (void *)*at) == 0)
		e->flags |= SAMPLE_HAS_ANCHOR;
}

/* Completes and sends a sample that has its registers and flags. */
static __always_inline long sample_send(void *ctx, struct scratch *s)
{
	struct sample_event *e = &s->event;
	__u32 size = 0;
	long status;

	e->kernel_frames = 0;
	e->stack_bytes = 0;
	bpf_get_current_comm(e->comm, sizeof(e->comm));
	sample_read_anchor(e);
	if (e->flags & SAMPLE_LEFT_OUT) {
		stack_copy_glance(s);
		size = e->stack_bytes;
		goto out;
	}
	if (want_kernel && e->flags & SAMPLE_IN_KERNEL) {
		e->kernel_frames = stack_walk_kernel(ctx, s);
		size = e->kernel_frames * sizeof(__u64);
	}
	if (!(e->flags & SAMPLE_NO_USER) && stack_limit) {
		stack_copy(s, size);
		size += e->stack_bytes;
	}
out:
	size += sizeof(*e);
	opaque(size);
	if (size > sizeof(*e) + SAMPLER_ARRAYS + stack_limit)
		return -1;
	status = ring_put(&s->event, size);
	__sync_fetch_and_add(status == 0 ? &taken : &lost, 1);
	return status;
}

static __always_inline void sample_begin(struct sample_event *e,
					 struct identity id, __u16 kind,
					 __u64 weight)
{
	e->time_ns = bpf_ktime_get_ns();
	e->weight = weight;
	e->tgid = id.tgid;
	e->tid = id.tid;
	e->kind = kind;
	e->flags = 0;
	e->stack = 0;
	e->object[0] = e->object[1] = e->owner = e->monitor = 0;
}

/* Returns this CPU's area for a sample of a target; NULL = there is none. */
static __always_inline struct scratch *
area_of_cpu(void *areas, struct identity id, struct task_struct *task)
{
	__u32 cpu = bpf_get_smp_processor_id();
	struct scratch *s;

	if (!target_since(id, task))
		return NULL;
	s = bpf_map_lookup_elem(areas, &cpu);
	if (!s)
		__sync_fetch_and_add(&lost, 1);
	return s;
}

/* Completes and sends a sample of an event that interrupts a thread. */
static __always_inline long sample_interrupt(struct bpf_perf_event_data *ctx,
					     struct task_struct *task,
					     struct scratch *s)
{
	if (ctx->regs.cs & 3)
		registers_copy(&s->event, &ctx->regs);
	else
		registers_read_in_kernel(&s->event, task);
	return sample_send(ctx, s);
}

SEC("perf_event")
int on_tick(struct bpf_perf_event_data *ctx)
{
	struct task_struct *task = task_current();
	struct identity id = task_identify(task);
	struct scratch *s = area_of_cpu(&tick_areas, id, task);

	if (!s)
		return 0;
	sample_begin(&s->event, id, SAMPLE_CPU, 1);
	sample_interrupt(ctx, task, s);
	return 0;
}

/* Returns the state of a task, as far as this kernel shows it; 0 = runnable. */
static __always_inline __u64 task_state(struct task_struct *task)
{
	struct task_struct___5_13 *older = (void *)task;

	return bpf_core_field_exists(task->__state)
		       ? BPF_CORE_READ(task, __state)
		       : (__u64)BPF_CORE_READ(older, state);
}

/*
 * Returns whether a task that leaves its CPU was runnable; -1 = it has
 * ended. The tracepoint's own prev_state (since 5.18) tells no more: a waker
 * sets TASK_WAKING in the meantime, which is not 0 either, and TASK_RUNNING
 * only after the task has left.
 */
static __always_inline int task_is_preempted(struct task_struct *task,
					     bool preempt)
{
	__u64 state = task_state(task);

	if (state & KERNEL_TASK_DEAD)
		return -1;
	return preempt || state == 0;
}

/* Returns true if the thread has rarely left its CPU recently. */
static __always_inline bool thread_waits_rarely(struct sample_event *e)
{
	struct known_stack *known = bpf_map_lookup_elem(&stack_ends, &e->tid);
	struct known_stack fresh = { .began_ns = e->time_ns };

	if (!known) {
		bpf_map_update_elem(&stack_ends, &e->tid, &fresh, BPF_NOEXIST);
		return true;
	}
	if (e->time_ns - known->began_ns >= SAMPLER_PACE_NS) {
		known->began_ns = e->time_ns;
		known->count = 0;
	}
	return known->count++ < SAMPLER_PACE_THREAD;
}

/*
 * Decides whether a thread's stack is copied.  The choice is random: in a
 * thread that waits at two places in turn, each second wait is always at the
 * same place.  Threads that wait rarely are preferred, since they wait for
 * long.
 */
static __always_inline bool pace_allows(struct pace *p, struct sample_event *e)
{
	__u64 there = stack_length(e);

	if (e->time_ns - p->began_ns >= SAMPLER_PACE_NS) {
		p->stride = p->count / SAMPLER_PACE_COUNT + 1;
		p->count = 0;
		p->began_ns = e->time_ns;
	}
	p->count += there <= SAMPLER_PACE_SMALL ? 1 : SAMPLER_PACE_LARGE;
	return (thread_waits_rarely(e) && p->stride < SAMPLER_PACE_MOST) ||
	       p->stride <= 1 || bpf_get_prandom_u32() % p->stride == 0;
}

/*
 * Samples a thread that leaves its CPU.  It is still current, so its
 * stack can be read.
 */
static __always_inline void thread_leaves(void *ctx, struct task_struct *task,
					  int preempted)
{
	struct identity id = task_identify(task);
	__u32 cpu = bpf_get_smp_processor_id();
	struct switched_out out = { 0 };
	__u32 key = (__u32)task->pid;
	struct scratch *s;

	if (!target_since(id, task))
		return;
	s = bpf_map_lookup_elem(&switch_areas, &cpu);
	if (!s) {
		switched_full_ns = bpf_ktime_get_ns();
		__sync_fetch_and_add(&lost, 1);
		return;
	}
	sample_begin(&s->event, id, SAMPLE_OFFCPU, 0);
	registers_read_in_kernel(&s->event, task);
	if (preempted)
		s->event.flags |= SAMPLE_PREEMPTED;
	if (stack_limit && !pace_allows(&s->pace, &s->event))
		s->event.flags |= SAMPLE_LEFT_OUT;
	out.is_sent = true;
	out.out_ns = s->event.time_ns;
	out.tgid = id.tgid;
	out.tid = id.tid;
	/* Without an entry, the end of the wait would be lost. */
	if (bpf_map_update_elem(&switched, &key, &out, BPF_ANY)) {
		switched_full_ns = out.out_ns;
		__sync_fetch_and_add(&lost, 1);
		return;
	}
	if (sample_send(ctx, s)) {
		__sync_fetch_and_add(&lost_leaves, 1);
		out.is_sent = false;
		bpf_map_update_elem(&switched, &key, &out, BPF_ANY);
	}
}

/*
 * Samples a thread that returns to a CPU and is seen for the first time.
 * It was off its CPU since before sampling began, unless it is new or had no
 * room in `switched` when it left.  It is not current yet, so its user stack
 * cannot be read.
 */
static __always_inline void thread_returns_first(struct task_struct *task)
{
	__u32 cpu = bpf_get_smp_processor_id();
	struct identity id = task_identify(task);
	__u64 *since = target_since(id, task);
	struct sample_event *e;
	struct scratch *s;
	__u64 from;
	long bytes = 0;

	if (!since)
		return;
	from = *since > started_ns ? *since : started_ns;
	if (BPF_CORE_READ(task, start_time) >= from)
		return;
	s = bpf_map_lookup_elem(&switch_areas, &cpu);
	if (!s || switched_full_ns >= from) {
		__sync_fetch_and_add(&unsure, 1);
		return;
	}
	e = &s->event;
	sample_begin(e, id, SAMPLE_OFFCPU, 0);
	e->weight = e->time_ns - from;
	e->time_ns = from;
	e->flags = SAMPLE_BEGAN_EARLIER;
	registers_read_in_kernel(e, task);
	bpf_probe_read_kernel_str(e->comm, sizeof(e->comm), task->comm);
	if (want_kernel && HAS_TASK_HELPERS)
		bytes = bpf_get_task_stack(task, s->bytes, SAMPLER_WALK_BYTES,
					   0);
	if (bytes < 0)
		bytes = 0;
	e->kernel_frames = (__u32)bytes / sizeof(__u64);
	e->stack_bytes = 0;
	if (ring_put(e, sizeof(*e) + (__u32)bytes))
		__sync_fetch_and_add(&lost, 1);
	else
		__sync_fetch_and_add(&taken, 1);
}

static __always_inline void thread_returns(struct task_struct *task)
{
	__u32 key = (__u32)task->pid;
	struct switched_out *out = bpf_map_lookup_elem(&switched, &key);
	struct sample_resumed resumed;
	bool is_sent;

	if (!out) {
		thread_returns_first(task);
		return;
	}
	resumed.out_ns = out->out_ns;
	resumed.in_ns = bpf_ktime_get_ns();
	resumed.tgid = out->tgid;
	resumed.tid = out->tid;
	resumed.kind = SAMPLE_OFFCPU;
	is_sent = out->is_sent;
	bpf_map_delete_elem(&switched, &key);
	if (is_sent && ring_put(&resumed, sizeof(resumed))) {
		__sync_fetch_and_add(&lost, 1);
		__sync_fetch_and_add(&lost_returns, 1);
	}
}

SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, bool preempt, struct task_struct *prev,
	     struct task_struct *next)
{
	int preempted = task_is_preempted(prev, preempt);

	thread_returns(next);
	if (preempted >= 0)
		thread_leaves(ctx, prev, preempted);
	return 0;
}

/*
 * Writes each sleeping thread: its registers and kernel stack, with its number
 * of context switches as the weight.  The reader has to read the user stack.
 */
SEC("iter/task")
int on_task(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct seq_file *seq = ctx->meta->seq;
	struct identity id;
	struct sample_event *e;
	struct scratch *s;
	__u32 key = 0;
	long bytes = 0;

	if (!task)
		return 0;
	id = task_identify(task);
	if (!target_since(id, task) || !task_state(task))
		return 0;
	s = bpf_map_lookup_elem(&task_areas, &key);
	if (!s)
		return 0;
	e = &s->event;
	sample_begin(e, id, SAMPLE_OFFCPU,
		     BPF_CORE_READ(task, nvcsw) + BPF_CORE_READ(task, nivcsw));
	registers_read_in_kernel(e, task);
	bpf_probe_read_kernel_str(e->comm, sizeof(e->comm), task->comm);
	if (want_kernel && HAS_TASK_HELPERS)
		bytes = bpf_get_task_stack(task, s->bytes, SAMPLER_WALK_BYTES,
					   0);
	if (bytes < 0 || bytes > SAMPLER_WALK_BYTES)
		bytes = 0;
	e->kernel_frames = (__u32)bytes / sizeof(__u64);
	e->stack_bytes = 0;
	bpf_seq_write(seq, e, sizeof(*e));
	if (bytes)
		bpf_seq_write(seq, s->bytes, (__u32)bytes);
	return 0;
}

/*
 * Reserves a free area of this CPU and stores its key, which is to be deleted
 * from probe_busy.  Returns NULL, and counts a lost sample, if none is free.
 */
static __always_inline struct scratch *probe_reserve_area(__u32 *key)
{
	__u32 first = bpf_get_smp_processor_id() * SAMPLER_PROBES;

	for (__u32 i = 0; i < SAMPLER_PROBES; i++) {
		*key = first + i;
		if (bpf_map_update_elem(&probe_busy, key, key, BPF_NOEXIST) ==
		    0)
			return bpf_map_lookup_elem(&probe_areas, key);
	}
	__sync_fetch_and_add(&lost, 1);
	return NULL;
}

static __always_inline bool user_read_u64(__u64 address, __u64 *out)
{
	return address &&
	       bpf_probe_read_user(out, sizeof(*out), (void *)address) == 0;
}

/*
 * Reads the header of a JNI handle's object.  The thread holds the handle, so
 * the object exists.
 */
static __always_inline void sample_read_object(struct sample_event *e,
					       __u64 handle)
{
	__u64 object = 0;

	if (user_read_u64(handle, &object) && object &&
	    bpf_probe_read_user(e->object, sizeof(e->object), (void *)object) ==
		    0)
		e->flags |= SAMPLE_HAS_OBJECT;
}

/*
 * Reads the owner of the monitor that a thread is about to wait for.  The JVM
 * has set JavaThread::_current_pending_monitor before.
 */
static __always_inline void sample_read_owner(struct sample_event *e, __u64 jni)
{
	struct sampler_monitors *m = bpf_map_lookup_elem(&monitors, &e->tgid);
	__u64 monitor = 0;

	if (m && user_read_u64(jni - m->env + m->pending, &monitor) &&
	    monitor && user_read_u64(monitor + m->owner, &e->owner))
		e->flags |= SAMPLE_HAS_OWNER;
	e->monitor = monitor;
}

/*
 * Decides whether the stack of a thread that releases a monitor is copied.
 * Returns the number of releases that the copy represents; 0 = none.
 */
static __always_inline __u64 pace_exit(struct pace *p)
{
	__u64 now = bpf_ktime_get_ns();

	if (now - p->began_ns >= SAMPLER_PACE_NS) {
		p->stride = p->count / SAMPLER_PACE_EXITS + 1;
		p->count = 0;
		p->began_ns = now;
	}
	p->count++;
	return p->stride <= 1 || bpf_get_prandom_u32() % p->stride == 0
		       ? p->stride
		       : 0;
}

static __always_inline void probe_reached(struct pt_regs *ctx, __u16 kind)
{
	struct task_struct *task = task_current();
	struct identity id = task_identify(task);
	struct scratch *s;
	__u64 weight;
	__u32 key;

	/* A probe may be attached before sampling has begun. */
	if (!started_ns || !target_since(id, task))
		return;
	s = probe_reserve_area(&key);
	if (!s)
		return;
	weight = kind == SAMPLE_PROBE  ? 1
		 : kind == SAMPLE_EXIT ? pace_exit(&s->pace)
				       : ctx->rdi;
	if (kind == SAMPLE_EXIT && !weight)
		goto out;
	sample_begin(&s->event, id, kind, weight);
	if (kind == SAMPLE_LOCK)
		s->event.time_ns = ctx->rsi;
	registers_copy(&s->event, ctx);
	if (kind == SAMPLE_ALLOC || kind == SAMPLE_LOCK)
		sample_read_object(&s->event, ctx->rdx);
	if (kind == SAMPLE_LOCK)
		sample_read_owner(&s->event, ctx->rcx);
	if (kind == SAMPLE_EXIT)
		s->event.monitor = ctx->rdi;
	sample_send(ctx, s);
out:
	bpf_map_delete_elem(&probe_busy, &key);
}

SEC("uprobe")
int on_alloc(struct pt_regs *ctx)
{
	probe_reached(ctx, SAMPLE_ALLOC);
	return 0;
}

SEC("uprobe")
int on_probe(struct pt_regs *ctx)
{
	probe_reached(ctx, SAMPLE_PROBE);
	return 0;
}

/*
 * ObjectMonitor::ExitEpilog(JavaThread *, ObjectWaiter *): a thread releases a
 * monitor for which others wait, so its leaf Java frame holds the monitor.
 */
SEC("uprobe")
int on_exit(struct pt_regs *ctx)
{
	probe_reached(ctx, SAMPLE_EXIT);
	return 0;
}

/* Ends a wait for a monitor, whose sample was sent when it began. */
static __always_inline void probe_entered(struct pt_regs *ctx)
{
	struct task_struct *task = task_current();
	struct identity id = task_identify(task);
	struct sample_resumed resumed = {
		.out_ns = ctx->rsi,
		.in_ns = ctx->rsi + ctx->rdi,
		.tgid = id.tgid,
		.tid = id.tid,
		.kind = SAMPLE_LOCK,
	};

	if (started_ns && target_since(id, task) &&
	    ring_put(&resumed, sizeof(resumed))) {
		__sync_fetch_and_add(&lost, 1);
		__sync_fetch_and_add(&lost_entries, 1);
	}
}

/* The arguments are the length of a wait, 0 where it begins, and its
 * begin. */
SEC("uprobe")
int on_lock(struct pt_regs *ctx)
{
	if (ctx->rdi)
		probe_entered(ctx);
	else
		probe_reached(ctx, SAMPLE_LOCK);
	return 0;
}

#include "bpf/kernel/sampler_memory.bpf.h"

/* Helpers that read kernel memory require this license. */
char LICENSE[] SEC("license") = "GPL";
