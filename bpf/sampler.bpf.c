/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/*
 * What runs in the kernel: each program looks whether the thread is one of a
 * target, puts a sample together in a scratch area, and sends as much of it
 * as it came to into the ring buffer.
 *
 * A record's size has to be a constant where it is reserved in the ring buffer,
 * so that the sample would take the room of the largest; a copy of what there
 * is costs less.
 */
#include "bpf/kernel.bpf.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <stdbool.h>

#include "bpf/sample_event.h"
#include "bpf/sampler_maps.h"

/* Keeps the compiler from what the verifier cannot follow. */
#define opaque(x) asm volatile("" : "+r"(x))

/* Set before loading; constants to the verifier. */
const volatile __u32 stack_limit; /* bytes of the user's stack at most */
const volatile __u32 only_tid;    /* 0 = all */
const volatile bool want_kernel, want_frames;

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, SAMPLER_RING_BYTES);
} ring SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, SAMPLER_TARGETS);
	__type(key, __u32);
	__type(value, __u32);
} targets SEC(".maps");

/* As if all were as large as they may be; the values are as large as needed. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(struct scratch));
} ticks SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct counters);
} counts SEC(".maps");

static __always_inline bool is_wanted(__u32 tgid, __u32 tid)
{
	return (only_tid == 0 || tid == only_tid) &&
	       bpf_map_lookup_elem(&targets, &tgid);
}

/* Those that the thread has in user mode, while it is in the kernel. */
static __always_inline void registers_of_task(struct sample_event *e,
					      struct task_struct *task)
{
	struct pt_regs___kernel *r = (struct pt_regs___kernel *)
		bpf_task_pt_regs(task);

	opaque(r);
	e->regs[SAMPLE_IP] = r->ip;
	e->regs[SAMPLE_SP] = r->sp;
	e->regs[SAMPLE_BP] = r->bp;
	e->regs[SAMPLE_BX] = r->bx;
	e->regs[SAMPLE_R12] = r->r12;
	e->regs[SAMPLE_R13] = r->r13;
	e->regs[SAMPLE_R14] = r->r14;
	e->regs[SAMPLE_R15] = r->r15;
}

/* Page by page, up to the first that cannot be read without waiting. */
static __always_inline __u32 copy_stack(struct scratch *s, __u32 offset,
					__u64 from)
{
	__u32 done = 0;

	for (int i = 0; i < SAMPLER_STACK_PAGES && done < stack_limit; i++) {
		__u32 part = PAGE_BYTES - ((from + done) & (PAGE_BYTES - 1));

		if (part > stack_limit - done)
			part = stack_limit - done;
		opaque(part);
		if (part > PAGE_BYTES || offset > SAMPLER_ARRAYS ||
		    done > stack_limit)
			break;
		if (bpf_probe_read_user(s->bytes + offset + done, part,
					(void *)(from + done)))
			break;
		done += part;
	}
	return done;
}

/* How many addresses bpf_get_stack() has put at offset. */
static __always_inline __u32 walk(void *ctx, struct scratch *s, __u32 offset,
				  __u64 flags)
{
	long bytes;

	if (offset > SAMPLER_WALK_BYTES)
		return 0;
	bytes = bpf_get_stack(ctx, s->bytes + offset, SAMPLER_WALK_BYTES,
			      flags);
	return bytes < 0 ? 0 : (__u32)bytes / sizeof(__u64);
}

static __always_inline void count(bool is_taken)
{
	__u32 zero = 0;
	struct counters *c = bpf_map_lookup_elem(&counts, &zero);

	if (c)
		__sync_fetch_and_add(is_taken ? &c->taken : &c->lost, 1);
}

/* With the registers and flags in it: fills in the rest and sends it. */
static __always_inline void send(void *ctx, struct scratch *s)
{
	struct sample_event *e = &s->event;
	__u32 size = 0;

	e->kernel_frames = 0;
	e->user_frames = 0;
	e->stack_bytes = 0;
	bpf_get_current_comm(e->comm, sizeof(e->comm));
	if (want_kernel && e->flags & SAMPLE_IN_KERNEL) {
		e->kernel_frames = walk(ctx, s, 0, 0);
		size = e->kernel_frames * sizeof(__u64);
	}
	if (!(e->flags & SAMPLE_NO_USER)) {
		if (want_frames) {
			e->user_frames = walk(ctx, s, size, BPF_F_USER_STACK);
			size += e->user_frames * sizeof(__u64);
		}
		e->stack_bytes = copy_stack(s, size, e->regs[SAMPLE_SP]);
		if (e->stack_bytes == stack_limit)
			e->flags |= SAMPLE_STACK_CUT;
		size += e->stack_bytes;
	}
	size += sizeof(*e);
	opaque(size);
	if (size > sizeof(*e) + SAMPLER_ARRAYS + stack_limit)
		return;
	count(bpf_ringbuf_output(&ring, s, size, 0) == 0);
}

SEC("perf_event")
int on_tick(struct bpf_perf_event_data *ctx)
{
	__u64 both = bpf_get_current_pid_tgid();
	__u32 cpu = bpf_get_smp_processor_id();
	struct task_struct *task;
	struct sample_event *e;
	struct scratch *s;

	if (!is_wanted(both >> 32, both))
		return 0;
	s = bpf_map_lookup_elem(&ticks, &cpu);
	if (!s)
		return 0;
	e = &s->event;
	e->time_ns = bpf_ktime_get_ns();
	e->weight = 1;
	e->tgid = both >> 32;
	e->tid = both;
	e->kind = SAMPLE_CPU;
	e->flags = 0;
	e->regs[SAMPLE_IP] = ctx->regs.rip;
	e->regs[SAMPLE_SP] = ctx->regs.rsp;
	e->regs[SAMPLE_BP] = ctx->regs.rbp;
	e->regs[SAMPLE_BX] = ctx->regs.rbx;
	e->regs[SAMPLE_R12] = ctx->regs.r12;
	e->regs[SAMPLE_R13] = ctx->regs.r13;
	e->regs[SAMPLE_R14] = ctx->regs.r14;
	e->regs[SAMPLE_R15] = ctx->regs.r15;
	if ((ctx->regs.cs & 3) == 0) {
		task = bpf_get_current_task_btf();
		e->flags |= SAMPLE_IN_KERNEL;
		if (task->mm)
			registers_of_task(e, task);
		else
			e->flags |= SAMPLE_NO_USER;
	}
	send(ctx, s);
	return 0;
}

/* Helpers that read the kernel's memory are for such programs only. */
char LICENSE[] SEC("license") = "GPL";
