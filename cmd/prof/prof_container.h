/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prof_container: the container and the pod of a process, from its control
 * group, without an API.
 */
#ifndef CMD_PROF_PROF_CONTAINER_H
#define CMD_PROF_PROF_CONTAINER_H

#include "core/jvm/jvm.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { PROF_CONTAINER_ID = 80, PROF_POD_UID = 40 };

struct prof_container {
	char id[PROF_CONTAINER_ID]; /* or "" */
	char pod_uid[PROF_POD_UID]; /* with '-', or "" */
};

/*
 * Returns the owner of a group, of a path in a hierarchy of controllers ("" in
 * version 2); false if it cannot be seen.
 */
struct prof_groups {
	bool (*owner)(void *self, const char *controllers,
		      size_t controllers_len, const char *path, size_t path_len,
		      uid_t *uid);
	void *self;
};

/*
 * Reads the text of a /proc/PID/cgroup: the group of the outermost container
 * whose name is that of a container runtime's: docker-<id>.scope, docker/<id>,
 * kubepods/…/pod<uid>/<id>.  Everyone may choose such names in a group of their
 * own, so root must own the group that the container's group is in.  groups may
 * be NULL.  Returns false if there is no container.
 */
bool prof_container_parse(struct prof_container *c, const char *text,
			  size_t len, const struct prof_groups *groups);

/*
 * True if the target of a link in /var/log/containers is in the directory of
 * the pod of the container: /var/log/pods/NAMESPACE_POD_UID/CONTAINER/0.log.
 */
bool prof_container_owns_log(const struct prof_container *c,
			     const char *target);

/*
 * Returns "0::" and the path below a directory of the group with this inode,
 * which the caller frees; NULL if there is none, or only the directory itself.
 */
char *prof_container_find(const char *directory, ino_t inode);

/*
 * Reads a process. A path of "/" means that sjkc has the same view of groups as
 * the container: then the group is found by the inode of the container's mount.
 * Takes at most a second.
 */
void prof_container_read(struct prof_container *c, const struct jvm *jvm);

#endif
