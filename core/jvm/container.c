/* SPDX-License-Identifier: Apache-2.0 */
#include "core/jvm/container.h"

#include "core/base/alloc.h"
#include "core/base/ascii.h"
#include "core/base/child.h"
#include "core/base/clock.h"
#include "core/jvm/opener.h"
#include "core/jvm/procfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <unistd.h>

enum {
	CGROUP_MAX = 16 * 1024,
	ID_DIGITS = 64,
	ECS_DIGITS = 32,
	POD_UID_MIN = 32,
	GROUPS_MAX = 20000, /* directories that are searched */
	LINKS_MAX = 8192,   /* entries of LINKS that are read */
	HOST_NAME_FILE_MAX = 4096,
};

/* A mount of the container may be a file system that never replies. */
#define FIND_NS CLOCK_NS_PER_S

#define LINKS   "/var/log/containers"

/* A part of a path, without slashes. */
struct part {
	const char *text;
	size_t len;
};

static bool part_is(struct part p, const char *name)
{
	return p.len == strlen(name) && memcmp(p.text, name, p.len) == 0;
}

static bool part_begins(struct part p, const char *name)
{
	return p.len >= strlen(name) && memcmp(p.text, name, strlen(name)) == 0;
}

/* Returns the number of hexadecimal digits from an offset on. */
static size_t part_digits(struct part p, size_t at)
{
	size_t end = at;

	while (end < p.len && (is_digit(p.text[end]) ||
			       (p.text[end] >= 'a' && p.text[end] <= 'f')))
		end++;
	return end - at;
}

/*
 * Finds the uid in "pod<uid>" or "kubepods-burstable-pod<uid>.slice"; returns
 * its length, or 0.
 */
static size_t part_find_pod(struct part p, size_t *at)
{
	const char *pod = p.len ? memmem(p.text, p.len, "pod", 3) : NULL;
	size_t len = 0;

	/* The first one may be that of "kubepods". */
	while (pod && len < POD_UID_MIN) {
		*at = (size_t)(pod - p.text) + 3;
		for (len = 0; *at + len < p.len; len++) {
			char c = p.text[*at + len];

			if (c != '-' && c != '_' && !part_digits(p, *at + len))
				break;
		}
		pod = memmem(p.text + *at, p.len - *at, "pod", 3);
	}
	return len >= POD_UID_MIN && len < CONTAINER_POD_UID ? len : 0;
}

/* Returns true for groups in which a runtime makes groups named by an id. */
static bool part_is_runtime(struct part p)
{
	static const char *const names[] = { "docker", "libpod_parent",
					     "default" };
	size_t at;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (part_is(p, names[i]))
			return true;
	return part_find_pod(p, &at);
}

/* Returns true if a runtime names the groups of containers that way. */
static bool part_has_runtime(struct part prefix, struct part parent)
{
	static const char *const prefixes[] = {
		"docker-", "cri-containerd-", "crio-", "libpod-", "nerdctl-",
	};
	static const char containerd[] = ":cri-containerd:";
	size_t len = sizeof(containerd) - 1;

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++)
		if (part_is(prefix, prefixes[i]))
			return true;
	if (!prefix.len)
		return part_is_runtime(parent);
	return prefix.len > len && part_begins(prefix, "kubepods") &&
	       memcmp(prefix.text + prefix.len - len, containerd, len) == 0;
}

/* Takes ECS's "0123…" or "0123…-4567890" in ecs/NAME/. */
static bool part_take_ecs(struct container *c, struct part p)
{
	size_t digits = part_digits(p, 0), end = digits;

	if (digits == ECS_DIGITS && end < p.len && p.text[end] == '-')
		for (end++; end < p.len && is_digit(p.text[end]);)
			end++;
	if (end != p.len || p.len >= sizeof(c->id) ||
	    (digits == ECS_DIGITS ? end < ECS_DIGITS + 2 : digits != ID_DIGITS))
		return false;
	memcpy(c->id, p.text, p.len);
	c->id[p.len] = '\0';
	return true;
}

/* Takes the id of a container if the part has one. */
static bool part_take_id(struct container *c, struct part p, struct part parent,
			 bool is_ecs)
{
	size_t at = 0;

	if (is_ecs && part_take_ecs(c, p))
		return true;
	while (at < p.len && part_digits(p, at) < ID_DIGITS)
		at++;
	if (at == p.len || part_digits(p, at) != ID_DIGITS ||
	    !part_has_runtime((struct part){ p.text, at }, parent))
		return false;
	if (at + ID_DIGITS != p.len &&
	    !part_is((struct part){ p.text + at + ID_DIGITS,
				    p.len - at - ID_DIGITS },
		     ".scope"))
		return false;
	memcpy(c->id, p.text + at, ID_DIGITS);
	c->id[ID_DIGITS] = '\0';
	return true;
}

static void part_take_pod(struct container *c, struct part p)
{
	size_t at, len = part_find_pod(p, &at);

	if (!len)
		return;
	memcpy(c->pod_uid, p.text + at, len);
	c->pod_uid[len] = '\0';
	for (char *one = c->pod_uid; *one; one++)
		if (*one == '_')
			*one = '-';
}

/*
 * Returns true if root made the groups of this one: by its owner or, where sjkc
 * does not see it, because only root makes groups in the first of the path.
 */
static bool container_trusts(const struct container_groups *groups,
			     struct part controllers, struct part parent,
			     struct part first)
{
	static const char *const of_root[] = {
		"kubepods", "kubelet", "system.slice",  "docker",
		"ecs",      "default", "libpod_parent",
	};
	uid_t uid;

	if (groups &&
	    groups->owner(groups->self, controllers.text, controllers.len,
			  parent.text, parent.len, &uid))
		return uid == 0;
	/* Only root makes groups in the first one, or beside that of sjkc. */
	if (first.text == parent.text + parent.len)
		return true;
	for (size_t i = 0; i < sizeof(of_root) / sizeof(*of_root); i++)
		if (part_begins(first, of_root[i]))
			return true;
	return false;
}

/* Reads a path; the outermost container of a pod is meant, or of all. */
static bool container_parse_path(struct container *c,
				 const struct container_groups *groups,
				 struct part controllers, struct part path)
{
	struct part first = { 0 }, parent = { 0 }, p;
	struct container found = { 0 };
	bool is_ecs = false;

	for (size_t at = 0; at < path.len; at += p.len) {
		struct container here = { 0 };

		while (at < path.len && path.text[at] == '/')
			at++;
		p = (struct part){ path.text + at, 0 };
		while (at + p.len < path.len && p.text[p.len] != '/')
			p.len++;
		if (!p.len || part_is(p, ".."))
			continue;
		if (!first.len)
			first = p;
		if (part_take_id(&here, p, parent, is_ecs) &&
		    container_trusts(groups, controllers,
				     (struct part){ path.text, at }, first)) {
			part_take_pod(&here, parent);
			part_take_pod(&here, p);
			if (!*found.id || (*here.pod_uid && !*found.pod_uid))
				found = here;
		}
		is_ecs |= part_is(p, "ecs");
		parent = p;
	}
	if (*found.id)
		*c = found;
	return *found.id;
}

bool container_parse(struct container *c, const char *text, size_t len,
		     const struct container_groups *groups)
{
	const char *end = text + len, *next;

	for (const char *line = text; line < end; line = next) {
		const char *stop = memchr(line, '\n', (size_t)(end - line));
		const char *controllers, *path;

		if (!stop)
			stop = end;
		next = stop + 1;
		/* 11:memory:/path */
		controllers = memchr(line, ':', (size_t)(stop - line));
		if (!controllers)
			continue;
		controllers++;
		path = memchr(controllers, ':', (size_t)(stop - controllers));
		if (path &&
		    container_parse_path(
			    c, groups,
			    (struct part){ controllers,
					   (size_t)(path - controllers) },
			    (struct part){ path + 1,
					   (size_t)(stop - path - 1) }))
			return true;
	}
	return false;
}

bool container_owns_log(const struct container *c, const char *target)
{
	static const char pods[] = "/pods/";
	const char *at = strstr(target, pods), *pod;
	size_t len, uid_len = strlen(c->pod_uid);

	if (!at || !uid_len)
		return false;
	pod = at + strlen(pods);
	len = strcspn(pod, "/");
	return len >= uid_len &&
	       memcmp(pod + len - uid_len, c->pod_uid, uid_len) == 0 &&
	       (len == uid_len || pod[len - uid_len - 1] == '_');
}

/* ---- groups as directories ---- */

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
		array_add(s->paths, s->count, s->cap, below.bytes);
	}
	if (dir)
		closedir(dir);
}

char *container_find(const char *directory, ino_t inode)
{
	struct container_search s = { .inode = inode };
	struct text path = { 0 };
	struct stat st;

	if (stat(directory, &st) < 0 || st.st_ino == inode)
		return NULL;
	container_list(&s, directory);
	for (size_t i = 0; i < s.count && !s.found; i++)
		container_list(&s, s.paths[i]);
	if (s.found)
		text_printf(&path, "0::%s\n", s.found + strlen(directory));
	while (s.count)
		free(s.paths[--s.count]);
	free(s.paths);
	free(s.found);
	return path.bytes;
}

/* The host's tree, if sjkc is in a container itself, and its own. */
static const char *const tops[] = { "/proc/1/root/sys/fs/cgroup",
				    "/sys/fs/cgroup" };

/* Returns the owner of a group that sjkc sees. */
static bool container_owner(void *self, const char *controllers,
			    size_t controllers_len, const char *path,
			    size_t path_len, uid_t *uid)
{
	struct part named = { controllers, controllers_len };
	bool found = false;

	(void)self;
	if (memmem(path, path_len, "/..", 3))
		return false;
	if (part_begins(named, "name="))
		named = (struct part){ controllers + 5, controllers_len - 5 };
	/* Version 2, both versions, version 1. */
	for (size_t i = 0; i < 6 && !found; i++) {
		struct part below = i / 2 == 0   ? (struct part){ "", 0 }
				    : i / 2 == 1 ? (struct part){ "unified", 7 }
						 : named;
		struct text text = { 0 };
		struct stat st;

		text_printf(&text, "%s/%.*s%.*s", tops[i % 2], (int)below.len,
			    below.text, (int)path_len, path);
		found = (i / 2 == 2) == (named.len > 0) &&
			stat(text.bytes, &st) == 0;
		if (found)
			*uid = st.st_uid;
		text_release(&text);
	}
	return found;
}

struct container_reading {
	pid_t pid;
	struct container container;
	size_t len;
	char text[CGROUP_MAX];
};

/* Returns the inode of the process's own root of groups; 0 = unknown. */
static ino_t container_inode(pid_t pid)
{
	struct statfs fs;
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d/root/sys/fs/cgroup", (int)pid);
	return statfs(path, &fs) == 0 && fs.f_type == CGROUP2_SUPER_MAGIC &&
			       stat(path, &st) == 0
		       ? st.st_ino
		       : 0;
}

/* Runs in a child: a container may have mounted anything. */
static int container_read_job(void *self, int channel, struct error *err)
{
	const struct container_groups groups = { .owner = container_owner };
	struct container_reading *r = self;
	char *found = NULL;
	ino_t inode;

	(void)channel, (void)err;
	if (strcmp(r->text, "0::/\n") != 0) {
		container_parse(&r->container, r->text, r->len, &groups);
		return CHILD_NOTHING;
	}
	inode = container_inode(r->pid);
	for (size_t i = 0; inode && i < 2 && !found; i++)
		found = container_find(tops[i], inode);
	if (found)
		container_parse(&r->container, found, strlen(found), &groups);
	free(found);
	return CHILD_NOTHING;
}

/* Returns true if the text may lead to a container. */
static bool container_is_possible(const struct text *text)
{
	for (size_t at = 0; at + ECS_DIGITS < text->len; at++)
		if (part_digits((struct part){ text->bytes, text->len }, at) >=
		    ECS_DIGITS)
			return true;
	return text->len && strcmp(text->bytes, "0::/\n") == 0;
}

/*
 * Processes whose path is "/" are in the group of sjkc's own namespace: all are
 * in one container, whose search may have to list thousands of directories.
 */
static struct {
	bool is_known;
	struct container container;
} own;

void container_read(struct container *c, const struct jvm *jvm)
{
	const struct child_options options = { .dies_with_parent = true };
	struct child child = { .channel = -1 };
	struct container_reading *r;
	struct text file = { 0 };
	bool is_own;
	int fd;

	*c = (struct container){ 0 };
	if (procfs_read(jvm->pid, "cgroup", CGROUP_MAX - 1, &file,
			error_unused()) ||
	    !container_is_possible(&file)) {
		text_release(&file);
		return;
	}
	is_own = strcmp(file.bytes, "0::/\n") == 0;
	if (is_own && own.is_known) {
		text_release(&file);
		*c = own.container;
		return;
	}
	r = child_memory(sizeof(*r));
	r->pid = procfs_owner(jvm->pid);
	r->len = file.len;
	memcpy(r->text, file.bytes, file.len);
	text_release(&file);
	if (child_start(&child, &options, container_read_job, r,
			error_unused()) == 0 &&
	    child_wait(&child, clock_monotonic_ns() + FIND_NS, &fd,
		       error_unused()) == CHILD_DONE)
		*c = r->container;
	child_end(&child, 0);
	child_memory_free(r, sizeof(*r));
	if (is_own) {
		own.is_known = true;
		own.container = *c;
	}
}

/* ---- links of the kubelet ---- */

/* Takes "POD_NAMESPACE_CONTAINER-ID.log" apart. */
static bool pod_take_link(struct container_pod *pod, const struct container *c,
			  const char *name)
{
	const char *first = strchr(name, '_');
	const char *second = first ? strchr(first + 1, '_') : NULL;
	const char *id = strstr(name, c->id);

	if (!second || !id || id <= second + 2 || id[-1] != '-')
		return false;
	text_add(&pod->name, name, (size_t)(first - name));
	text_add(&pod->namespace, first + 1, (size_t)(second - first - 1));
	text_add(&pod->container, second + 1, (size_t)(id - second - 2));
	return true;
}

/* A link is of the pod if it leads to /var/log/pods/NS_POD_UID/…. */
static bool pod_owns_link(const struct container *c, DIR *dir, const char *name)
{
	char target[PATH_MAX];
	ssize_t len = readlinkat(dirfd(dir), name, target, sizeof(target) - 1);

	target[len > 0 ? len : 0] = '\0';
	return container_owns_log(c, target);
}

void container_pod_find(struct container_pod *pod, const struct container *c)
{
	DIR *dir = *c->id ? opendir(LINKS) : NULL;
	struct dirent *entry;
	int left = LINKS_MAX;

	*pod = (struct container_pod){ 0 };
	while (dir && left-- && (entry = readdir(dir)))
		if (strstr(entry->d_name, c->id) &&
		    pod_owns_link(c, dir, entry->d_name) &&
		    pod_take_link(pod, c, entry->d_name))
			break;
	if (dir)
		closedir(dir);
}

void container_pod_read(struct container_pod *pod, const struct jvm *jvm)
{
	struct container c = { 0 };

	/* Finding a container takes a child process. */
	if (access(LINKS, F_OK) == 0)
		container_read(&c, jvm);
	container_pod_find(pod, &c);
}

void container_pod_release(struct container_pod *pod)
{
	text_release(&pod->namespace);
	text_release(&pod->name);
	text_release(&pod->container);
}

void container_pod_add(const struct container_pod *pod, struct text *out)
{
	if (pod->name.len)
		text_printf(out, "%s/%s, container %s", pod->namespace.bytes,
			    pod->name.bytes, pod->container.bytes);
}

void container_pod_add_to_title(const struct container_pod *pod,
				struct text *out)
{
	if (pod->name.len)
		text_puts(out, " in ");
	container_pod_add(pod, out);
}

void container_pod_json(const struct container_pod *pod, struct json *j)
{
	json_add_text(j, "namespace", pod ? pod->namespace.bytes : NULL);
	json_add_text(j, "pod", pod ? pod->name.bytes : NULL);
	json_add_text(j, "container", pod ? pod->container.bytes : NULL);
}

/* True if a link is of the same pod and another container. */
static bool pod_is_other(const struct container_pod *pod, const char *name)
{
	const char *container = name + pod->name.len + pod->namespace.len + 2;
	size_t len = pod->container.len;

	return strncmp(name, pod->name.bytes, pod->name.len) == 0 &&
	       name[pod->name.len] == '_' &&
	       strncmp(name + pod->name.len + 1, pod->namespace.bytes,
		       pod->namespace.len) == 0 &&
	       container[-1] == '_' &&
	       (strncmp(container, pod->container.bytes, len) != 0 ||
		container[len] != '-' || strchr(container + len + 1, '-'));
}

bool container_pod_has_others(const struct container_pod *pod)
{
	size_t prefix = pod->name.len + pod->namespace.len + 2;
	DIR *dir = pod->name.len ? opendir(LINKS) : NULL;
	struct dirent *entry;
	int left = LINKS_MAX;
	bool found = false;

	while (dir && !found && left-- && (entry = readdir(dir)))
		found = strlen(entry->d_name) > prefix &&
			pod_is_other(pod, entry->d_name);
	if (dir)
		closedir(dir);
	return found;
}

/* ---- the machine of a container ---- */

/*
 * True for the first process of the machine, seen from a container with a host
 * name of its own. The containers of a pod share their host name, and may share
 * a PID namespace whose first process is the application.
 */
static bool machine_is_init(const struct jvm *init)
{
	struct stat ours, other;
	struct container c;

	if (init->uid != 0 || stat("/proc/self/ns/uts", &ours) < 0 ||
	    stat("/proc/1/ns/uts", &other) < 0 || ours.st_ino == other.st_ino)
		return false;
	container_read(&c, init);
	return !*c.id;
}

static int machine_open_name(const struct jvm *init, void *argument,
			     struct error *err)
{
	(void)argument;
	return jvm_open_file(init, "/etc/hostname", O_RDONLY | O_CLOEXEC, err);
}

/* Takes the first line that is not a comment: hostname(5). */
static bool machine_take_name(const char *text, struct text *out)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyz"
				      "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789-._";
	size_t len;

	while (*text == '#' || *text == '\n') {
		text += strcspn(text, "\n");
		text += *text == '\n';
	}
	len = strspn(text, allowed);
	if (!len || len > HOST_NAME_MAX ||
	    (text[len] && !strchr(" \t\n", text[len])) ||
	    strncmp(text, "localhost", 9) == 0)
		return false;
	text_add(out, text, len);
	return true;
}

/* Runs in a child, which leaves the UTS namespace of sjkc. */
static int machine_uname_job(void *self, int channel, struct error *err)
{
	int fd = open("/proc/1/ns/uts", O_RDONLY | O_CLOEXEC);
	struct utsname host;
	char *name = self;

	(void)channel, (void)err;
	if (fd >= 0 && setns(fd, CLONE_NEWUTS) == 0 && uname(&host) == 0)
		snprintf(name, sizeof(host.nodename), "%s", host.nodename);
	return CHILD_NOTHING;
}

/* Appends the machine's name of the kernel; requires CAP_SYS_ADMIN. */
static bool machine_uname(struct text *out)
{
	const struct child_options options = { .dies_with_parent = true };
	const size_t size = sizeof(((struct utsname *)0)->nodename);
	struct child child = { .channel = -1 };
	char *name = child_memory(size);
	bool is_done;
	int fd;

	is_done = child_start(&child, &options, machine_uname_job, name,
			      error_unused()) == 0 &&
		  child_wait(&child, clock_monotonic_ns() + FIND_NS, &fd,
			     error_unused()) == CHILD_DONE &&
		  machine_take_name(name, out);
	child_end(&child, 0);
	child_memory_free(name, size);
	return is_done;
}

bool container_machine_name(struct text *out)
{
	struct jvm init = { .pidfd = -1 };
	struct opening o = {
		.jvm = &init,
		.job = machine_open_name,
		.place = OPENER_ROOT,
		.copy_max = HOST_NAME_FILE_MAX,
	};
	char bytes[HOST_NAME_FILE_MAX];
	ssize_t len = -1;
	int fd = -1;

	if (jvm_open(&init, 1, error_unused()))
		return false;
	if (machine_is_init(&init)) {
		if (machine_uname(out)) {
			jvm_close(&init);
			return true;
		}
		fd = opener_run(&o, error_unused());
	}
	if (fd >= 0) {
		do
			len = read(fd, bytes, sizeof(bytes) - 1);
		while (len < 0 && errno == EINTR);
		close(fd);
	}
	jvm_close(&init);
	bytes[len > 0 ? len : 0] = '\0';
	return machine_take_name(bytes, out);
}
