/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel: the few types of the kernel that the programs read.
 *
 * Only the fields that are read are here; where they stand is filled in when
 * the programs are loaded, from the running kernel's BTF.  A suffix after three
 * underscores is no part of a name: it tells variants apart.
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

/* Of numbers, there is one for each level, 0 being the first namespace. */
struct pid {
	unsigned level;
	struct upid numbers[1];
} KERNEL_TYPE;

struct task_struct {
	unsigned __state;
	unsigned long nvcsw, nivcsw; /* how often it left its CPU */
	void *stack;
	int pid, tgid;
	__u64 start_time; /* CLOCK_MONOTONIC, ns */
	char comm[16];
	struct task_struct *group_leader;
	struct pid *thread_pid;
	void *mm;
} KERNEL_TYPE;

/* Of a program that is run for each task. */
struct seq_file;

struct bpf_iter_meta {
	struct seq_file *seq;
} KERNEL_TYPE;

struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
} KERNEL_TYPE;

/* Before 5.14. */
struct task_struct___5_13 {
	long state;
} KERNEL_TYPE;

/* The kernel's names, not those of <asm/ptrace.h>. */
struct pt_regs___kernel {
	unsigned long r15, r14, r13, r12, bp, bx, ax, ip, cs, sp;
} KERNEL_TYPE;

/* Looked for by name, to know whether the kernel has it: from 5.15 on. */
enum bpf_func_id___5_15 {
	BPF_FUNC_task_pt_regs___5_15 = 175,
};

#define KERNEL_STACK_BYTES 16384 /* x86-64's THREAD_SIZE, without KASAN */
#define KERNEL_TASK_DEAD   0x80  /* __state of what never runs again */
#define KERNEL_PID_LEVELS  32    /* MAX_PID_NS_LEVEL */

#endif
