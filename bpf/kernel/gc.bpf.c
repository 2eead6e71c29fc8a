/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/*
 * The programs at a JVM's safepoints and collections. They copy registers,
 * counters and phases into a ring buffer, and never wake its reader: waking
 * would prolong the pause that they observe.
 */
#include "bpf/kernel/kernel.bpf.h"

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <stdbool.h>

#include "bpf/kernel/gc_event.h"

/* SafepointSynchronize::_synchronizing: threads are about to stop. */
#define SYNCHRONIZING 1

/* Set before loading; constants to the verifier. */
const volatile struct gc_addresses at;
/* The PID namespace of the reader; inode 0 = the initial one. */
const volatile __u64 pid_ns_dev, pid_ns_inode;

__u64 lost; /* records without space in the ring buffer */

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, GC_RING_BYTES);
} ring SEC(".maps");

/* The last thread that stopped while the JVM waited for threads. */
static __u64 last_ns;
static __u32 last_tid;

/* The collection that goes on, and those of this stop that have ended. */
static struct {
	__u64 bracket, begin_ns; /* bracket: a GCTraceCPUTime; 0 = none */
	__u64 logged_ns;         /* when a line of the log was due; 0 = never */
	__s64 ns;
	__u32 count, tid;
} collections;

/*
 * Returns the TID of this thread in the reader's PID namespace; 0 = the thread
 * is in another namespace.
 */
static __always_inline __u32 thread_number(void)
{
	struct bpf_pidns_info in = { 0 };

	if (!pid_ns_inode)
		return (__u32)bpf_get_current_pid_tgid();
	bpf_get_ns_current_pid_tgid(pid_ns_dev, pid_ns_inode, &in, sizeof(in));
	return in.pid;
}

static __always_inline void event_begin(struct gc_event *e,
					enum gc_event_kind kind)
{
	e->time_ns = bpf_ktime_get_ns();
	e->tid = (__u32)bpf_get_current_pid_tgid();
	e->kind = kind;
}

static __always_inline __s64 event_read(__u64 address)
{
	__s64 value = 0;

	if (address)
		bpf_probe_read_user(&value, sizeof(value), (void *)address);
	return value;
}

static __always_inline void event_read_text(char *text, __u64 address)
{
	text[0] = '\0';
	if (address)
		bpf_probe_read_user(text, GC_EVENT_CAUSE, (void *)address);
}

static __always_inline void stop_read_counters(struct gc_event_stop *e)
{
	e->safepoints = event_read(at.safepoints);
	e->sync = event_read(at.sync);
	e->stopped_before = event_read(at.stopped);
	e->used = e->committed = 0;
#pragma unroll
	for (int i = 0; i < GC_EVENT_COLLECTORS; i++) {
		e->collector_ns[i] = event_read(at.collector_ns[i]);
		e->collector_count[i] = event_read(at.collector_count[i]);
		e->committed += event_read(at.committed[i]);
	}
#pragma unroll
	for (int i = 0; i < GC_EVENT_SPACES; i++)
		e->used += event_read(at.used[i]);
	event_read_text(e->cause, at.cause);
	event_read_text(e->last_cause, at.last_cause);
}

static __always_inline void stop_clear(void)
{
	last_tid = 0;
	collections.bracket = 0;
	collections.ns = 0;
	collections.count = 0;
}

static __always_inline void stop_read_collections(struct gc_event_stop *e)
{
	bool is_same = collections.tid == e->event.tid;

	e->collections = is_same ? collections.count : 0;
	e->collections_ns = is_same ? collections.ns : 0;
}

/* RuntimeService::record_safepoint_end(jlong): threads may run again. */
SEC("uprobe/stop")
int on_stop(struct pt_regs *ctx)
{
	struct gc_event_stop *e = bpf_ringbuf_reserve(&ring, sizeof(*e), 0);

	if (!e) {
		/* The next pause has its own collections and last thread. */
		stop_clear();
		__sync_fetch_and_add(&lost, 1);
		return 0;
	}
	event_begin(&e->event, GC_EVENT_STOP);
	e->stopped = (__s64)ctx->rdi;
	stop_read_counters(e);
	e->operation = (__u64)event_read(at.operation);
	if (e->operation)
		e->operation = (__u64)event_read(e->operation);
	e->last_ns = last_ns;
	e->last_tid = last_tid;
	stop_read_collections(e);
	stop_clear();
	bpf_ringbuf_submit(e, BPF_RB_NO_WAKEUP);
	return 0;
}

/* RuntimeService::record_safepoint_begin(): threads are asked to stop. */
SEC("uprobe/begin")
int on_begin(void *ctx)
{
	struct gc_event *e = bpf_ringbuf_reserve(&ring, sizeof(*e), 0);

	(void)ctx;
	if (!e) {
		__sync_fetch_and_add(&lost, 1);
		return 0;
	}
	event_begin(e, GC_EVENT_BEGIN);
	bpf_ringbuf_submit(e, BPF_RB_NO_WAKEUP);
	return 0;
}

/* SafepointSynchronize::block(JavaThread *): this thread stops. */
SEC("uprobe/block")
int on_block(void *ctx)
{
	__u32 state = (__u32)event_read(at.state);

	(void)ctx;
	if (state == SYNCHRONIZING) {
		last_ns = bpf_ktime_get_ns();
		last_tid = thread_number();
	}
	return 0;
}

/*
 * GCTraceCPUTime::GCTraceCPUTime(GCTracer *): HotSpot makes this object before,
 * and destroys it after, the one that logs the duration of a pause.
 */
SEC("uprobe/collect")
int on_collect(struct pt_regs *ctx)
{
	if (collections.bracket)
		return 0;
	collections.bracket = ctx->rdi;
	collections.tid = (__u32)bpf_get_current_pid_tgid();
	collections.logged_ns = 0;
	collections.begin_ns = bpf_ktime_get_ns();
	return 0;
}

/*
 * GCTraceTimeLoggerImpl::log_end(Ticks): a duration is logged, that of the
 * pause last.  Writing the line takes longer than all else after the
 * collection.
 */
SEC("uprobe/logged")
int on_logged(void *ctx)
{
	(void)ctx;
	if (collections.bracket)
		collections.logged_ns = bpf_ktime_get_ns();
	return 0;
}

/* GCTraceCPUTime::~GCTraceCPUTime() */
SEC("uprobe/collected")
int on_collected(struct pt_regs *ctx)
{
	__u64 end_ns;

	if (!collections.bracket || collections.bracket != ctx->rdi)
		return 0;
	end_ns = collections.logged_ns;
	if (!end_ns)
		end_ns = bpf_ktime_get_ns();
	collections.ns += (__s64)(end_ns - collections.begin_ns);
	collections.count++;
	collections.bracket = 0;
	return 0;
}

/* GCTracer::report_gc_heap_summary(when, const GCHeapSummary &) */
SEC("uprobe/heap")
int on_heap(struct pt_regs *ctx)
{
	struct gc_event_heap *e = bpf_ringbuf_reserve(&ring, sizeof(*e), 0);

	if (!e) {
		__sync_fetch_and_add(&lost, 1);
		return 0;
	}
	event_begin(&e->event, GC_EVENT_HEAP);
	e->when = (__u32)ctx->rsi;
	e->unused = 0;
	/* GCHeapSummary: vptr, start, committed end, reserved end, used. */
	e->start = (__u64)event_read(ctx->rdx + 8);
	e->committed_end = (__u64)event_read(ctx->rdx + 16);
	e->used = (__u64)event_read(ctx->rdx + 32);
	bpf_ringbuf_submit(e, BPF_RB_NO_WAKEUP);
	return 0;
}

/* The array of phases: int length, int capacity, GCPhase *elements. */
static __always_inline void report_read_phases(struct gc_event_report *e,
					       __u64 partitions)
{
	__u64 array = (__u64)event_read(partitions), elements;
	__u64 lengths = (__u64)event_read(array);
	__u32 count = (__u32)lengths;

	e->count = (__s32)lengths;
	e->capacity = (__s32)(lengths >> 32);
	elements = (__u64)event_read(array + 8);
	if (count > GC_EVENT_PHASES)
		count = GC_EVENT_PHASES;
	if (count)
		bpf_probe_read_user(e->phases, count * sizeof(e->phases[0]),
				    (void *)elements);
}

/*
 * GCTracer::report_gc_end_impl(const Ticks &end, TimePartitions *). The tracer
 * has a vptr, int name at 8, int cause at 12, Ticks start at 16.
 */
SEC("uprobe/report")
int on_report(struct pt_regs *ctx)
{
	struct gc_event_report *e = bpf_ringbuf_reserve(&ring, sizeof(*e), 0);
	__u64 words;

	if (!e) {
		__sync_fetch_and_add(&lost, 1);
		return 0;
	}
	event_begin(&e->event, GC_EVENT_REPORT);
	e->tracer = ctx->rdi;
	words = (__u64)event_read(ctx->rdi + 8);
	e->name = (__s32)words;
	e->cause = (__s32)(words >> 32);
	e->start = event_read(ctx->rdi + 16);
	e->end = event_read(ctx->rsi);
	event_read_text(e->cause_text, at.cause);
	event_read_text(e->last_cause, at.last_cause);
	report_read_phases(e, ctx->rdx);
	bpf_ringbuf_submit(e, BPF_RB_NO_WAKEUP);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
