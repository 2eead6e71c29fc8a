/* SPDX-License-Identifier: Apache-2.0 */
#include "bpf/conditions.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

/* PROC_USER_INIT_INO in include/linux/proc_ns.h. */
#define FIRST_USER_NS 0xEFFFFFFDU

/*
 * Earlier kernels charge maps to RLIMIT_MEMLOCK; the maps of sjkc and the ring
 * buffer need less than this.
 */
#define MEMLOCK_ENOUGH (UINT64_C(64) << 20)

/*
 * Reads the first bytes of a file in /proc or /sys; false when it is
 * unreadable.
 */
static bool facts_read_text(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t len = fd < 0 ? -1 : read(fd, text, size - 1);

	if (fd >= 0)
		close(fd);
	text[len > 0 ? len : 0] = '\0';
	return len > 0;
}

static bool facts_read_number(const char *path, int *number)
{
	char text[32];

	if (!facts_read_text(path, text, sizeof(text)))
		return false;
	*number = (int)strtol(text, NULL, 10);
	return true;
}

/* Reads the mode in brackets from "none [integrity] confidentiality". */
static void facts_read_lockdown(char *mode, size_t size)
{
	char text[128];
	const char *at;

	mode[0] = '\0';
	if (!facts_read_text("/sys/kernel/security/lockdown", text,
			     sizeof(text)))
		return;
	at = strchr(text, '[');
	if (at)
		snprintf(mode, size, "%.*s", (int)strcspn(at + 1, "]"), at + 1);
}

static void facts_read_status(struct bpf_facts *f)
{
	char text[8192];
	const char *at;

	if (!facts_read_text("/proc/self/status", text, sizeof(text)))
		return;
	at = strstr(text, "\nCapEff:");
	if (at)
		f->capabilities = strtoull(at + 8, NULL, 16);
	at = strstr(text, "\nSeccomp:");
	if (at)
		f->seccomp = (int)strtol(at + 9, NULL, 10);
}

bool bpf_symbols_are_shown(const char *text)
{
	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strspn(line, "0") < strspn(line, "0123456789abcdef"))
			return true;
	}
	return false;
}

static bool facts_read_kallsyms(void)
{
	char text[4096];

	return facts_read_text("/proc/kallsyms", text, sizeof(text)) &&
	       bpf_symbols_are_shown(text);
}

static bool facts_have_capability(const struct bpf_facts *f,
				  unsigned capability)
{
	return f->capabilities >> capability & 1;
}

/*
 * Tries calls that are invalid without a seccomp filter.  Before Linux 6.0,
 * bpf(2) itself checks rights first, so its EPERM proves no filter.
 */
static void facts_try_filter(struct bpf_facts *f)
{
	f->bpf_is_eperm = syscall(SYS_bpf, 0x7fff, NULL, 0) < 0 &&
			  errno == EPERM;
	f->filters_perf = syscall(SYS_perf_event_open, NULL, -1, -1, -1, ~0UL) <
				  0 &&
			  errno == EPERM;
}

/*
 * Tries to open an event that never counts: from perf_event_paranoid 3 on,
 * Debian kernels require more rights than others, and differ among themselves.
 */
static enum bpf_perf facts_try_perf(void)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.disabled = 1,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1,
			      PERF_FLAG_FD_CLOEXEC);

	if (fd >= 0) {
		close(fd);
		return BPF_PERF_OPENED;
	}
	return errno == EACCES || errno == EPERM ? BPF_PERF_REFUSED
						 : BPF_PERF_UNKNOWN;
}

void bpf_facts_gather(struct bpf_facts *f)
{
	struct utsname name;
	struct rlimit limit;
	struct stat ns;

	*f = (struct bpf_facts){ .unprivileged_bpf_disabled = -1 };
	if (uname(&name) == 0)
		snprintf(f->release, sizeof(f->release), "%.63s", name.release);
	f->has_btf = access("/sys/kernel/btf/vmlinux", R_OK) == 0;
	f->in_first_user_ns = stat("/proc/self/ns/user", &ns) < 0 ||
			      ns.st_ino == FIRST_USER_NS;
	facts_read_status(f);
	if (f->seccomp == 2)
		facts_try_filter(f);
	facts_read_lockdown(f->lockdown, sizeof(f->lockdown));
	f->has_perf_events = facts_read_number(
		"/proc/sys/kernel/perf_event_paranoid", &f->paranoid);
	f->perf = f->filters_perf ? BPF_PERF_UNKNOWN : facts_try_perf();
	facts_read_number("/proc/sys/kernel/kptr_restrict", &f->kptr_restrict);
	facts_read_number("/proc/sys/kernel/unprivileged_bpf_disabled",
			  &f->unprivileged_bpf_disabled);
	f->shows_symbols = facts_read_kallsyms();
	f->locked_bytes = getrlimit(RLIMIT_MEMLOCK, &limit) == 0
				  ? limit.rlim_cur
				  : RLIM_INFINITY;
}

static bool release_is_before(const char *release, long major, long minor)
{
	char *rest;
	long first = strtol(release, &rest, 10);
	long second = *rest == '.' ? strtol(rest + 1, NULL, 10) : 0;

	return first < major || (first == major && second < minor);
}

static void condition_set(struct condition *c, bool holds, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static void condition_set(struct condition *c, bool holds, const char *fmt, ...)
{
	va_list args;

	c->state = holds ? CONDITION_HOLDS : CONDITION_FAILS;
	va_start(args, fmt);
	vsnprintf(c->detail, sizeof(c->detail), fmt, args);
	va_end(args);
}

/* Ring buffers are the newest feature that all programs need (Linux 5.8). */
static void condition_check_kernel(const struct bpf_facts *f,
				   struct condition *c)
{
	bool is_old = release_is_before(f->release, 5, 8);

	condition_set(c, !is_old, "Linux %s%s", f->release,
		      is_old ? " has no BPF ring buffers" : "");
}

static void condition_check_btf(const struct bpf_facts *f, struct condition *c)
{
	condition_set(
		c, f->has_btf, "/sys/kernel/btf/vmlinux %s",
		f->has_btf ? "exists: the kernel's types are available"
			   : "is missing: the kernel's types are unavailable");
}

static void condition_check_rights(const struct bpf_facts *f,
				   struct condition *c)
{
	bool admin = facts_have_capability(f, CAP_SYS_ADMIN);
	bool bpf = facts_have_capability(f, CAP_BPF),
	     perfmon = facts_have_capability(f, CAP_PERFMON);

	if (admin || (bpf && perfmon))
		condition_set(c, true, "%s",
			      bpf && perfmon ? "CAP_BPF and CAP_PERFMON"
					     : "CAP_SYS_ADMIN");
	else
		condition_set(c, false, "%s missing",
			      bpf       ? "CAP_PERFMON is"
			      : perfmon ? "CAP_BPF is"
					: "CAP_BPF and CAP_PERFMON are");
	if (c->state == CONDITION_FAILS && geteuid() == 0)
		snprintf(c->remedy, sizeof(c->remedy),
			 "run with CAP_BPF, CAP_PERFMON and CAP_SYS_PTRACE "
			 "(kubectl debug --profile=sysadmin)");
}

static void condition_check_user_ns(const struct bpf_facts *f,
				    struct condition *c)
{
	condition_set(
		c, f->in_first_user_ns, "%s",
		f->in_first_user_ns
			? "the initial one"
			: "not the initial one: its root may not use BPF");
}

static void condition_check_seccomp(const struct bpf_facts *f,
				    struct condition *c)
{
	bool has_rights = f->in_first_user_ns &&
			  (facts_have_capability(f, CAP_BPF) ||
			   facts_have_capability(f, CAP_SYS_ADMIN));
	bool filters_bpf = f->bpf_is_eperm && has_rights;

	condition_set(c, !filters_bpf && !f->filters_perf, "%s",
		      f->seccomp == 0   ? "no system call filter"
		      : filters_bpf     ? "a filter blocks bpf(2)"
		      : f->filters_perf ? "a filter blocks perf_event_open(2)"
		      : f->bpf_is_eperm ? "a filter, which may block bpf(2)"
					: "a filter, which allows bpf(2) and "
					  "perf_event_open(2)");
	if (c->state == CONDITION_HOLDS && f->bpf_is_eperm)
		c->state = CONDITION_UNKNOWN;
}

static void condition_check_lockdown(const struct bpf_facts *f,
				     struct condition *c)
{
	condition_set(c, strcmp(f->lockdown, "confidentiality") != 0, "%s",
		      f->lockdown[0] ? f->lockdown : "none");
}

static void condition_check_perf(const struct bpf_facts *f, struct condition *c)
{
	condition_set(c, f->has_perf_events, "%s",
		      f->has_perf_events ? "this kernel supports them"
					 : "this kernel has none");
}

/* Debian kernels: from 3 on, the setting applies to all but CAP_SYS_ADMIN. */
static bool facts_are_too_paranoid(const struct bpf_facts *f)
{
	return f->paranoid > 2 && facts_have_capability(f, CAP_PERFMON);
}

static void condition_check_perf_rights(const struct bpf_facts *f,
					struct condition *c)
{
	if (f->perf == BPF_PERF_UNKNOWN) {
		condition_set(c, true, "unknown whether CPUs may be sampled");
		c->state = CONDITION_UNKNOWN;
		return;
	}
	condition_set(c, f->perf == BPF_PERF_OPENED,
		      "perf_event_paranoid is %d, %s", f->paranoid,
		      f->perf == BPF_PERF_OPENED
			      ? "which allows sampling of all CPUs"
		      : facts_are_too_paranoid(f)
			      ? "which applies to CAP_PERFMON, too"
		      : facts_have_capability(f, CAP_PERFMON)
			      ? "but sampling of all CPUs is refused"
			      : "which requires CAP_PERFMON");
	if (c->state == CONDITION_FAILS && facts_are_too_paranoid(f))
		snprintf(c->remedy, sizeof(c->remedy),
			 "run as root, or with CAP_SYS_ADMIN, or set "
			 "kernel.perf_event_paranoid to 2");
}

static void condition_check_memory(const struct bpf_facts *f,
				   struct condition *c)
{
	bool is_short = release_is_before(f->release, 5, 11) &&
			f->locked_bytes < MEMLOCK_ENOUGH &&
			!facts_have_capability(f, CAP_SYS_RESOURCE);

	if (f->locked_bytes == RLIM_INFINITY)
		condition_set(c, true, "unlimited");
	else
		condition_set(c, !is_short, "%llu KiB, %s",
			      (unsigned long long)f->locked_bytes >> 10,
			      is_short ? "and this kernel charges BPF maps to "
					 "it"
				       : "which does not limit BPF here");
}

static void condition_check_symbols(const struct bpf_facts *f,
				    struct condition *c)
{
	bool is_shown = f->shows_symbols ||
			!release_is_before(f->release, 5, 14);

	condition_set(c, is_shown, "kptr_restrict is %d: %s", f->kptr_restrict,
		      f->shows_symbols ? "the kernel's functions have names"
		      : is_shown       ? "the kernel names functions on request"
				 : "the kernel's functions have no names");
}

static const struct {
	const char *name;
	enum error_kind kind;
	void (*check)(const struct bpf_facts *f, struct condition *c);
	const char *remedy; /* used unless the check sets a better one */
} checks[] = {
	{ "kernel", ERROR_UNAVAILABLE, condition_check_kernel,
	  "use Linux 5.8 or later" },
	{ "user namespace", ERROR_PERMISSION, condition_check_user_ns,
	  "run sjkc outside the container or in a privileged one" },
	{ "BPF rights", ERROR_PERMISSION, condition_check_rights,
	  "run as root or with CAP_BPF, CAP_PERFMON and CAP_SYS_PTRACE" },
	{ "seccomp", ERROR_PERMISSION, condition_check_seccomp,
	  "have the container's seccomp profile allow bpf and "
	  "perf_event_open" },
	{ "lockdown", ERROR_UNAVAILABLE, condition_check_lockdown,
	  "boot with lockdown=integrity or without lockdown" },
	{ "BTF", ERROR_UNAVAILABLE, condition_check_btf,
	  "use a kernel with CONFIG_DEBUG_INFO_BTF; in a container, mount "
	  "/sys" },
	{ "perf events", ERROR_UNAVAILABLE, condition_check_perf,
	  "use a kernel with CONFIG_PERF_EVENTS; in a container, mount /proc" },
	{ "perf rights", ERROR_PERMISSION, condition_check_perf_rights,
	  "run as root or with CAP_PERFMON" },
	{ "locked memory", ERROR_PERMISSION, condition_check_memory,
	  "ulimit -l unlimited" },
	/* The last: only names depend on it. */
	{ "kernel symbols", ERROR_NONE, condition_check_symbols,
	  "run with CAP_SYSLOG and with kernel.kptr_restrict below 2" },
};

size_t bpf_conditions(const struct bpf_facts *f, struct condition *list)
{
	size_t count = sizeof(checks) / sizeof(*checks);

	for (size_t i = 0; i < count; i++) {
		list[i] = (struct condition){ .name = checks[i].name,
					      .kind = checks[i].kind };
		checks[i].check(f, &list[i]);
		if (list[i].state == CONDITION_FAILS && !list[i].remedy[0])
			snprintf(list[i].remedy, sizeof(list[i].remedy), "%s",
				 checks[i].remedy);
	}
	return count;
}
