/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel: the few kernel types that the programs read.
 *
 * They have only the fields that are read.  libbpf fills in the offsets from
 * the running kernel's BTF when it loads the programs.  A suffix after three
 * underscores does not belong to a name: it distinguishes variants.
 */
#ifndef BPF_KERNEL_KERNEL_BPF_H
#define BPF_KERNEL_KERNEL_BPF_H

#include <linux/bpf.h>
#include <linux/bpf_perf_event.h>
#include <linux/types.h>

#define KERNEL_TYPE __attribute__((preserve_access_index))

struct ns_common {
	unsigned inum;
} KERNEL_TYPE;

struct pid_namespace {
	struct ns_common ns;
} KERNEL_TYPE;

struct upid {
	int nr;
	struct pid_namespace *ns;
} KERNEL_TYPE;

/* One number per level; level 0 is the initial namespace. */
struct pid {
	unsigned level;
	struct upid numbers[1];
} KERNEL_TYPE;

struct task_struct {
	unsigned __state;
	unsigned long nvcsw, nivcsw; /* number of times that it left its CPU */
	void *stack;
	int pid, tgid;
	__u64 start_time; /* CLOCK_MONOTONIC, ns */
	char comm[16];
	struct task_struct *group_leader;
	struct pid *thread_pid;
	void *mm;
} KERNEL_TYPE;

/* The context of a program that runs for each task. */
struct seq_file;

struct bpf_iter_meta {
	struct seq_file *seq;
} KERNEL_TYPE;

struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
} KERNEL_TYPE;

/* Linux before 5.14. */
struct task_struct___5_13 {
	long state;
} KERNEL_TYPE;

/* Field names of the kernel, which differ from those in <asm/ptrace.h>. */
struct pt_regs___kernel {
	unsigned long r15, r14, r13, r12, bp, bx, ax, ip, cs, sp;
} KERNEL_TYPE;

/*
 * Looked up by name to find out whether the kernel has the helpers (5.15 and
 * later).
 */
enum bpf_func_id___5_15 {
	BPF_FUNC_get_attach_cookie___5_15 = 174,
	BPF_FUNC_task_pt_regs___5_15 = 175,
};

#define KERNEL_STACK_BYTES 16384 /* x86-64's THREAD_SIZE, without KASAN */
#define KERNEL_TASK_DEAD   0x80  /* __state of a task that never runs again */
#define KERNEL_PID_LEVELS  32    /* MAX_PID_NS_LEVEL */

#endif
