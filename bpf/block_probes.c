/* SPDX-License-Identifier: Apache-2.0 */
#include "bpf/block_probes.h"

#include "bpf/kernel/sampler_maps.h"
#include "bpf/load.h"
#include "core/base/alloc.h"
#include "core/jvm/procfs.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/utsname.h>
#include <unistd.h>

/* ns per call in a JVM, measured with Linux 6.18 in a virtual machine. */
enum {
	COST_SESSION = 1200,
	COST_RETURNS = 2000, /* at the entry and the return */
	COST_FREE = 1100,
	COST_STEPPED = 6100, /* more for an instruction that is not emulated */
	COST_MAP = 11000,    /* the instruction, and mostly a copied stack */
};

enum { STATUS_BYTES = 8192 };

/* Of Linux 6.13, which <linux/bpf.h> may not have. */
enum { LINK_CREATE = 28, TRACE_UPROBE_SESSION = 57 };

struct link_attributes {
	uint32_t program, target, type, flags;
	uint64_t path, offsets, ref_ctr_offsets, cookies;
	uint32_t count, multi_flags, pid, padding;
};

struct block_probe {
	pid_t pid;
	dev_t dev; /* of the file; 0 = unknown */
	ino_t ino;
	struct malloc_point point;
	int session; /* a descriptor, or -1: the links */
	struct bpf_link *entry, *leave;
};

/* True if a release, such as "6.18.2", is at least this one. */
static bool release_is(const char *release, unsigned long major,
		       unsigned long minor)
{
	char *rest;
	unsigned long is = strtoul(release, &rest, 10);

	return is > major || (is == major && *rest == '.' &&
			      strtoul(rest + 1, NULL, 10) >= minor);
}

bool block_probes_has_sessions(const char *release)
{
	return release_is(release, 6, 13);
}

bool block_probes_has_cookies(void)
{
	struct utsname name;

	return uname(&name) == 0 && release_is(name.release, 5, 15);
}

bool block_probes_are_filtered(const char *release)
{
	return release_is(release, 6, 11) && !release_is(release, 6, 14);
}

/*
 * Fails if the kernel would kill the process at the return of a function.
 */
static int probes_check_filter(pid_t pid, struct error *err)
{
	static const char key[] = "\nSeccomp:";
	struct text status = { 0 };
	struct utsname name;
	const char *at = NULL;
	bool is_filtered;

	if (uname(&name) || !block_probes_are_filtered(name.release))
		return 0;
	if (procfs_read(pid, "status", STATUS_BYTES, &status, err) == 0 &&
	    status.len)
		at = strstr(status.bytes, key);
	is_filtered = at && strtoul(at + strlen(key), NULL, 10) != 0;
	text_release(&status);
	if (!is_filtered)
		return 0;
	return fail(err, ERROR_UNAVAILABLE,
		    "%d: Linux 6.11 to 6.13 may kill a process that has a "
		    "seccomp filter at uprobes of returns; use -e pagefault",
		    (int)pid);
}

/* A program for sessions cannot be attached in another way. */
void block_probes_prepare(struct block_probes *b)
{
	struct utsname name;

	b->has_sessions = uname(&name) == 0 &&
			  block_probes_has_sessions(name.release);
	for (size_t i = 0; b->has_sessions && i < MALLOC_FREE; i++)
		bpf_program__set_expected_attach_type(
			b->entries[i],
			(enum bpf_attach_type)TRACE_UPROBE_SESSION);
}

static int probe_open_session(const struct block_probes *b,
			      const struct block_probe *p, const char *path)
{
	struct link_attributes a = {
		.program = (uint32_t)bpf_program__fd(
			b->entries[p->point.function]),
		.type = TRACE_UPROBE_SESSION,
		.path = (uintptr_t)path,
		.offsets = (uintptr_t)&p->point.offset,
		.count = 1,
		.pid = (uint32_t)p->pid,
	};

	return (int)syscall(SYS_bpf, LINK_CREATE, &a, sizeof(a));
}

/* The offsets in the kernel's struct pt_regs, which has the same order. */
#define OFFSET(reg) offsetof(struct user_regs_struct, reg)
static const uint8_t register_offsets[16] = {
	OFFSET(rax), OFFSET(rdx), OFFSET(rcx), OFFSET(rbx),
	OFFSET(rsi), OFFSET(rdi), OFFSET(rbp), OFFSET(rsp),
	OFFSET(r8),  OFFSET(r9),  OFFSET(r10), OFFSET(r11),
	OFFSET(r12), OFFSET(r13), OFFSET(r14), OFFSET(r15),
};

/*
 * Stores the places of a USDT probe's arguments; its cookie is their index.
 * Linux before 5.15 has no cookies: the programs read the first places then.
 */
static int probe_add_usdt(struct block_probes *b, const struct block_probe *p,
			  uint64_t *cookie)
{
	struct usdt_arguments places;

	if (b->usdt_count == SAMPLER_USDTS) {
		errno = E2BIG;
		return -1;
	}
	for (size_t i = 0; i < 3; i++) {
		const struct elf_usdt_argument *a = &p->point.arguments[i];

		places.all[i] = (struct usdt_argument){
			.bytes = a->bytes,
			.is_signed = a->is_signed,
			.is_constant = a->is_constant,
			.is_memory = a->is_memory,
			.reg = register_offsets[a->reg & 15],
			.offset = a->offset,
		};
	}
	*cookie = b->usdt_count++;
	return bpf_map_update_elem(bpf_map__fd(b->usdts),
				   &(uint32_t){ (uint32_t)*cookie }, &places,
				   BPF_ANY);
}

static int probe_open_links(struct block_probes *b, struct block_probe *p,
			    const char *path)
{
	LIBBPF_OPTS(bpf_uprobe_opts, at_entry,
		    .ref_ctr_offset = p->point.semaphore);
	LIBBPF_OPTS(bpf_uprobe_opts, at_return, .retprobe = true);
	enum malloc_function function = p->point.function;
	uint64_t cookie;

	if (function >= MALLOC_SAMPLED) {
		if (probe_add_usdt(b, p, &cookie))
			return -1;
		at_entry.bpf_cookie = cookie;
	}
	/* Before the entry: a return without its entry is ignored. */
	if (function < MALLOC_FREE) {
		p->leave = bpf_program__attach_uprobe_opts(
			b->returns, p->pid, path, p->point.offset, &at_return);
		if (!p->leave)
			return -1;
	}
	p->entry = bpf_program__attach_uprobe_opts(
		b->entries[function], p->pid, path, p->point.offset, &at_entry);
	return p->entry ? 0 : -1;
}

static void probe_close(struct block_probe *p)
{
	int saved = errno;
	sigset_t before;

	load_block_signals(&before);
	if (p->session >= 0)
		close(p->session);
	bpf_link__destroy(p->entry);
	bpf_link__destroy(p->leave);
	sigprocmask(SIG_SETMASK, &before, NULL);
	errno = saved;
}

static int probe_open(struct block_probes *b, struct block_probe *p,
		      const char *path)
{
	if (p->point.function < MALLOC_FREE && b->has_sessions) {
		p->session = probe_open_session(b, p, path);
		return p->session >= 0 ? 0 : -1;
	}
	if (probe_open_links(b, p, path) == 0)
		return 0;
	probe_close(p);
	return -1;
}

static bool probes_have(const struct block_probes *b,
			const struct block_probe *probe)
{
	for (size_t i = 0; probe->dev && i < b->count; i++) {
		const struct block_probe *p = &b->all[i];

		if (p->pid == probe->pid && p->dev == probe->dev &&
		    p->ino == probe->ino &&
		    p->point.offset == probe->point.offset)
			return true;
	}
	return false;
}

int block_probes_attach(struct block_probes *b, pid_t pid, const char *path,
			const struct malloc_point *point, struct error *err)
{
	struct block_probe probe = { .pid = pid, .session = -1 };
	struct proc_status target;
	struct stat file;
	sigset_t before;
	bool is_open;
	int sys;

	if (probes_check_filter(pid, err))
		return -1;
	probe.point = *point;
	if (procfs_identify(AT_FDCWD, path, &file)) {
		probe.dev = file.st_dev;
		probe.ino = file.st_ino;
	}
	if (probes_have(b, &probe))
		return 0;
	load_block_signals(&before);
	is_open = probe_open(b, &probe, path) == 0;
	sys = errno;
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (is_open) {
		array_add(b->all, b->count, b->cap, probe);
		return 0;
	}
	if (sys == ESRCH || sys == ENOENT)
		return fail(err, ERROR_NO_TARGET, "%d: the process has exited",
			    (int)pid);
	load_refused_uprobe(procfs_status(pid, &target, err) ? geteuid()
							     : target.fs_uid,
			    sys, err);
	return fail_in(err, "%d", (int)pid);
}

void block_probes_detach(struct block_probes *b, pid_t pid)
{
	size_t kept = 0;

	for (size_t i = 0; i < b->count; i++) {
		if (!pid || b->all[i].pid == pid)
			probe_close(&b->all[i]);
		else
			b->all[kept++] = b->all[i];
	}
	b->count = kept;
}

void block_probes_keep_maps(struct block_probes *b)
{
	size_t kept = 0;

	for (size_t i = 0; i < b->count; i++) {
		if (malloc_function_maps(b->all[i].point.function))
			b->all[kept++] = b->all[i];
		else
			probe_close(&b->all[i]);
	}
	b->count = kept;
}

void block_probes_release(struct block_probes *b)
{
	block_probes_detach(b, 0);
	free(b->all);
	b->all = NULL;
	b->cap = 0;
}

uint64_t block_probes_cost(const struct block_probes *b, uint64_t allocations,
			   uint64_t frees)
{
	uint64_t allocation = b->has_sessions ? COST_SESSION : COST_RETURNS;
	uint64_t freed = COST_FREE;

	for (size_t i = 0; i < b->count; i++) {
		const struct malloc_point *p = &b->all[i].point;

		if (p->function == MALLOC_FREE && !p->is_emulated)
			freed = COST_FREE + COST_STEPPED;
		/* The other functions are rarely called. */
		if (p->function == MALLOC_OF_SIZE && !p->is_emulated)
			allocation += COST_STEPPED;
	}
	return allocations * allocation + frees * freed;
}

uint64_t block_probes_cost_of_maps(uint64_t calls) { return calls * COST_MAP; }
