/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/vminfo_summary.h"

#include "cmd/process.h"
#include "cmd/vm_flags.h"
#include "core/base/clock.h"
#include "core/base/units.h"
#include "core/jvm/procfs.h"

#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
	CGROUPS_LIMIT = 64 << 10, /* bytes of /proc/PID/cgroup */
	PATH_LEN = 4096,
	/* Of cgroup v1, a limit beyond is none: the kernel rounds LONG_MAX. */
	UNLIMITED_SHIFT = 60,
};

struct summary {
	vminfo_put_fn *put;
	void *self;
	struct text value;
};

/* Hands on the value that was made, unless it is empty, and begins another. */
static void put(struct summary *s, const char *name)
{
	if (s->value.len)
		s->put(s->self, name, &s->value);
	text_clear(&s->value);
}

static void add_some(struct text *out, const char *before, const char *word,
		     const char *after)
{
	if (word && *word)
		text_printf(out, "%s%s%s", before, word, after);
}

static void put_jvm(struct summary *s, const struct jvm_about *about)
{
	text_puts(&s->value, about->vm_name ? about->vm_name : "");
	add_some(&s->value, s->value.len ? " " : "", about->version, "");
	add_some(&s->value, s->value.len ? ", " : "", about->vm_vendor, "");
	put(s, "JVM");
	add_some(&s->value, "", about->java_home, "");
	put(s, "Java home");
}

static void put_time(struct summary *s, int64_t start_ns)
{
	time_t seconds = (time_t)(start_ns / CLOCK_NS_PER_S);
	struct timespec now;
	struct tm tm;
	char date[64];

	if (!start_ns || !localtime_r(&seconds, &tm) ||
	    !strftime(date, sizeof(date), "%Y-%m-%d %H:%M:%S %Z", &tm))
		return;
	clock_gettime(CLOCK_REALTIME, &now);
	text_printf(&s->value, "%s, up ", date);
	process_add_uptime(&s->value, now.tv_sec * CLOCK_NS_PER_S +
					      now.tv_nsec - start_ns);
	put(s, "started");
}

static void put_command(struct summary *s, const struct process *p)
{
	char *const *words = p->about.vm_args;

	text_add(&s->value, p->main.bytes, p->main.len);
	put(s, "main class");
	process_args(p, &s->value);
	put(s, "arguments");
	for (size_t i = 0; words && words[i]; i++) {
		if (i)
			text_putc(&s->value, ' ');
		process_word(p, words, i, &s->value);
	}
	put(s, "JVM options");
	add_some(&s->value, "", p->about.user, "");
	put(s, "user");
}

static void put_size_flag(struct summary *s, const struct text *flags,
			  const char *flag, const char *name)
{
	struct line v = vm_flag_value(flags, flag);
	uint64_t bytes = v.len ? strtoull(v.text, NULL, 10) : 0;

	if (bytes)
		units_add_size(&s->value, bytes);
	put(s, name);
}

/*
 * " garbage-first heap   total 65536K, used 2048K [0x…, 0x…)": each collector
 * has its own words for the parts of its heap; spaces within them, which are
 * indented further, and classes, which are none of it, are left out.
 */
static void put_heap(struct summary *s, const struct text *heap)
{
	struct lines lines = lines_over(heap->bytes, heap->len);
	struct line line;

	while (lines_next(&lines, &line)) {
		struct line trimmed = line_trimmed(line);
		const char *bracket;
		bool is_blank = false;

		if (line_starts(line, "  ") || line_ends(trimmed, ":") ||
		    line_starts(trimmed, "Metaspace") ||
		    line_starts(trimmed, "class space") ||
		    !memmem(line.text, line.len, "used", 4))
			continue;
		bracket = memchr(trimmed.text, '[', trimmed.len);
		if (bracket)
			trimmed.len = (size_t)(bracket - trimmed.text);
		trimmed = line_trimmed(trimmed);
		add_some(&s->value, "", s->value.len ? "; " : "", "");
		for (size_t i = 0; i < trimmed.len; i++) {
			if (!is_blank || trimmed.text[i] != ' ')
				text_add(&s->value, trimmed.text + i, 1);
			is_blank = trimmed.text[i] == ' ';
		}
	}
	put(s, "heap");
}

static void put_memory(struct summary *s, const struct text *flags,
		       const struct text *heap)
{
	const struct vm_collector *c = vm_collector_of(flags);

	add_some(&s->value, "", c ? c->name : NULL, "");
	put(s, "collector");
	put_heap(s, heap);
	put_size_flag(s, flags, "MaxHeapSize", "maximum heap size");
}

/* A number at the beginning of a small file of the kernel's; false for none. */
static bool read_number(const char *path, uint64_t *first, uint64_t *second)
{
	char bytes[64] = { 0 }, *end;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : read(fd, bytes, sizeof(bytes) - 1);

	if (fd >= 0)
		close(fd);
	if (got <= 0 || bytes[0] < '0' || bytes[0] > '9')
		return false;
	*first = strtoull(bytes, &end, 10);
	*second = strtoull(end, NULL, 10);
	return true;
}

struct limits {
	uint64_t memory; /* bytes; 0: none */
	double cpus;     /* 0: none */
};

static void limit_cpus(struct limits *l, uint64_t quota, uint64_t period)
{
	double cpus = period ? (double)quota / (double)period : 0;

	if (cpus > 0 && (l->cpus == 0 || cpus < l->cpus))
		l->cpus = cpus;
}

static void limit_memory(struct limits *l, uint64_t bytes)
{
	if (bytes >> UNLIMITED_SHIFT == 0 &&
	    (l->memory == 0 || bytes < l->memory))
		l->memory = bytes;
}

/* One cgroup of a version 2 or 1 hierarchy; cgroups(7). */
static void read_limits(struct limits *l, const char *folder)
{
	char path[PATH_LEN + 64];
	uint64_t one, other, unused;

	snprintf(path, sizeof(path), "%s/memory.max", folder);
	if (read_number(path, &one, &unused))
		limit_memory(l, one);
	snprintf(path, sizeof(path), "%s/memory.limit_in_bytes", folder);
	if (read_number(path, &one, &unused))
		limit_memory(l, one);
	snprintf(path, sizeof(path), "%s/cpu.max", folder);
	if (read_number(path, &one, &other))
		limit_cpus(l, one, other);
	snprintf(path, sizeof(path), "%s/cpu.cfs_quota_us", folder);
	if (!read_number(path, &one, &unused))
		return;
	snprintf(path, sizeof(path), "%s/cpu.cfs_period_us", folder);
	if (read_number(path, &other, &unused))
		limit_cpus(l, one, other);
}

/* Limits of a cgroup hold for those below it, too. */
static void read_all_limits(struct limits *l, char *folder, size_t root_len)
{
	while (strlen(folder) > root_len) {
		char *slash = strrchr(folder, '/');

		read_limits(l, folder);
		if (!slash)
			break;
		*slash = '\0';
	}
	read_limits(l, folder);
}

/* "4:memory:/path", "0::/path"; a path out of our own root has "..". */
static void take_cgroup(struct limits *l, struct line line, struct line *path)
{
	const char *name = memchr(line.text, ':', line.len), *at;
	char folder[PATH_LEN];
	size_t left;
	int root;

	if (!name++)
		return;
	left = line.len - (size_t)(name - line.text);
	at = memchr(name, ':', left);
	if (!at)
		return;
	left -= (size_t)(at + 1 - name);
	if (left > path->len)
		*path = (struct line){ at + 1, left };
	if (memmem(at, left + 1, "..", 2) || left > sizeof(folder) / 2)
		return;
	root = snprintf(folder, sizeof(folder), "/sys/fs/cgroup%s%.*s",
			at > name ? "/" : "", (int)(at - name), name);
	if (root < 0 || (size_t)root + left >= sizeof(folder))
		return;
	memcpy(folder + root, at + 1, left);
	folder[(size_t)root + left] = '\0';
	if (left == 1)
		folder[root] = '\0';
	read_all_limits(l, folder, (size_t)root);
}

static void put_cpus(struct summary *s, pid_t pid, const struct text *flags,
		     const struct limits *l)
{
	struct line given = vm_flag_value(flags, "ActiveProcessorCount");
	long online = sysconf(_SC_NPROCESSORS_ONLN);
	cpu_set_t allowed;

	if (sched_getaffinity(pid, sizeof(allowed), &allowed) == 0)
		text_printf(&s->value, "may run on %d of %ld",
			    CPU_COUNT(&allowed), online);
	else
		text_printf(&s->value, "%ld online", online);
	if (l->cpus > 0)
		text_printf(&s->value, ", limited by its cgroup to %.2f",
			    l->cpus);
	if (given.len && *given.text != '-' && !line_is(given, "0"))
		text_printf(&s->value,
			    ", told by -XX:ActiveProcessorCount %.*s",
			    (int)given.len, given.text);
	put(s, "CPUs");
}

static void put_resident(struct summary *s, pid_t pid, const struct limits *l)
{
	struct proc_status status;
	struct error unused;

	if (procfs_status(pid, &status, &unused))
		return;
	units_add_size(&s->value, status.rss_bytes);
	text_puts(&s->value, " resident");
	if (l->memory) {
		text_puts(&s->value, ", limited by its cgroup to ");
		units_add_size(&s->value, l->memory);
	}
	put(s, "memory");
}

static void put_container(struct summary *s, const struct jvm *jvm,
			  struct line cgroup)
{
	if (!jvm->own_pid_ns && !jvm->own_root)
		return;
	if (jvm->own_pid_ns)
		text_printf(&s->value, "pid %d inside", (int)jvm->ns_pid);
	if (jvm->own_root)
		add_some(&s->value, s->value.len ? ", " : "",
			 "file system of its own", "");
	if (cgroup.len > 1)
		text_printf(&s->value, ", cgroup %.*s", (int)cgroup.len,
			    cgroup.text);
	put(s, "container");
}

static void put_machine(struct summary *s, const struct jvm *jvm,
			const struct text *flags)
{
	struct text cgroups = { 0 };
	struct line line, path = { "", 0 };
	struct limits limits = { 0 };
	struct error unused;
	struct lines lines;

	if (procfs_read(jvm->pid, "cgroup", CGROUPS_LIMIT, &cgroups, &unused))
		text_clear(&cgroups);
	lines = lines_over(cgroups.bytes, cgroups.len);
	while (lines_next(&lines, &line))
		take_cgroup(&limits, line, &path);
	put_cpus(s, jvm->pid, flags, &limits);
	put_resident(s, jvm->pid, &limits);
	put_container(s, jvm, path);
	text_release(&cgroups);
}

int vminfo_summary(const struct jvm *jvm, const struct text *flags,
		   const struct text *heap, bool show_secrets,
		   vminfo_put_fn *put_line, void *self, struct error *err)
{
	struct summary s = { .put = put_line, .self = self };
	struct process p;

	if (process_init(&p, jvm, err))
		return -1;
	p.show_secrets = show_secrets;
	text_puts(&s.value, "");
	put_jvm(&s, &p.about);
	put_time(&s, p.about.start_ns);
	put_command(&s, &p);
	put_memory(&s, flags, heap);
	put_machine(&s, jvm, flags);
	text_release(&s.value);
	process_release(&p);
	return 0;
}
