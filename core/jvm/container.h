/* SPDX-License-Identifier: Apache-2.0 */
/*
 * container: the container and the Kubernetes pod of a process, from its
 * control group and the links of the kubelet, without an API.
 */
#ifndef CORE_JVM_CONTAINER_H
#define CORE_JVM_CONTAINER_H

#include "core/base/json.h"
#include "core/base/text.h"
#include "core/jvm/jvm.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { CONTAINER_ID = 80, CONTAINER_POD_UID = 40 };

struct container {
	char id[CONTAINER_ID];           /* or "" */
	char pod_uid[CONTAINER_POD_UID]; /* with '-', or "" */
};

/*
 * Returns the owner of a group, of a path in a hierarchy of controllers ("" in
 * version 2); false if it cannot be seen.
 */
struct container_groups {
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
bool container_parse(struct container *c, const char *text, size_t len,
		     const struct container_groups *groups);

/*
 * True if the target of a link in /var/log/containers is in the directory of
 * the pod of the container: /var/log/pods/NAMESPACE_POD_UID/CONTAINER/0.log.
 */
bool container_owns_log(const struct container *c, const char *target);

/*
 * Returns "0::" and the path below a directory of the group with this inode,
 * which the caller frees; NULL if there is none, or only the directory itself.
 */
char *container_find(const char *directory, ino_t inode);

/*
 * Reads a process. A path of "/" means that sjkc has the same view of groups as
 * the container: then the group is found by the inode of the container's mount.
 * Takes at most a second.
 */
void container_read(struct container *c, const struct jvm *jvm);

/* Foreign texts; each is empty if it is unknown. */
struct container_pod {
	struct text namespace, name, container;
};

/*
 * Finds the pod of a container by the links that a kubelet keeps in
 * /var/log/containers. container_pod_release() must follow.
 */
void container_pod_find(struct container_pod *pod, const struct container *c);

/* The same for a process. Takes no time where there are no such links. */
void container_pod_read(struct container_pod *pod, const struct jvm *jvm);
void container_pod_release(struct container_pod *pod); /* zeroed is allowed */

/* Appends "prod/shop-7, container web", foreign; nothing if it is unknown. */
void container_pod_add(const struct container_pod *pod, struct text *out);

/* The same for the end of a title: " in prod/shop-7, container web". */
void container_pod_add_to_title(const struct container_pod *pod,
				struct text *out);

/* Appends the members "namespace", "pod" and "container"; NULL is unknown. */
void container_pod_json(const struct container_pod *pod, struct json *j);

/*
 * True if there are links of other containers of the pod. The links do not show
 * whether a container is an init container, nor whether it still runs.
 */
bool container_pod_has_others(const struct container_pod *pod);

/*
 * Appends the machine's host name, if sjkc runs in a container that has the
 * machine's PID namespace and a host name of its own (hostPID): the kernel's,
 * which requires CAP_SYS_ADMIN, or else that in the machine's /etc/hostname.
 * Returns false otherwise, and for names that no machine has alone (localhost).
 */
bool container_machine_name(struct text *out);

#endif
