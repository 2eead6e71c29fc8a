/* SPDX-License-Identifier: Apache-2.0 */
#include "core/jvm/jvm_kind.h"

#include "core/base/child.h"
#include "core/base/lines.h"
#include "core/base/text.h"
#include "core/jvm/opener.h"
#include "core/jvm/procfs.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Java programs compiled ahead of time, without a JVM ---- */

#define SECTIONS_MAX 4096

static const char heap[] = ".svm_heap";

/* Reads len bytes or fails. */
static bool image_read_at(int fd, uint64_t offset, void *bytes, size_t len)
{
	ssize_t got;

	if (offset > INT64_MAX - len)
		return false;
	do {
		got = pread(fd, bytes, len, (off_t)offset);
	} while (got < 0 && errno == EINTR);
	return got >= 0 && (size_t)got == len;
}

static bool image_read_section(int fd, const Elf64_Ehdr *header, uint32_t index,
			       Elf64_Shdr *section)
{
	uint64_t offset;

	return !__builtin_add_overflow(header->e_shoff,
				       (uint64_t)index * sizeof(*section),
				       &offset) &&
	       image_read_at(fd, offset, section, sizeof(*section));
}

static bool section_is_heap(int fd, const Elf64_Shdr *names,
			    const Elf64_Shdr *section)
{
	char name[sizeof(heap)];
	uint64_t offset;

	return !__builtin_add_overflow(names->sh_offset, section->sh_name,
				       &offset) &&
	       image_read_at(fd, offset, name, sizeof(name)) &&
	       memcmp(name, heap, sizeof(heap)) == 0;
}

bool native_image_is(int fd)
{
	Elf64_Ehdr header;
	Elf64_Shdr names, section;

	if (!image_read_at(fd, 0, &header, sizeof(header)) ||
	    memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
	    header.e_ident[EI_CLASS] != ELFCLASS64 ||
	    header.e_shentsize != sizeof(section) ||
	    header.e_shnum > SECTIONS_MAX ||
	    !image_read_section(fd, &header, header.e_shstrndx, &names))
		return false;
	for (uint32_t i = 0; i < header.e_shnum; i++) {
		if (!image_read_section(fd, &header, i, &section))
			return false;
		if (section_is_heap(fd, &names, &section))
			return true;
	}
	return false;
}

#define LONGEST_LINE                                                           \
	8192 /* a path has at most 4096 bytes, some of them escaped */

static const char
	deleted[] = " (deleted)"; /* proc(5): the file has been removed */

/* True if the file name of a path is name, with any extension. */
static bool mapping_is_library(struct line path, const char *name)
{
	const char *slash = path.len ? memrchr(path.text, '/', path.len) : NULL;
	struct line base;

	if (!slash)
		return false;
	base.text = slash + 1;
	base.len = path.len - (size_t)(slash + 1 - path.text);
	return line_starts(base, name) && line_ends(base, ".so");
}

/* Returns the path of a mapping without the suffix of proc(5). */
static struct line mapping_path(const char *line, size_t len)
{
	const char *slash = len ? memchr(line, '/', len) : NULL;
	struct line path = { .text = slash };

	if (slash)
		path.len = len - (size_t)(slash - line);
	if (line_ends(path, deleted))
		path.len -= sizeof(deleted) - 1;
	return path;
}

enum jvm_kind jvm_kind_of_mapping(const char *line, size_t len)
{
	struct line path = mapping_path(line, len);
	const char *rights = len ? memchr(line, ' ', len) : NULL;

	/*
	 * A line reads "start-end rwxp …". A process that only reads the
	 * library has no executable mapping of it.
	 */
	if (!rights || (size_t)(line + len - rights) < 5 || rights[3] != 'x')
		return JVM_NONE;
	if (line_ends(path, "/libjvm.so"))
		return JVM_HOTSPOT;
	/*
	 * The library is libj9vm29.so or similar; OpenJ9's libjvm is only a
	 * shim.
	 */
	return mapping_is_library(path, "libj9vm") ? JVM_OPENJ9 : JVM_NONE;
}

/* Result of a scan. */
struct found {
	enum jvm_kind kind;
	struct text *library; /* or NULL */
};

static void scan_line(struct found *found, struct line line)
{
	enum jvm_kind kind = jvm_kind_of_mapping(line.text, line.len);
	struct line path = mapping_path(line.text, line.len);

	if (kind == JVM_NONE || found->kind == JVM_OPENJ9)
		return;
	found->kind = kind;
	if (!found->library)
		return;
	text_clear(found->library);
	text_add(found->library, path.text, path.len);
}

/* Checks the complete lines of *text and leaves the rest. */
static void scan(struct text *text, struct found *found)
{
	const char *end = text->len ? memrchr(text->bytes, '\n', text->len)
				    : NULL;
	size_t whole = end ? (size_t)(end + 1 - text->bytes) : 0;
	struct lines lines = lines_over(text->bytes, whole);
	struct line line;

	while (lines_next(&lines, &line))
		scan_line(found, line);
	text->len -= whole;
	/* The kernel writes no line of this length. */
	if (text->len > LONGEST_LINE)
		text->len = 0;
	if (whole && text->len)
		memmove(text->bytes, text->bytes + whole, text->len);
}

/*
 * Queries only executable mappings of files, one by one: a JVM with 1,000
 * threads has 2,000 other mappings, which the kernel takes a millisecond to
 * print. Returns false before Linux 6.11, whose <linux/fs.h> defines these
 * names.
 */
struct mapping_query { /* struct procmap_query */
	uint64_t size, flags, address;
	uint64_t start, end, rights, page_size, offset, inode;
	uint32_t dev_major, dev_minor;
	uint32_t name_size, build_id_size;
	uint64_t name, build_id;
};

#define MAPPING_QUERY _IOWR('f', 17, struct mapping_query) /* PROCMAP_QUERY */

/* Executable, at the address or after it, of a file. */
enum { QUERY_FLAGS = 0x04 | 0x10 | 0x20 };

static bool scan_by_query(int fd, struct found *found)
{
	char line[PATH_MAX + 64] = "0-0 r-xp ";
	size_t head = strlen(line);
	struct mapping_query q = { .size = sizeof(q), .flags = QUERY_FLAGS };

	for (;;) {
		struct line mapping = { .text = line };

		q.name = (uint64_t)(uintptr_t)(line + head);
		q.name_size = (uint32_t)(sizeof(line) - head);
		q.build_id_size = 0;
		if (ioctl(fd, MAPPING_QUERY, &q) < 0)
			return errno == ENOENT;
		mapping.len = head + strnlen(line + head, sizeof(line) - head);
		scan_line(found, mapping);
		if (q.end <= q.address)
			return true;
		q.address = q.end;
	}
}

static int scan_maps_once(pid_t pid, struct found *found, bool *is_empty,
			  struct error *err)
{
	int fd = procfs_open(pid, "maps", O_RDONLY, err);
	struct text text = { 0 };
	char part[16384];
	ssize_t got;

	if (fd < 0)
		return -1;
	*is_empty = false;
	if (scan_by_query(fd, found)) {
		close(fd);
		return 0;
	}
	*is_empty = true;
	while ((got = procfs_part(pid, "maps", fd, part, sizeof(part), err)) >
	       0) {
		*is_empty = false;
		text_add(&text, part, (size_t)got);
		scan(&text, found);
	}
	text_release(&text);
	close(fd);
	return got < 0 ? -1 : 0;
}

/* A kernel thread has no mappings, nor has a first thread that has ended. */
static int scan_maps(pid_t pid, struct found *found, struct error *err)
{
	bool is_empty;

	if (scan_maps_once(pid, found, &is_empty, err))
		return -1;
	return is_empty && procfs_use_thread(pid)
		       ? scan_maps_once(pid, found, &is_empty, err)
		       : 0;
}

int jvm_kind_library(pid_t pid, enum jvm_kind *kind, struct text *library,
		     struct error *err)
{
	struct found found = { .kind = JVM_NONE, .library = library };
	int ret;

	text_clear(library);
	ret = scan_maps(pid, &found, err);
	*kind = found.kind;
	return ret;
}

static bool kind_may_trace(const struct proc_status *own)
{
	return own->capabilities >> CAP_SYS_PTRACE & 1;
}

/* root without the capability usually runs in a container. */
static const char *kind_remedy(bool has_right)
{
	if (has_right)
		return "it may run in another user namespace, or be protected "
		       "by a security module";
	return geteuid() ? "run as that user or as root"
			 : "run as that user, or with CAP_SYS_PTRACE (docker "
			   "run --cap-add SYS_PTRACE, kubectl debug "
			   "--profile=general)";
}

/* Names of linux/capability.h, in its order. */
static const char *const capability_names[] = {
	"chown",
	"dac_override",
	"dac_read_search",
	"fowner",
	"fsetid",
	"kill",
	"setgid",
	"setuid",
	"setpcap",
	"linux_immutable",
	"net_bind_service",
	"net_broadcast",
	"net_admin",
	"net_raw",
	"ipc_lock",
	"ipc_owner",
	"sys_module",
	"sys_rawio",
	"sys_chroot",
	"sys_ptrace",
	"sys_pacct",
	"sys_admin",
	"sys_boot",
	"sys_nice",
	"sys_resource",
	"sys_time",
	"sys_tty_config",
	"mknod",
	"lease",
	"audit_write",
	"audit_control",
	"setfcap",
	"mac_override",
	"mac_admin",
	"syslog",
	"wake_alarm",
	"block_suspend",
	"audit_read",
	"perfmon",
	"bpf",
	"checkpoint_restore",
};

static void kind_add_capabilities(struct text *out, uint64_t capabilities)
{
	const size_t known = sizeof(capability_names) /
			     sizeof(*capability_names);
	const char *between = "";

	for (size_t i = 0; i < 64; i++) {
		if (!(capabilities >> i & 1))
			continue;
		if (i < known)
			text_printf(out, "%scap_%s", between,
				    capability_names[i]);
		else
			text_printf(out, "%scapability %zu", between, i);
		between = ", ";
	}
}

/*
 * Adds the reason why the kernel denies sjkc a process of the same user
 * (__ptrace_may_access()): the groups must be equal, and sjkc must have all
 * capabilities that the process may have. False if the reason is another one.
 */
static bool kind_add_denial(struct text *out, pid_t pid,
			    const struct proc_status *target,
			    const struct proc_status *own)
{
	uint64_t lacks = target->permitted & ~own->capabilities;
	struct stat proc;
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	if (target->gid != own->gid) {
		text_printf(out,
			    "the process runs with gid %u, sjkc with gid %u; "
			    "run with that group (newgrp, sg, setpriv --regid) "
			    "or as root",
			    (unsigned)target->gid, (unsigned)own->gid);
	} else if (lacks) {
		text_puts(out, "the process has capabilities that sjkc lacks "
			       "(");
		kind_add_capabilities(out, lacks);
		text_puts(out, "); run as root, or with these capabilities");
	} else if (stat(path, &proc) == 0 && proc.st_uid != target->uid) {
		/* Owned by root: task_dump_owner(). */
		text_puts(out, "the kernel protects the process, because its "
			       "program file grants capabilities (setcap) or "
			       "it changed its user; run as root");
	} else {
		return false;
	}
	return true;
}

int jvm_kind_of(pid_t pid, const struct proc_status *status,
		enum jvm_kind *kind, struct error *err)
{
	struct found found = { .kind = JVM_NONE };
	int ret = scan_maps(pid, &found, err);
	struct proc_status own = { 0 };
	struct text why = { 0 };
	bool has_right;

	*kind = found.kind;
	if (ret == 0)
		return 0;
	if (!status || err->kind != ERROR_PERMISSION ||
	    (err->sys != EACCES && err->sys != EPERM) ||
	    procfs_status(getpid(), &own, error_unused()))
		return -1;
	has_right = kind_may_trace(&own);
	if (!has_right && status->uid == own.uid &&
	    kind_add_denial(&why, pid, status, &own))
		fail(err, ERROR_PERMISSION, "%d: permission denied: %s",
		     (int)pid, why.bytes);
	else
		fail(err, ERROR_PERMISSION,
		     "%d: permission denied: the process runs as uid %u, sjkc "
		     "as uid %u with%s CAP_SYS_PTRACE; %s",
		     (int)pid, (unsigned)status->uid, (unsigned)own.uid,
		     has_right ? "" : "out", kind_remedy(has_right));
	text_release(&why);
	return -1;
}

/* True for a kernel thread, and for a process that the kernel is ending. */
static bool pid_has_no_program(pid_t pid)
{
	char path[32], target[16];

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)procfs_owner(pid));
	return readlink(path, target, sizeof(target)) < 0 && errno == ENOENT;
}

/* Runs in the opener. */
static int image_check_job(const struct jvm *jvm, void *is, struct error *err)
{
	int fd = procfs_open(jvm->pid, "exe", O_RDONLY | O_NONBLOCK, err);

	if (fd < 0)
		return -1;
	*(bool *)is = native_image_is(fd);
	close(fd);
	return CHILD_NOTHING;
}

static bool pid_is_native_image(pid_t pid)
{
	const struct jvm process = { .pid = pid, .pidfd = -1 };
	bool is = false;
	struct opening o = {
		.jvm = &process,
		.job = image_check_job,
		.argument = &is,
		.size = sizeof(is),
		.place = OPENER_PROGRAM,
	};

	opener_run(&o, error_unused());
	return is;
}

int jvm_kind_explain(pid_t pid, struct error *err)
{
	struct proc_stat stat;

	if (procfs_stat(pid, &stat, err))
		return -1;
	if (pid_has_no_program(pid))
		return fail(err, ERROR_NO_TARGET, "%d (%s) is %s", (int)pid,
			    stat.comm,
			    stat.is_kernel_thread
				    ? "a kernel thread, not a JVM"
				    : "exiting: the kernel frees its memory");
	if (pid_is_native_image(pid))
		return fail(err, ERROR_NO_TARGET,
			    "%d (%s) is a GraalVM native image, which contains "
			    "no JVM",
			    (int)pid, stat.comm);
	return fail(err, ERROR_NO_TARGET,
		    "%d (%s) is not a JVM: it has not mapped libjvm", (int)pid,
		    stat.comm);
}

#define SIGNAL_BIT(signal) ((uint64_t)1 << ((signal)-1))

/*
 * Tells by the signal handlers whether a process may be a JVM. Whatever its
 * options (-Xrs omits SIGQUIT), a JVM detects faults of compiled code by
 * signals. HotSpot also handles SIGXFSZ, JDK 8 to 28; OpenJ9 SIGQUIT. Programs
 * that only report their own crashes handle neither. The Go runtime handles
 * nearly all signals, including SIGURG, which JVMs do not handle.
 */
bool jvm_kind_may_be(const struct proc_status *s)
{
	const uint64_t faults = SIGNAL_BIT(SIGILL) | SIGNAL_BIT(SIGBUS) |
				SIGNAL_BIT(SIGFPE) | SIGNAL_BIT(SIGSEGV);
	const uint64_t others = SIGNAL_BIT(SIGXFSZ) | SIGNAL_BIT(SIGQUIT);

	return s->threads > 1 && (s->caught & faults) == faults &&
	       (s->caught & others) && !(s->caught & SIGNAL_BIT(SIGURG));
}
