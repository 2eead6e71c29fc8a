/* SPDX-License-Identifier: Apache-2.0 */
/* Collectors of sjkc snap that read files of the kernel. */
#include "cmd/snap/snap.h"

#include "core/base/ascii.h"
#include "core/base/clock.h"
#include "core/base/lines.h"
#include "core/base/tar.h"
#include "core/jvm/cgroup.h"
#include "core/jvm/net_table.h"
#include "core/jvm/procfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/klog.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_MAX   ((size_t)1 << 20)
#define TABLE_MAX  ((size_t)16 << 20) /* of sockets */
#define KERNEL_MAX ((size_t)256 << 10)
#define GROUP_MAX  200 /* maximum number of files of a control group */

/* ---- members ---- */

void snap_put(int to, const char *name, const void *bytes, size_t len)
{
	struct text entry = { 0 };

	tar_add(&entry, name, bytes, len, clock_wall_ns() / CLOCK_NS_PER_S);
	for (size_t at = 0; at < entry.len;) {
		ssize_t put = write(to, entry.bytes + at, entry.len - at);

		/* The parent reports an archive that ends early. */
		if (put < 0 && errno != EINTR)
			break;
		at += put > 0 ? (size_t)put : 0;
	}
	text_release(&entry);
}

void snap_put_missing(int to, const char *name, const struct error *why)
{
	struct text marked = { 0 };

	text_printf(&marked, "!%s", name);
	snap_put(to, marked.bytes, why->text, strlen(why->text));
	text_release(&marked);
}

int snap_read_file(int fd, size_t limit, struct text *out, struct error *err)
{
	static char part[64 << 10];
	ssize_t got = 1;

	text_clear(out);
	while (got && out->len < limit) {
		size_t left = limit - out->len;

		got = read(fd, part, left < sizeof(part) ? left : sizeof(part));
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			break;
		text_add(out, part, (size_t)got);
	}
	if (got < 0)
		fail_sys(err, ERROR_FAILED, "cannot read");
	close(fd);
	return got < 0 ? -1 : 0;
}

/* Copies a file of an open directory; missing ones are omitted if `optional`.
 */
static void facts_copy(int to, const char *prefix, int directory,
		       const char *name, bool optional)
{
	struct text member = { 0 }, text = { 0 };
	int fd = openat(directory, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct error err;
	int ret = -1;

	text_printf(&member, "%s/%s", prefix, name);
	if (fd < 0)
		fail_sys(&err, ERROR_FAILED, "cannot open");
	else
		ret = snap_read_file(fd, FILE_MAX, &text, &err);
	if (ret == 0)
		snap_put(to, member.bytes, text.bytes, text.len);
	else if (!optional)
		snap_put_missing(to, member.bytes, &err);
	text_release(&member);
	text_release(&text);
}

/* ---- the process ---- */

/* include/net/tcp_states.h of the kernel */
static const char *const socket_states[] = {
	"unknown",   "ESTABLISHED", "SYN_SENT",     "SYN_RECV",   "FIN_WAIT1",
	"FIN_WAIT2", "TIME_WAIT",   "CLOSE",        "CLOSE_WAIT", "LAST_ACK",
	"LISTEN",    "CLOSING",     "NEW_SYN_RECV",
};

enum { SOCKET_STATES = sizeof(socket_states) / sizeof(*socket_states) };

/* Appends the number of sockets of a table by state: "tcp LISTEN 3". */
static int sockets_add(struct text *out, pid_t pid, const char *table,
		       struct error *err)
{
	uint64_t counts[SOCKET_STATES] = { 0 };
	struct text name = { 0 }, text = { 0 };
	struct net_socket s;
	struct lines lines;
	struct line line;
	int ret;

	text_printf(&name, "net/%s", table);
	ret = procfs_read(pid, name.bytes, TABLE_MAX, &text, err);
	lines = lines_over(text.bytes, text.len);
	while (ret == 0 && lines_next(&lines, &line)) {
		if (net_table_parse(line, &s))
			counts[s.state < SOCKET_STATES ? s.state : 0]++;
	}
	for (size_t i = 0; i < SOCKET_STATES; i++) {
		if (counts[i])
			text_printf(out, "%s %s %" PRIu64 "\n", table,
				    socket_states[i], counts[i]);
	}
	if (text.len >= TABLE_MAX)
		text_printf(out, "%s: only the first 16 MB were read\n", table);
	text_release(&name);
	text_release(&text);
	return ret;
}

static void sockets_put(int to, const struct jvm *jvm)
{
	static const char *const more[] = { "tcp6", "udp", "udp6" };
	struct text out = { 0 }, unix_sockets = { 0 };
	struct error err;
	struct lines lines;
	struct line line;

	if (sockets_add(&out, jvm->pid, "tcp", &err)) {
		snap_put_missing(to, "proc/sockets.txt", &err);
		goto out;
	}
	for (size_t i = 0; i < sizeof(more) / sizeof(*more); i++)
		sockets_add(&out, jvm->pid, more[i], error_unused());
	if (procfs_read(jvm->pid, "net/unix", TABLE_MAX, &unix_sockets,
			error_unused()) == 0) {
		lines = lines_over(unix_sockets.bytes, unix_sockets.len);
		while (lines_next(&lines, &line))
			;
		text_printf(&out, "unix all %" PRIu64 "\n",
			    lines.number ? lines.number - 1 : 0);
	}
	snap_put(to, "proc/sockets.txt", out.bytes, out.len);
out:
	text_release(&unix_sockets);
	text_release(&out);
}

/* Copies the files of a control group that describe resources. */
static void group_put(int to, const char *prefix, int directory)
{
	static const char kinds[] = "memory.|cpu.|cpuacct.|pids.|io.|blkio.|"
				    "cpuset.|cgroup.events";
	DIR *all = fdopendir(directory);
	struct dirent *entry;
	size_t count = 0;

	while (all && count < GROUP_MAX && (entry = readdir(all))) {
		struct stat st;

		if (!has_any(entry->d_name, kinds, true) ||
		    fstatat(dirfd(all), entry->d_name, &st,
			    AT_SYMLINK_NOFOLLOW) < 0 ||
		    !S_ISREG(st.st_mode) || !(st.st_mode & S_IRUSR))
			continue;
		facts_copy(to, prefix, dirfd(all), entry->d_name, true);
		count++;
	}
	if (all)
		closedir(all);
	else
		close(directory);
}

/* In version 2, one group has all controllers. */
static void groups_put(int to, const struct jvm *jvm)
{
	static const char *const controllers[] = { "memory", "cpu", "pids",
						   "blkio" };
	ino_t seen[4] = { 0 };
	struct error err;

	for (size_t i = 0; i < 4; i++) {
		int directory = cgroup_open(jvm, controllers[i]);
		struct stat st = { 0 };
		bool is_new = directory >= 0 && fstat(directory, &st) == 0;

		for (size_t k = 0; k < i; k++)
			is_new &= seen[k] != st.st_ino;
		seen[i] = st.st_ino;
		if (is_new)
			group_put(to, "cgroup", directory);
		else if (directory >= 0)
			close(directory);
	}
	if (seen[0])
		return;
	fail(&err, ERROR_UNAVAILABLE,
	     "the process is in no control group that sjkc can see");
	snap_put_missing(to, "cgroup", &err);
}

void snap_process(const struct jvm *jvm, int to)
{
	static const char *const files[] = {
		"status",        "limits",    "stat",          "statm",
		"smaps_rollup",  "io",        "schedstat",     "cgroup",
		"mountinfo",     "oom_score", "oom_score_adj", "net/sockstat",
		"net/sockstat6", "net/snmp",  "net/netstat",
	};
	struct text member = { 0 }, text = { 0 };
	struct error err;

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		text_clear(&member);
		text_printf(&member, "proc/%s", files[i]);
		if (procfs_read(jvm->pid, files[i], FILE_MAX, &text, &err))
			snap_put_missing(to, member.bytes, &err);
		else
			snap_put(to, member.bytes, text.bytes, text.len);
	}
	sockets_put(to, jvm);
	groups_put(to, jvm);
	text_release(&member);
	text_release(&text);
}

/* ---- the machine ---- */

/* The last messages; without CAP_SYSLOG, kernel.dmesg_restrict denies them. */
static void kernel_put(int to)
{
	enum { READ_LAST = 3 }; /* SYSLOG_ACTION_READ_ALL of syslog(2) */
	static const char name[] = "system/kernel_messages.txt";
	static char bytes[KERNEL_MAX];
	int len = klogctl(READ_LAST, bytes, sizeof(bytes));
	struct error err;

	if (len >= 0) {
		snap_put(to, name, bytes, (size_t)len);
		return;
	}
	fail_sys(&err, ERROR_PERMISSION, "cannot read the kernel's messages");
	snap_put_missing(to, name, &err);
}

void snap_system(const struct jvm *jvm, int to)
{
	static const char *const files[] = {
		"loadavg",      "meminfo",     "vmstat",          "stat",
		"version",      "uptime",      "diskstats",       "swaps",
		"pressure/cpu", "pressure/io", "pressure/memory",
	};
	int proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	(void)jvm;
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		facts_copy(to, "system", proc, files[i], false);
	if (proc >= 0)
		close(proc);
	kernel_put(to);
}
