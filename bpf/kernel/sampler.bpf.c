/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/*
 * What runs in the kernel: each program looks whether the thread is one of a
 * target, puts a sample together in a scratch area, and sends as much of it
 * as it came to into the ring buffer.
 *
 * A record's size has to be a constant where it is reserved in the ring buffer,
 * so that each sample would take the room of the largest; to copy what there is
 * costs less.
 */
#include "bpf/kernel/kernel.bpf.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <stdbool.h>

#include "bpf/kernel/sample_event.h"
#include "bpf/kernel/sampler_maps.h"

#define UNKNOWN_END (1ULL << 63)

/* Keeps the compiler from what the verifier cannot follow. */
#define opaque(x) asm volatile("" : "+r"(x))

/* Set before loading; constants to the verifier. */
const volatile __u32 stack_limit; /* bytes of the user's stack at most */
const volatile __u32 only_tid;    /* 0 = all */
const volatile __u32 pid_ns;      /* inode of the sampler's; 0 = the first */
const volatile bool want_kernel;

/* Read by the sampler as they grow; and written by it when it begins. */
__u64 taken, lost, started_ns;
__u64 wake_bytes; /* unread, before the reader is woken */
/* A thread had no room in `switched`: one that is not in it may have left. */
__u64 switched_overflowed;

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, SAMPLER_RING_BYTES);
} ring SEC(".maps");

/* Processes, by what the sampler knows them by, and since when. */
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

/* Threads that are off-CPU, by the first pid namespace's number. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, SAMPLER_THREADS);
	__type(key, __u32);
	__type(value, struct switched_out);
} switched SEC(".maps");

/*
 * Areas, by CPU; one for each kind of program, since one may be interrupted by
 * another.  Declared as if all were as large as they may be.
 */
struct area {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(struct scratch));
};
struct area tick_areas SEC(".maps"), switch_areas SEC(".maps"),
	probe_areas SEC(".maps"), look_areas SEC(".maps");

/*
 * Of probe_areas, which are in use: to add an entry that must not be there is
 * atomic, as instructions are only from Linux 5.12 on.
 */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} probe_busy SEC(".maps");

/* How to get from a thread to the owner of the monitor that it waits for. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, SAMPLER_TARGETS);
	__type(key, __u32);
	__type(value, struct sampler_monitors);
} monitors SEC(".maps");

struct identity {
	__u32 tgid, tid;
};

/* A task's number in the sampler's pid namespace; 0 = it has none there. */
static __always_inline __u32 number_of(struct task_struct *task)
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

static __always_inline struct identity identify(struct task_struct *task)
{
	struct identity id;

	if (pid_ns) {
		id.tgid = number_of(BPF_CORE_READ(task, group_leader));
		id.tid = number_of(task);
	} else {
		id.tgid = (__u32)BPF_CORE_READ(task, tgid);
		id.tid = (__u32)BPF_CORE_READ(task, pid);
	}
	return id;
}

/* Since when it is, NULL = it is not. */
static __always_inline __u64 *wanted_since(struct identity id)
{
	if (only_tid && id.tid != only_tid)
		return NULL;
	return bpf_map_lookup_elem(&targets, &id.tgid);
}

/*
 * Into the ring buffer.  To wake the reader for each record would take threads
 * off their CPUs, of which there would be records.
 */
static __always_inline long put(void *record, __u32 size)
{
	__u64 flags = bpf_ringbuf_query(&ring, BPF_RB_AVAIL_DATA) >= wake_bytes
			      ? BPF_RB_FORCE_WAKEUP
			      : BPF_RB_NO_WAKEUP;

	return bpf_ringbuf_output(&ring, record, size, flags);
}

/* In 5.15 or later; before, there are other ways. */
#define HAS_TASK_HELPERS                                                       \
	bpf_core_enum_value_exists(enum bpf_func_id___5_15,                    \
				   BPF_FUNC_task_pt_regs___5_15)

static __always_inline struct task_struct *current_task(void)
{
	if (HAS_TASK_HELPERS)
		return bpf_get_current_task_btf();
	return (struct task_struct *)bpf_get_current_task();
}

/* Those that the user has, while the task is in the kernel. */
static __always_inline void registers_of(struct sample_event *e,
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

/* Of a task that is in the kernel, which may have no user side. */
static __always_inline void registers_in_kernel(struct sample_event *e,
						struct task_struct *task)
{
	e->flags |= SAMPLE_IN_KERNEL;
	if (BPF_CORE_READ(task, mm))
		registers_of(e, task);
	else
		e->flags |= SAMPLE_NO_USER;
}

/* A macro, since the context's type decides how the verifier sees it. */
#define registers_from(e, r)                                                   \
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

/* How many bytes of the stack there are, or as good as endless. */
static __always_inline __u64 stack_there(struct sample_event *e)
{
	struct known_stack *known = bpf_map_lookup_elem(&stack_ends, &e->tid);

	return known && known->end > e->regs[SAMPLE_SP]
		       ? known->end - e->regs[SAMPLE_SP]
		       : UNKNOWN_END;
}

/*
 * Adds so many bytes to what was copied, or as many as are wanted yet; none
 * when that would be too many, or some cannot be read without waiting.  How
 * many there are so far is kept in memory, of which the verifier knows nothing:
 * it would go through all that could be otherwise, too many for it.  Before
 * Linux 6.8 it learns only from comparisons with constants: cap is one, and
 * part no larger.
 */
static __always_inline void copy_part(struct scratch *s, __u32 offset,
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
 * All at once, as a rule.  Otherwise up to the first page that cannot be read:
 * what there is of the first, and then half of what may be left each time, down
 * to a page, of which there may be one more.
 */
static __always_inline void copy_stack(struct scratch *s, __u32 offset)
{
	struct sample_event *e = &s->event;
	volatile __u32 *copied = &e->stack_bytes;
	__u64 from = e->regs[SAMPLE_SP];
	__u64 there = stack_there(e);
	__u32 wanted = there < stack_limit ? (__u32)there : stack_limit;

	copy_part(s, offset, wanted, stack_limit, stack_limit);
	if (!*copied) {
		__u32 first = PAGE_BYTES - (from & (PAGE_BYTES - 1));

		copy_part(s, offset, wanted, first, PAGE_BYTES);
		for (__u32 part = SAMPLER_STACK_LIMIT / 2;
		     *copied && part >= PAGE_BYTES; part /= 2)
			copy_part(s, offset, wanted, part, part);
		if (*copied)
			copy_part(s, offset, wanted, PAGE_BYTES, PAGE_BYTES);
	}
	/* Of an unknown end, it is taken that what cannot be read is behind. */
	if (*copied == stack_limit || (there < UNKNOWN_END && *copied < there))
		e->flags |= SAMPLE_STACK_CUT;
}

/* The first bytes of a stack, if there are so many and all can be read. */
static __always_inline void glance(struct scratch *s)
{
	struct sample_event *e = &s->event;
	__u64 there = stack_there(e);
	__u32 wanted = there < SAMPLE_GLANCE ? (__u32)there : SAMPLE_GLANCE;

	if (!(e->flags & SAMPLE_NO_USER))
		copy_part(s, 0, wanted, SAMPLE_GLANCE, SAMPLE_GLANCE);
}

/* Number of addresses of the kernel's stack that bpf_get_stack() has put. */
static __always_inline __u32 walk_kernel(void *ctx, struct scratch *s)
{
	long bytes = bpf_get_stack(ctx, s->bytes, SAMPLER_WALK_BYTES, 0);

	return bytes < 0 ? 0 : (__u32)bytes / sizeof(__u64);
}

/* With registers and flags in it: fills in the rest and sends it. */
static __always_inline long send(void *ctx, struct scratch *s)
{
	struct sample_event *e = &s->event;
	__u32 size = 0;
	long status;

	e->kernel_frames = 0;
	e->stack_bytes = 0;
	bpf_get_current_comm(e->comm, sizeof(e->comm));
	if (e->flags & SAMPLE_LEFT_OUT) {
		glance(s);
		size = e->stack_bytes;
		goto out;
	}
	if (want_kernel && e->flags & SAMPLE_IN_KERNEL) {
		e->kernel_frames = walk_kernel(ctx, s);
		size = e->kernel_frames * sizeof(__u64);
	}
	if (!(e->flags & SAMPLE_NO_USER) && stack_limit) {
		copy_stack(s, size);
		size += e->stack_bytes;
	}
out:
	size += sizeof(*e);
	opaque(size);
	if (size > sizeof(*e) + SAMPLER_ARRAYS + stack_limit)
		return -1;
	status = put(&s->event, size);
	__sync_fetch_and_add(status == 0 ? &taken : &lost, 1);
	return status;
}

static __always_inline void begin(struct sample_event *e, struct identity id,
				  __u16 kind, __u64 weight)
{
	e->time_ns = bpf_ktime_get_ns();
	e->weight = weight;
	e->tgid = id.tgid;
	e->tid = id.tid;
	e->kind = kind;
	e->flags = 0;
	e->object[0] = e->object[1] = e->owner = 0;
}

SEC("perf_event")
int on_tick(struct bpf_perf_event_data *ctx)
{
	struct identity id = identify(
		(struct task_struct *)bpf_get_current_task());
	__u32 cpu = bpf_get_smp_processor_id();
	struct scratch *s;

	if (!wanted_since(id))
		return 0;
	s = bpf_map_lookup_elem(&tick_areas, &cpu);
	if (!s)
		return 0;
	begin(&s->event, id, SAMPLE_CPU, 1);
	if (ctx->regs.cs & 3)
		registers_from(&s->event, &ctx->regs);
	else
		registers_in_kernel(&s->event, current_task());
	send(ctx, s);
	return 0;
}

/* The state of a task, as far as this kernel shows it; 0 = runnable. */
static __always_inline __u64 state_of(struct task_struct *task)
{
	struct task_struct___5_13 *older = (void *)task;

	return bpf_core_field_exists(task->__state)
		       ? BPF_CORE_READ(task, __state)
		       : (__u64)BPF_CORE_READ(older, state);
}

/*
 * Whether a task that leaves its CPU could have gone on; -1 = it has ended.  The
 * tracepoint's own prev_state (since 5.18) tells no more: whoever wakes the task
 * meanwhile sets TASK_WAKING, which is not 0 either, and TASK_RUNNING only
 * after the task has left.
 */
static __always_inline int is_preempted(struct task_struct *task, bool preempt)
{
	__u64 state = state_of(task);

	if (state & KERNEL_TASK_DEAD)
		return -1;
	return preempt || state == 0;
}

/* Whether the thread has not left its CPU often of late. */
static __always_inline bool is_rare(struct sample_event *e)
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
 * Whether it is one of those that have their stacks copied.  Which is left to
 * chance: of a thread that waits at two places in turn, each second wait is
 * always at the same one.  Who waits seldom waits for long.
 */
static __always_inline bool is_in_pace(struct pace *p, struct sample_event *e)
{
	__u64 there = stack_there(e);

	if (e->time_ns - p->began_ns >= SAMPLER_PACE_NS) {
		p->stride = p->count / SAMPLER_PACE_COUNT + 1;
		p->count = 0;
		p->began_ns = e->time_ns;
	}
	p->count += there <= SAMPLER_PACE_SMALL ? 1 : SAMPLER_PACE_LARGE;
	return (is_rare(e) && p->stride < SAMPLER_PACE_MOST) ||
	       p->stride <= 1 || bpf_get_prandom_u32() % p->stride == 0;
}

/* It is current still, so its stack can be read. */
static __always_inline void leaves(void *ctx, struct task_struct *task,
				   int preempted)
{
	struct identity id = identify(task);
	__u32 cpu = bpf_get_smp_processor_id();
	struct switched_out out = { 0 };
	__u32 key = (__u32)task->pid;
	struct scratch *s;

	if (!wanted_since(id))
		return;
	s = bpf_map_lookup_elem(&switch_areas, &cpu);
	if (!s)
		return;
	begin(&s->event, id, SAMPLE_OFFCPU, 0);
	registers_in_kernel(&s->event, task);
	if (preempted)
		s->event.flags |= SAMPLE_PREEMPTED;
	if (stack_limit && !is_in_pace(&s->pace, &s->event))
		s->event.flags |= SAMPLE_LEFT_OUT;
	out.is_sent = true;
	out.out_ns = s->event.time_ns;
	out.tgid = id.tgid;
	out.tid = id.tid;
	/* Without an entry, nobody will know when the wait is over. */
	if (bpf_map_update_elem(&switched, &key, &out, BPF_ANY)) {
		switched_overflowed = 1;
		__sync_fetch_and_add(&lost, 1);
		return;
	}
	if (send(ctx, s)) {
		out.is_sent = false;
		bpf_map_update_elem(&switched, &key, &out, BPF_ANY);
	}
}

/*
 * A thread that is seen for the first time was off its CPU since before sampling
 * began, unless the thread is new, or had no room in `switched` when it left.
 * It is not current yet, so its user stack cannot be read.
 */
static __always_inline void returns_first(struct task_struct *task)
{
	__u32 cpu = bpf_get_smp_processor_id();
	struct identity id = identify(task);
	__u64 *since = wanted_since(id);
	struct sample_event *e;
	struct scratch *s;
	__u64 from;
	long bytes = 0;

	if (!since || switched_overflowed)
		return;
	from = *since > started_ns ? *since : started_ns;
	s = bpf_map_lookup_elem(&switch_areas, &cpu);
	if (!s || BPF_CORE_READ(task, start_time) >= from)
		return;
	e = &s->event;
	begin(e, id, SAMPLE_OFFCPU, 0);
	e->weight = e->time_ns - from;
	e->time_ns = from;
	e->flags = SAMPLE_BEGAN_EARLIER;
	registers_in_kernel(e, task);
	bpf_probe_read_kernel_str(e->comm, sizeof(e->comm), task->comm);
	if (want_kernel && HAS_TASK_HELPERS)
		bytes = bpf_get_task_stack(task, s->bytes, SAMPLER_WALK_BYTES,
					   0);
	if (bytes < 0)
		bytes = 0;
	e->kernel_frames = (__u32)bytes / sizeof(__u64);
	e->stack_bytes = 0;
	if (put(e, sizeof(*e) + (__u32)bytes))
		__sync_fetch_and_add(&lost, 1);
	else
		__sync_fetch_and_add(&taken, 1);
}

static __always_inline void returns(struct task_struct *task)
{
	__u32 key = (__u32)task->pid;
	struct switched_out *out = bpf_map_lookup_elem(&switched, &key);
	struct sample_resumed resumed;
	bool is_sent;

	if (!out) {
		returns_first(task);
		return;
	}
	resumed.out_ns = out->out_ns;
	resumed.in_ns = bpf_ktime_get_ns();
	resumed.tgid = out->tgid;
	resumed.tid = out->tid;
	resumed.kind = SAMPLE_OFFCPU;
	is_sent = out->is_sent;
	bpf_map_delete_elem(&switched, &key);
	if (is_sent && put(&resumed, sizeof(resumed)))
		__sync_fetch_and_add(&lost, 1);
}

SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, bool preempt, struct task_struct *prev,
	     struct task_struct *next)
{
	int preempted = is_preempted(prev, preempt);

	returns(next);
	if (preempted >= 0)
		leaves(ctx, prev, preempted);
	return 0;
}

/*
 * Of each thread that sleeps: where, with all registers; its weight is how
 * often it has left its CPU.  Its stack has to be read by who asks.
 */
SEC("iter/task")
int on_look(struct bpf_iter__task *ctx)
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
	id = identify(task);
	if (!wanted_since(id) || !state_of(task))
		return 0;
	s = bpf_map_lookup_elem(&look_areas, &key);
	if (!s)
		return 0;
	e = &s->event;
	begin(e, id, SAMPLE_OFFCPU,
	      BPF_CORE_READ(task, nvcsw) + BPF_CORE_READ(task, nivcsw));
	registers_in_kernel(e, task);
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

/* An area that nobody on this CPU has; its number, or -1. */
static __always_inline int probe_area(void)
{
	__u32 first = bpf_get_smp_processor_id() * SAMPLER_PROBES;

	for (__u32 i = 0; i < SAMPLER_PROBES; i++) {
		__u32 key = first + i;

		if (bpf_map_update_elem(&probe_busy, &key, &key, BPF_NOEXIST) ==
		    0)
			return (int)key;
	}
	return -1;
}

static __always_inline bool read_u64(__u64 address, __u64 *out)
{
	return address &&
	       bpf_probe_read_user(out, sizeof(*out), (void *)address) == 0;
}

/* What a handle of JNI's refers to: the thread holds it, so it is there. */
static __always_inline void read_object(struct sample_event *e, __u64 handle)
{
	__u64 object = 0;

	if (read_u64(handle, &object) && object &&
	    bpf_probe_read_user(e->object, sizeof(e->object), (void *)object) ==
		    0)
		e->flags |= SAMPLE_HAS_OBJECT;
}

/*
 * A thread is about to wait for a monitor: JavaThread says which
 * (_current_pending_monitor is set before), and the monitor who owns it.
 */
static __always_inline void read_owner(struct sample_event *e, __u64 jni)
{
	struct sampler_monitors *m = bpf_map_lookup_elem(&monitors, &e->tgid);
	__u64 monitor = 0;

	if (m && read_u64(jni - m->env + m->pending, &monitor) && monitor &&
	    read_u64(monitor + m->owner, &e->owner))
		e->flags |= SAMPLE_HAS_OWNER;
}

static __always_inline void reached(struct pt_regs *ctx, __u16 kind)
{
	struct identity id = identify(
		(struct task_struct *)bpf_get_current_task());
	struct scratch *s;
	__u32 key;
	int area;

	/* A probe may be there before sampling has begun. */
	if (!started_ns || !wanted_since(id))
		return;
	area = probe_area();
	key = (__u32)area;
	s = area < 0 ? NULL : bpf_map_lookup_elem(&probe_areas, &key);
	if (!s) {
		__sync_fetch_and_add(&lost, 1);
		return;
	}
	begin(&s->event, id, kind, ctx->rdi);
	if (kind == SAMPLE_LOCK)
		s->event.time_ns = ctx->rsi;
	registers_from(&s->event, ctx);
	read_object(&s->event, ctx->rdx);
	if (kind == SAMPLE_LOCK)
		read_owner(&s->event, ctx->rcx);
	send(ctx, s);
	bpf_map_delete_elem(&probe_busy, &key);
}

SEC("uprobe")
int on_alloc(struct pt_regs *ctx)
{
	reached(ctx, SAMPLE_ALLOC);
	return 0;
}

/* A wait for a monitor is over: its sample was sent when it began. */
static __always_inline void entered(struct pt_regs *ctx)
{
	struct identity id = identify(
		(struct task_struct *)bpf_get_current_task());
	struct sample_resumed resumed = {
		.out_ns = ctx->rsi,
		.in_ns = ctx->rsi + ctx->rdi,
		.tgid = id.tgid,
		.tid = id.tid,
		.kind = SAMPLE_LOCK,
	};

	if (started_ns && wanted_since(id) && put(&resumed, sizeof(resumed)))
		__sync_fetch_and_add(&lost, 1);
}

/* Of how long a wait was, which is 0 where it begins, and when it began. */
SEC("uprobe")
int on_lock(struct pt_regs *ctx)
{
	if (ctx->rdi)
		entered(ctx);
	else
		reached(ctx, SAMPLE_LOCK);
	return 0;
}

/* Helpers that read the kernel's memory are for such programs only. */
char LICENSE[] SEC("license") = "GPL";
