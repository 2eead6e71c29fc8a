/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/prof/prof_container.h"

#include "core/base/alloc.h"
#include "core/base/ascii.h"
#include "core/base/child.h"
#include "core/base/clock.h"
#include "core/jvm/procfs.h"

#include <dirent.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>

enum {
	CGROUP_MAX = 16 * 1024,
	ID_DIGITS = 64,
	ECS_DIGITS = 32,
	POD_UID_MIN = 32,
	GROUPS_MAX = 20000, /* directories that are searched */
};

/* A mount of the container may be a file system that never replies. */
#define STAT_NS CLOCK_NS_PER_S

static bool container_is_hex(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f');
}

/* Takes "0123…-4567890" that ends a part of the path. */
static void container_take_ecs(struct prof_container *c, const char *at,
			       const char *end)
{
	const char *number = at + ECS_DIGITS + 1;
	size_t len;

	if (end - at <= ECS_DIGITS + 1 || at[ECS_DIGITS] != '-')
		return;
	while (number < end && is_digit(*number))
		number++;
	len = (size_t)(number - at);
	if (number == at + ECS_DIGITS + 1 || len >= sizeof(c->id) ||
	    (number < end && *number != '/' && *number != '\n'))
		return;
	memcpy(c->id, at, len);
	c->id[len] = '\0';
}

/* Takes the last id of containers, ECS's only without another. */
static void container_parse_id(struct prof_container *c, const char *text,
			       const char *end)
{
	struct prof_container ecs = { 0 };

	for (const char *at = text; at < end; at++) {
		size_t digits = 0;

		while (at + digits < end && digits <= ID_DIGITS &&
		       container_is_hex(at[digits]))
			digits++;
		if (digits == ID_DIGITS) {
			memcpy(c->id, at, ID_DIGITS);
			c->id[ID_DIGITS] = '\0';
		} else if (digits == ECS_DIGITS &&
			   (at == text || at[-1] == '/')) {
			container_take_ecs(&ecs, at, end);
		}
		while (digits && at + 1 < end && container_is_hex(at[1]))
			at++;
	}
	if (!*c->id)
		memcpy(c->id, ecs.id, sizeof(c->id));
}

void prof_container_parse(struct prof_container *c, const char *text,
			  size_t len)
{
	const char *end = text + len;

	container_parse_id(c, text, end);
	for (const char *at = text; end - at > 3 + POD_UID_MIN; at++) {
		size_t uid = 0;

		if (memcmp(at, "pod", 3) != 0)
			continue;
		while (at + 3 + uid < end &&
		       (container_is_hex(at[3 + uid]) || at[3 + uid] == '-' ||
			at[3 + uid] == '_'))
			uid++;
		if (uid < POD_UID_MIN || uid >= sizeof(c->pod_uid))
			continue;
		memcpy(c->pod_uid, at + 3, uid);
		c->pod_uid[uid] = '\0';
		for (char *one = c->pod_uid; *one; one++)
			if (*one == '_')
				*one = '-';
		return;
	}
}

/* ---- by inode ---- */

/* Directories that are still to be searched. */
struct container_search {
	char **paths;
	size_t count, cap;
	ino_t inode;
	char *found;
};

static void container_list(struct container_search *s, const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;

	while (dir && !s->found && (entry = readdir(dir))) {
		struct text below = { 0 };

		if (entry->d_type != DT_DIR || entry->d_name[0] == '.' ||
		    s->count >= GROUPS_MAX)
			continue;
		text_printf(&below, "%s/%s", path, entry->d_name);
		if (entry->d_ino == s->inode) {
			s->found = below.bytes;
			break;
		}
		array_reserve(s->paths, s->cap, s->count + 1);
		s->paths[s->count++] = below.bytes;
	}
	if (dir)
		closedir(dir);
}

bool prof_container_find(struct prof_container *c, const char *directory,
			 ino_t inode)
{
	struct container_search s = { .inode = inode };
	struct stat st;
	bool found;

	if (stat(directory, &st) < 0 || st.st_ino == inode)
		return false;
	container_list(&s, directory);
	for (size_t i = 0; i < s.count && !s.found; i++)
		container_list(&s, s.paths[i]);
	found = s.found;
	if (found)
		prof_container_parse(c, s.found, strlen(s.found));
	while (s.count)
		free(s.paths[--s.count]);
	free(s.paths);
	free(s.found);
	return found;
}

struct container_stat {
	char path[64];
	ino_t inode; /* 0 = unknown */
};

/* Runs in a child. */
static int container_stat_job(void *self, int channel, struct error *err)
{
	struct container_stat *s = self;
	struct statfs fs;
	struct stat st;

	(void)channel, (void)err;
	if (statfs(s->path, &fs) == 0 && fs.f_type == CGROUP2_SUPER_MAGIC &&
	    stat(s->path, &st) == 0)
		s->inode = st.st_ino;
	return CHILD_NOTHING;
}

/* Returns the inode of the process's own root of groups; 0 = unknown. */
static ino_t container_inode(pid_t pid)
{
	const struct child_options options = { .dies_with_parent = true };
	struct container_stat *s = child_memory(sizeof(*s));
	struct child child = { .channel = -1 };
	ino_t inode = 0;
	struct error unused;
	int fd;

	snprintf(s->path, sizeof(s->path), "/proc/%d/root/sys/fs/cgroup",
		 (int)pid);
	if (child_start(&child, &options, container_stat_job, s, &unused) ==
		    0 &&
	    child_wait(&child, clock_monotonic_ns() + STAT_NS, &fd, &unused) ==
		    CHILD_DONE)
		inode = s->inode;
	child_end(&child, 0);
	child_memory_free(s, sizeof(*s));
	return inode;
}

void prof_container_read(struct prof_container *c, const struct jvm *jvm)
{
	struct text file = { 0 };
	struct error unused;
	ino_t inode;

	*c = (struct prof_container){ 0 };
	if (procfs_read(jvm->pid, "cgroup", CGROUP_MAX, &file, &unused))
		return;
	if (file.len)
		prof_container_parse(c, file.bytes, file.len);
	if (!*c->id && file.len && strcmp(file.bytes, "0::/\n") == 0 &&
	    (inode = container_inode(jvm->pid)) &&
	    /* The host's tree, if sjkc is in a container itself. */
	    !prof_container_find(c, "/proc/1/root/sys/fs/cgroup", inode))
		prof_container_find(c, "/sys/fs/cgroup", inode);
	text_release(&file);
}
