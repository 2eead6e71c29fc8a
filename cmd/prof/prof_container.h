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
 * Reads the text of a /proc/PID/cgroup, or a path: 64 hexadecimal digits, or
 * ECS's 32 with '-' and a number; pod<uid>.
 */
void prof_container_parse(struct prof_container *c, const char *text,
			  size_t len);

/*
 * Finds the group with this inode below a directory, and reads its path.
 * Returns false if there is none, or only the directory itself.
 */
bool prof_container_find(struct prof_container *c, const char *directory,
			 ino_t inode);

/*
 * Reads a process. A path of "/" means that sjkc has the same view of groups as
 * the container: then the group is found by the inode of the container's mount.
 */
void prof_container_read(struct prof_container *c, const struct jvm *jvm);

#endif
