/* SPDX-License-Identifier: Apache-2.0 */
#include "core/jvm/procfs.h"

#include "core/base/ascii.h"
#include "core/base/lines.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define FIRST_READ 4096 /* most files of /proc are shorter */

static int procfs_fail_no_process(pid_t pid, struct error *err)
{
	return fail(err, ERROR_NO_TARGET, "%d: no such process", (int)pid);
}

/* Explains why a file of a process is missing. */
static int procfs_fail_missing(pid_t pid, const char *name, struct error *err)
{
	char directory[32];

	if (access("/proc/self/stat", F_OK) < 0)
		return fail(err, ERROR_UNAVAILABLE, "/proc is not mounted");
	snprintf(directory, sizeof(directory), "/proc/%d", (int)pid);
	if (access(directory, F_OK) == 0)
		return fail(err, ERROR_UNAVAILABLE,
			    "%d: this kernel has no /proc/%d/%s", (int)pid,
			    (int)pid, name);
	/* Signal 0 only checks whether the process exists. */
	if (kill(pid, 0) == 0 || errno == EPERM)
		return fail(err, ERROR_PERMISSION,
			    "%d: /proc hides this process (hidepid); run as "
			    "its user or as root",
			    (int)pid);
	return procfs_fail_no_process(pid, err);
}

/* Explains the errno of a file of a process. */
static int procfs_fail(pid_t pid, const char *name, struct error *err)
{
	int sys = errno;

	if (sys == ESRCH)
		procfs_fail_no_process(pid, err);
	else if (sys == ENOENT || sys == ENOTDIR)
		procfs_fail_missing(pid, name, err);
	else
		fail_sys(err,
			 sys == EACCES || sys == EPERM ? ERROR_PERMISSION
						       : ERROR_FAILED,
			 "%d: /proc/%d/%s", (int)pid, (int)pid, name);
	err->sys = sys;
	return -1;
}

/* Returns true for files that tell about a thread, not about its process. */
static bool procfs_is_of_thread(const char *name)
{
	return strcmp(name, "stat") == 0 || strcmp(name, "status") == 0 ||
	       strcmp(name, "comm") == 0 || strncmp(name, "task", 4) == 0;
}

int procfs_open(pid_t pid, const char *name, int flags, struct error *err)
{
	pid_t owner = procfs_is_of_thread(name) ? pid : procfs_owner(pid);
	char path[128];
	int fd, len;

	len = snprintf(path, sizeof(path), "/proc/%d/%s", (int)owner, name);
	if (len < 0 || (size_t)len >= sizeof(path))
		return fail(err, ERROR_FAILED, "/proc/%d/%s: too long",
			    (int)pid, name);
	fd = open(path, flags | O_CLOEXEC);
	return fd >= 0 ? fd : procfs_fail(pid, name, err);
}

ssize_t procfs_part(pid_t pid, const char *name, int fd, void *bytes,
		    size_t size, struct error *err)
{
	ssize_t got;

	do {
		got = read(fd, bytes, size);
	} while (got < 0 && errno == EINTR);
	return got >= 0 ? got : procfs_fail(pid, name, err);
}

int procfs_read(pid_t pid, const char *name, size_t limit, struct text *out,
		struct error *err)
{
	int fd = procfs_open(pid, name, O_RDONLY, err);
	char part[FIRST_READ];
	ssize_t got = 1;

	text_clear(out);
	if (fd < 0)
		return -1;
	while (got > 0 && out->len < limit) {
		size_t left = limit - out->len;

		got = procfs_part(pid, name, fd, part,
				  left < sizeof(part) ? left : sizeof(part),
				  err);
		if (got > 0)
			text_add(out, part, (size_t)got);
	}
	close(fd);
	return got < 0 ? -1 : 0;
}

bool procfs_identify(int dir, const char *path, struct stat *st)
{
	struct statx found;

	if (statx(dir, path, AT_STATX_DONT_SYNC, STATX_INO, &found) < 0)
		return false;
	*st = (struct stat){
		.st_dev = makedev(found.stx_dev_major, found.stx_dev_minor),
		.st_ino = found.stx_ino,
	};
	return true;
}

/* Reads the next word of a line and advances *rest; false at the end. */
static bool line_next_word(struct line *rest, struct line *word)
{
	size_t len = 0;

	*rest = line_trimmed(*rest);
	while (len < rest->len && !is_blank(rest->text[len]))
		len++;
	*word = (struct line){ .text = rest->text, .len = len };
	*rest = (struct line){ .text = rest->text + len,
			       .len = rest->len - len };
	return len > 0;
}

/* Parses a whole word as a number; false if it is invalid or too large. */
static bool word_number(struct line word, unsigned base, uint64_t *value)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < word.len; i++) {
		int digit = hex_digit(word.text[i]);

		if (digit < 0 || (unsigned)digit >= base ||
		    __builtin_mul_overflow(sum, base, &sum) ||
		    __builtin_add_overflow(sum, (uint64_t)digit, &sum))
			return false;
	}
	*value = sum;
	return word.len > 0;
}

/* Parses up to max numbers; returns the count before the first invalid word. */
static size_t line_numbers(struct line rest, unsigned base, uint64_t *values,
			   size_t max)
{
	struct line word;
	size_t n = 0;

	while (n < max && line_next_word(&rest, &word) &&
	       word_number(word, base, &values[n]))
		n++;
	return n;
}

typedef bool field_fn(struct line value, struct proc_status *status);

static bool status_set_state(struct line value, struct proc_status *status)
{
	struct line word;

	if (!line_next_word(&value, &word))
		return false;
	status->state = word.text[0];
	return true;
}

static bool status_parse_pid(struct line value, pid_t *pid)
{
	uint64_t n;

	if (line_numbers(value, 10, &n, 1) != 1 || n > INT32_MAX)
		return false;
	*pid = (pid_t)n;
	return true;
}

static bool status_set_tgid(struct line value, struct proc_status *status)
{
	return status_parse_pid(value, &status->tgid);
}

static bool status_set_tracer(struct line value, struct proc_status *status)
{
	return status_parse_pid(value, &status->tracer);
}

/* The line has the real, effective, saved and file system ID. */
static bool status_parse_ids(struct line value, uint32_t *effective,
			     uint32_t *of_files)
{
	uint64_t ids[4];

	if (line_numbers(value, 10, ids, 4) != 4 || ids[1] > UINT32_MAX ||
	    ids[3] > UINT32_MAX)
		return false;
	*effective = (uint32_t)ids[1];
	*of_files = (uint32_t)ids[3];
	return true;
}

static bool status_set_uids(struct line value, struct proc_status *status)
{
	return status_parse_ids(value, &status->uid, &status->fs_uid);
}

static bool status_set_gids(struct line value, struct proc_status *status)
{
	return status_parse_ids(value, &status->gid, &status->fs_gid);
}

static bool status_set_ns_pids(struct line value, struct proc_status *status)
{
	uint64_t pids[PROCFS_NAMESPACES];

	status->ns_depth = line_numbers(value, 10, pids, PROCFS_NAMESPACES);
	for (size_t i = 0; i < status->ns_depth; i++) {
		if (pids[i] > INT32_MAX)
			return false;
		status->ns_pids[i] = (pid_t)pids[i];
	}
	return status->ns_depth > 0;
}

static bool status_set_rss(struct line value, struct proc_status *status)
{
	return line_numbers(value, 10, &status->rss_bytes, 1) == 1 &&
	       !__builtin_mul_overflow(status->rss_bytes, 1024,
				       &status->rss_bytes);
}

static bool status_set_threads(struct line value, struct proc_status *status)
{
	uint64_t n;

	if (line_numbers(value, 10, &n, 1) != 1 || n > UINT32_MAX)
		return false;
	status->threads = (uint32_t)n;
	return true;
}

enum {
	HAS_STATE = 1,
	HAS_TGID = 2,
	HAS_UID = 4,
	HAS_ALL = HAS_STATE | HAS_TGID | HAS_UID,
};

#define NUMBER(name, member, base)                                             \
	{                                                                      \
		(name), NULL, 0, offsetof(struct proc_status, member), (base)  \
	}

static const struct field {
	const char *name;
	field_fn *take;  /* NULL: a number of this base at this offset */
	unsigned needed; /* a bit HAS_…, or 0 for an optional field */
	size_t offset;
	int base;
} fields[] = {
	{ "State:", status_set_state, HAS_STATE, 0, 0 },
	{ "Tgid:", status_set_tgid, HAS_TGID, 0, 0 },
	{ "TracerPid:", status_set_tracer, 0, 0, 0 },
	{ "Uid:", status_set_uids, HAS_UID, 0, 0 },
	{ "Gid:", status_set_gids, 0, 0, 0 },
	{ "NSpid:", status_set_ns_pids, 0, 0, 0 },
	{ "VmRSS:", status_set_rss, 0, 0, 0 },
	{ "Threads:", status_set_threads, 0, 0, 0 },
	NUMBER("SigBlk:", blocked, 16),
	NUMBER("SigIgn:", ignored, 16),
	NUMBER("SigCgt:", caught, 16),
	NUMBER("CapEff:", capabilities, 16),
	NUMBER("CapPrm:", permitted, 16),
	NUMBER("voluntary_ctxt_switches:", voluntary, 10),
	NUMBER("nonvoluntary_ctxt_switches:", involuntary, 10),
};

static const struct field *status_field(struct line line)
{
	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++) {
		if (line_starts(line, fields[i].name))
			return &fields[i];
	}
	return NULL;
}

bool procfs_parse_status(const char *text, size_t len,
			 struct proc_status *status)
{
	struct lines lines = lines_over(text, len);
	struct line line;
	unsigned seen = 0;

	*status = (struct proc_status){ 0 };
	while (lines_next(&lines, &line)) {
		const struct field *f = status_field(line);
		size_t skip;

		if (!f)
			continue;
		skip = strlen(f->name);
		line.text += skip;
		line.len -= skip;
		if (f->take ? !f->take(line, status)
			    : line_numbers(line, f->base,
					   (void *)((char *)status + f->offset),
					   1) != 1)
			return false;
		seen |= f->needed;
	}
	return seen == HAS_ALL;
}

/* Indices of numbers of /proc/PID/stat: their field in proc(5), less 4. */
enum {
	STAT_FLAGS = 9 - 4,
	STAT_MAJOR_FAULTS = 12 - 4,
	STAT_USER = 14 - 4,
	STAT_SYS = 15 - 4,
	STAT_THREADS = 20 - 4,
	STAT_START = 22 - 4,
	STAT_STACK = 28 - 4,
	STAT_NUMBERS,
};

#define KERNEL_THREAD 0x00200000 /* PF_KTHREAD of the kernel */

static bool stat_set_numbers(struct line rest, struct proc_stat *stat)
{
	uint64_t values[STAT_NUMBERS] = { 0 };
	struct line word;

	for (size_t i = 0; i < STAT_NUMBERS; i++) {
		if (!line_next_word(&rest, &word)) {
			if (i <= STAT_START)
				return false;
			break;
		}
		/* Other fields may be negative. */
		if (!word_number(word, 10, &values[i]) &&
		    (i == STAT_USER || i == STAT_SYS || i == STAT_THREADS ||
		     i == STAT_START))
			return false;
	}
	stat->is_kernel_thread = values[STAT_FLAGS] & KERNEL_THREAD;
	stat->major_faults = values[STAT_MAJOR_FAULTS];
	stat->user_ticks = values[STAT_USER];
	stat->sys_ticks = values[STAT_SYS];
	stat->threads = (uint32_t)values[STAT_THREADS];
	stat->start_ticks = values[STAT_START];
	stat->start_stack = values[STAT_STACK];
	return true;
}

bool procfs_parse_stat(const char *text, size_t len, struct proc_stat *stat)
{
	const char *open = len ? memchr(text, '(', len) : NULL;
	/*
	 * The name may contain any byte, including ")", so the last ")" ends
	 * it.
	 */
	const char *close = len ? memrchr(text, ')', len) : NULL;
	struct line rest, word;
	size_t name_len;

	*stat = (struct proc_stat){ 0 };
	if (!open || !close || close < open)
		return false;
	name_len = (size_t)(close - open - 1);
	if (name_len >= sizeof(stat->comm))
		name_len = sizeof(stat->comm) - 1;
	memcpy(stat->comm, open + 1, name_len);
	rest = (struct line){ .text = close + 1,
			      .len = len - (size_t)(close + 1 - text) };
	if (!line_next_word(&rest, &word) || word.len != 1)
		return false;
	stat->state = word.text[0];
	return stat_set_numbers(rest, stat);
}

int procfs_status(pid_t pid, struct proc_status *status, struct error *err)
{
	struct text text = { 0 };
	int ret = procfs_read(pid, "status", 65536, &text, err);

	if (ret == 0 && !procfs_parse_status(text.bytes, text.len, status))
		ret = fail(err, ERROR_UNAVAILABLE,
			   "%d: unexpected contents of /proc/%d/status",
			   (int)pid, (int)pid);
	text_release(&text);
	return ret;
}

int procfs_stat(pid_t pid, struct proc_stat *stat, struct error *err)
{
	struct text text = { 0 };
	int ret = procfs_read(pid, "stat", 4096, &text, err);

	if (ret == 0 && !procfs_parse_stat(text.bytes, text.len, stat))
		ret = fail(err, ERROR_UNAVAILABLE,
			   "%d: unexpected contents of /proc/%d/stat", (int)pid,
			   (int)pid);
	text_release(&text);
	return ret;
}

/* ---- processes whose first thread has ended ---- */

/* With more of them at a time, the oldest entry is replaced. */
enum { OWNERS = 64 };

static struct {
	pid_t pid, tid; /* 0 = none */
} owners[OWNERS];

static size_t owners_used; /* entries ever added */

static bool owner_lives(pid_t pid, pid_t tid)
{
	struct proc_status status;

	return tid && procfs_status(tid, &status, error_unused()) == 0 &&
	       status.tgid == pid && status.state != 'Z' && status.state != 'X';
}

/* Returns a living thread of the process, or 0. */
static pid_t owner_find(pid_t pid)
{
	char path[32];
	struct dirent *e;
	pid_t found = 0;
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	tasks = opendir(path);
	while (tasks && !found && (e = readdir(tasks))) {
		pid_t tid = (pid_t)strtol(e->d_name, NULL, 10);

		if (tid != pid && owner_lives(pid, tid))
			found = tid;
	}
	if (tasks)
		closedir(tasks);
	return found;
}

bool procfs_use_thread(pid_t pid)
{
	pid_t tid = owner_find(pid);

	for (size_t i = 0; tid && i < OWNERS; i++) {
		if (owners[i].pid == pid) {
			owners[i].tid = tid;
			return true;
		}
	}
	if (!tid)
		return false;
	owners[owners_used % OWNERS].pid = pid;
	owners[owners_used % OWNERS].tid = tid;
	owners_used++;
	return true;
}

pid_t procfs_owner(pid_t pid)
{
	for (size_t i = 0; i < OWNERS && i < owners_used; i++) {
		if (owners[i].pid != pid)
			continue;
		if (!owner_lives(pid, owners[i].tid))
			owners[i].tid = owner_find(pid);
		return owners[i].tid ? owners[i].tid : pid;
	}
	return pid;
}
