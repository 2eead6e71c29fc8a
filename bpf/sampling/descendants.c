/* SPDX-License-Identifier: Apache-2.0 */
#include "bpf/sampling/descendants.h"

#include "core/base/clock.h"
#include "core/base/text.h"
#include "core/jvm/procfs.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

/* A JVM has its library mapped within some ms; the age at each look is twice
 * that of the one before. */
#define FIRST_NS (20 * CLOCK_NS_PER_MS)
#define LAST_NS  (4 * CLOCK_NS_PER_S)

/* Whose children each thread has started costs as much for each. */
#define THREADS_NS (250 * CLOCK_NS_PER_MS)

enum { LIST_MAX = 4096, THREADS_MAX = 1024 };

/* As it was known, or NULL. */
static const struct descendant *find(const struct descendants *d, pid_t pid)
{
	for (size_t i = 0; i < d->count; i++) {
		if (d->all[i].pid == pid)
			return &d->all[i];
	}
	return NULL;
}

static void add(struct descendants *now, const struct descendants *d, pid_t pid,
		int64_t now_ns)
{
	const struct descendant *known = find(d, pid);
	struct descendant *one = &now->all[now->count];
	struct stat exe;
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	if (stat(path, &exe) < 0) {
		/* It has ended, or is not ours to look at. */
		if (errno != EACCES && errno != EPERM)
			return;
		exe.st_dev = exe.st_ino = 0;
	}
	now->count++;
	if (known && known->exe_dev == exe.st_dev &&
	    known->exe_ino == exe.st_ino) {
		*one = *known;
		return;
	}
	*one = (struct descendant){
		.pid = pid,
		.exe_dev = exe.st_dev,
		.exe_ino = exe.st_ino,
		.since_ns = now_ns,
		.next_ns = now_ns,
	};
}

/* Those that one thread has started. */
static void add_children(struct descendants *now, const struct descendants *d,
			 pid_t pid, long tid, int64_t now_ns)
{
	struct text list = { 0 };
	struct error unused;
	char name[48], *rest;

	snprintf(name, sizeof(name), "task/%ld/children", tid);
	if (procfs_read(pid, name, LIST_MAX, &list, &unused) == 0 && list.len) {
		const char *at = list.bytes;

		while (now->count < DESCENDANTS_MAX) {
			long child = strtol(at, &rest, 10);

			if (rest == at || child <= 0)
				break;
			if (!find(now, (pid_t)child))
				add(now, d, (pid_t)child, now_ns);
			at = rest;
		}
	}
	text_release(&list);
}

/* Of all its threads but the first; in a JVM, it is others that start. */
static void add_of_threads(struct descendants *now, const struct descendants *d,
			   pid_t pid, int64_t now_ns, unsigned *left)
{
	struct dirent *entry;
	char path[32];
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	tasks = *left ? opendir(path) : NULL;
	while (tasks && *left && (entry = readdir(tasks))) {
		long tid = strtol(entry->d_name, NULL, 10);

		if (tid <= 0 || tid == pid)
			continue;
		add_children(now, d, pid, tid, now_ns);
		--*left;
	}
	if (tasks)
		closedir(tasks);
}

static int64_t next_look(const struct descendant *one, int64_t now_ns)
{
	int64_t age = now_ns - one->since_ns;

	if (age > LAST_NS)
		return INT64_MAX;
	return now_ns + (age < FIRST_NS ? FIRST_NS : age);
}

size_t descendants_due(struct descendants *d, pid_t ancestor, int64_t now_ns,
		       pid_t pids[DESCENDANTS_MAX])
{
	struct descendants now = { .threads_ns = d->threads_ns };
	bool is_long_ago = now_ns >= d->threads_ns;
	unsigned left = is_long_ago ? THREADS_MAX : 0;
	size_t due = 0;

	if (is_long_ago)
		now.threads_ns = now_ns + THREADS_NS;
	add(&now, d, ancestor, now_ns);
	/* Until all threads are asked, whoever was one is one. */
	for (size_t i = 0; !is_long_ago && i < d->count; i++) {
		if (!find(&now, d->all[i].pid))
			add(&now, d, d->all[i].pid, now_ns);
	}
	/* Each may add more. */
	for (size_t i = 0; i < now.count; i++) {
		pid_t pid = now.all[i].pid;

		add_children(&now, d, pid, pid, now_ns);
		add_of_threads(&now, d, pid, now_ns, &left);
	}
	for (size_t i = 0; i < now.count; i++) {
		if (now_ns < now.all[i].next_ns)
			continue;
		now.all[i].next_ns = next_look(&now.all[i], now_ns);
		pids[due++] = now.all[i].pid;
	}
	*d = now;
	return due;
}

bool descendants_awaits(const struct descendants *d, pid_t pid)
{
	const struct descendant *one = find(d, pid);

	return one && one->next_ns != INT64_MAX;
}
