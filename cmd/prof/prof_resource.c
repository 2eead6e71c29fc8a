/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The attributes of a JVM as a resource of OpenTelemetry (semantic conventions:
 * service, process, container, k8s, host).
 *
 * All are read from /proc, the JVM's command line and environment, and the
 * links that a kubelet keeps in /var/log/containers. No API is asked.
 */
#include "cmd/prof/prof_push.h"

#include "cmd/main_name.h"
#include "cmd/prof/prof_attributes.h"
#include "cmd/prof/prof_container.h"
#include "cmd/prof/prof_context.h"
#include "core/jvm/procfs.h"
#include "render/profile/export.h"

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

enum {
	ENVIRON_MAX = 256 * 1024,
	CONTAINERS_MAX = 8192, /* entries of a directory that are read */
};

struct resource {
	const struct jvm *jvm;
	struct jvm_info info;
	struct text environ;
	struct prof_container container;
	struct text context; /* a list that the JVM publishes, or empty */
	struct text pod, namespace, container_name;
	bool has_siblings; /* the pod has other containers */
	struct text service;
	struct prof_attributes attributes;
};

static void resource_put(struct resource *r, const char *key, const char *value)
{
	prof_attributes_put(&r->attributes, key, value);
}

/* ---- sources ---- */

/* Returns the value of a variable of the JVM; NULL = unset. */
static const char *resource_variable(const struct resource *r, const char *name)
{
	size_t len = strlen(name);

	for (size_t at = 0; at < r->environ.len;) {
		const char *entry = r->environ.bytes + at;

		if (strncmp(entry, name, len) == 0 && entry[len] == '=')
			return entry + len + 1;
		at += strlen(entry) + 1;
	}
	return NULL;
}

/* Returns the value of the system property; option is "-Dname=". */
static const char *resource_property(const struct resource *r,
				     const char *option)
{
	const char *found = r->info.vm_args ? jvm_info_option(&r->info, option)
					    : NULL;

	return found ? found + strlen(option) : NULL;
}

/* Sets the service to that of "key=value,key=value", unless it is known. */
static void resource_take_service(struct resource *r, const char *list)
{
	struct text key = { 0 }, value = { 0 };

	while (list && *list && !r->service.len) {
		list = prof_attributes_next(list, &key, &value);
		if (strcmp(key.bytes, "service.name") == 0)
			text_add(&r->service, value.bytes, value.len);
	}
	text_release(&key);
	text_release(&value);
}

/* ---- containers ---- */

/* Takes "POD_NAMESPACE_CONTAINER-ID.log" apart. */
static bool resource_take_link(struct resource *r, const char *name)
{
	const char *first = strchr(name, '_');
	const char *second = first ? strchr(first + 1, '_') : NULL;
	const char *id = strstr(name, r->container.id);

	if (!second || !id || id <= second + 2 || id[-1] != '-')
		return false;
	text_add(&r->pod, name, (size_t)(first - name));
	text_add(&r->namespace, first + 1, (size_t)(second - first - 1));
	text_add(&r->container_name, second + 1, (size_t)(id - second - 2));
	return true;
}

/* A link is of the JVM's pod if it leads to /var/log/pods/NS_POD_UID/…. */
static bool resource_owns_link(const struct resource *r, DIR *dir,
			       const char *name)
{
	char target[PATH_MAX];
	ssize_t len = readlinkat(dirfd(dir), name, target, sizeof(target) - 1);

	target[len > 0 ? len : 0] = '\0';
	return prof_container_owns_log(&r->container, target);
}

/* Finds out whether a link is of the same pod and another container. */
static void resource_note_sibling(struct resource *r, const char *name)
{
	const char *container = name + r->pod.len + r->namespace.len + 2;
	size_t len = r->container_name.len;

	if (strncmp(name, r->pod.bytes, r->pod.len) == 0 &&
	    name[r->pod.len] == '_' &&
	    strncmp(name + r->pod.len + 1, r->namespace.bytes,
		    r->namespace.len) == 0 &&
	    container[-1] == '_' &&
	    (strncmp(container, r->container_name.bytes, len) != 0 ||
	     container[len] != '-' || strchr(container + len + 1, '-')))
		r->has_siblings = true;
}

static void resource_find_siblings(struct resource *r)
{
	DIR *dir = r->pod.len ? opendir("/var/log/containers") : NULL;
	struct dirent *entry;
	int left = CONTAINERS_MAX;

	while (dir && left-- && (entry = readdir(dir)))
		if (strlen(entry->d_name) > r->pod.len + r->namespace.len + 2)
			resource_note_sibling(r, entry->d_name);
	if (dir)
		closedir(dir);
}

static void resource_find_pod(struct resource *r)
{
	DIR *dir = *r->container.id ? opendir("/var/log/containers") : NULL;
	struct dirent *entry;
	int left = CONTAINERS_MAX;

	while (dir && left-- && (entry = readdir(dir)))
		if (strstr(entry->d_name, r->container.id) &&
		    resource_owns_link(r, dir, entry->d_name) &&
		    resource_take_link(r, entry->d_name))
			break;
	if (dir)
		closedir(dir);
}

void prof_resource_container(const struct jvm *jvm, struct text *id,
			     struct text *name)
{
	struct resource r = { .jvm = jvm };

	prof_container_read(&r.container, jvm);
	resource_find_pod(&r);
	text_puts(id, r.container.id);
	text_add(name, r.container_name.bytes, r.container_name.len);
	text_release(&r.pod);
	text_release(&r.namespace);
	text_release(&r.container_name);
}

void prof_pod_read(struct prof_pod *p, const struct jvm *jvm)
{
	struct resource r = { .jvm = jvm };

	prof_container_read(&r.container, jvm);
	resource_find_pod(&r);
	*p = (struct prof_pod){ r.namespace, r.pod, r.container_name };
}

void prof_pod_release(struct prof_pod *p)
{
	text_release(&p->namespace);
	text_release(&p->name);
	text_release(&p->container);
}

/* ---- the service ---- */

/* The name of a main class or jar, without directories and ".jar". */
static void resource_main_name(struct resource *r, struct text *out)
{
	struct text whole = { 0 };
	const char *base, *slash;
	size_t len;

	main_name_of(r->jvm, &r->info, &whole);
	slash = strrchr(whole.bytes, '/');
	base = slash && slash[1] ? slash + 1 : whole.bytes;
	len = strlen(base);
	if (len > 4 && strcmp(base + len - 4, ".jar") == 0)
		len -= 4;
	text_add(out, base, len);
	text_release(&whole);
}

/* The characters of hashes and of random suffixes (SafeEncodeString). */
static const char safe_letters[] = "bcdfghjklmnpqrstvwxz2456789";
static const char digits[] = "0123456789";

/*
 * Returns the length of a pod's name without its last part, if that is one of
 * these characters and of this length; or the whole length.
 */
static size_t workload_strip(const char *pod, size_t len,
			     const char *characters, size_t min, size_t max)
{
	size_t part = 0;

	while (part < len && pod[len - part - 1] != '-' &&
	       strchr(characters, pod[len - part - 1]))
		part++;
	return part >= min && part <= max && part + 1 < len &&
			       pod[len - part - 1] == '-'
		       ? len - part - 1
		       : len;
}

size_t prof_workload_len(const char *pod)
{
	size_t len = strlen(pod);
	size_t owner = workload_strip(pod, len, safe_letters, 5, 5);
	size_t workload;

	if (owner == len)
		return workload_strip(pod, len, digits, 1, 5);
	/* The hash of a ReplicaSet, or the time of a CronJob. */
	workload = workload_strip(pod, owner, safe_letters, 6, 10);
	return workload < owner ? workload
				: workload_strip(pod, owner, digits, 8, 10);
}

static void resource_take_workload(struct resource *r)
{
	size_t len;

	if (!r->pod.len || r->service.len)
		return;
	len = prof_workload_len(r->pod.bytes);
	text_add(&r->service, r->pod.bytes, len);
	if (r->has_siblings)
		text_printf(&r->service, "-%s", r->container_name.bytes);
}

static void resource_find_service(struct resource *r, const char *service)
{
	const char *const direct[] = {
		service,
		resource_property(r, "-Dotel.service.name="),
		resource_variable(r, "OTEL_SERVICE_NAME"),
	};
	const char *const later[] = {
		resource_variable(r, "DD_SERVICE"),
		resource_property(r, "-Dspring.application.name="),
	};

	for (size_t i = 0; i < 3 && !r->service.len; i++)
		text_puts(&r->service, direct[i] ? direct[i] : "");
	resource_take_service(
		r, resource_property(r, "-Dotel.resource.attributes="));
	resource_take_service(r,
			      resource_variable(r, "OTEL_RESOURCE_ATTRIBUTES"));
	resource_take_service(r, r->context.bytes);
	for (size_t i = 0; i < 2 && !r->service.len; i++)
		text_puts(&r->service, later[i] ? later[i] : "");
	resource_take_workload(r);
	if (!r->service.len && r->container_name.len)
		text_puts(&r->service, r->container_name.bytes);
	if (!r->service.len)
		resource_main_name(r, &r->service);
}

/* ---- attributes ---- */

static void resource_put_ids(struct resource *r)
{
	char pid[16];

	resource_put(r, "container.id", r->container.id);
	resource_put(r, "k8s.pod.uid", r->container.pod_uid);
	if (*r->container.id)
		return;
	snprintf(pid, sizeof(pid), "%d", (int)r->jvm->pid);
	resource_put(r, "process.pid", pid);
}

/* The program may have any name: an application that embeds a JVM. */
static void resource_put_executable(struct resource *r)
{
	char link[32], path[PATH_MAX];
	const char *slash;
	ssize_t len;

	snprintf(link, sizeof(link), "/proc/%d/exe",
		 (int)procfs_owner(r->jvm->pid));
	len = readlink(link, path, sizeof(path) - 1);
	path[len > 0 ? len : 0] = '\0';
	/* The kernel appends this to the path of a file that was replaced. */
	if (len > 10 && strcmp(path + len - 10, " (deleted)") == 0)
		path[len - 10] = '\0';
	slash = strrchr(path, '/');
	if (slash)
		resource_put(r, "process.executable.name", slash + 1);
}

static void resource_put_own(struct resource *r)
{
	const char *node = getenv("NODE_NAME");
	struct utsname host;

	resource_put(r, "k8s.pod.name", r->pod.bytes);
	resource_put(r, "k8s.namespace.name", r->namespace.bytes);
	resource_put(r, "k8s.container.name", r->container_name.bytes);
	resource_put(r, "k8s.node.name", node);
	/* In a pod, the host name is that of the pod of sjkc. */
	if (node && *node)
		resource_put(r, "host.name", node);
	else if (uname(&host) == 0)
		resource_put(r, "host.name", host.nodename);
	resource_put_executable(r);
	resource_put(r, "process.runtime.name", r->info.vm_name);
	resource_put(r, "process.runtime.version", r->info.version);
	resource_put_ids(r);
}

/* Appends the service, the attributes that the user gives, and the others. */
static void resource_add_all(struct resource *r, enum prof_labels labels,
			     struct text *out)
{
	const char *list = resource_property(r, "-Dotel.resource.attributes=");
	struct prof_attributes *a = &r->attributes;
	const struct text *service = &r->service;

	otlp_attribute(out, "service.name", service->bytes,
		       strnlen(service->bytes, PROF_VALUE_MAX));
	if (labels == PROF_LABELS_SERVICE)
		return;
	a->omits_ids = labels == PROF_LABELS_LOW;
	resource_put_own(r);
	if (!list)
		list = resource_variable(r, "OTEL_RESOURCE_ATTRIBUTES");
	if (list)
		prof_attributes_add_list(a, list, false);
	if (r->context.len)
		prof_attributes_add_list(a, r->context.bytes, true);
	text_add(out, a->given.bytes, a->given.len);
	text_add(out, a->own.bytes, a->own.len);
}

uint64_t prof_resource_add(const struct jvm *jvm, const char *service,
			   enum prof_labels labels, struct text *out,
			   bool *args_cut)
{
	struct resource r = { .jvm = jvm };
	struct error unused;
	uint64_t omitted;

	if (jvm_info(jvm, &r.info, &unused))
		r.info = (struct jvm_info){ 0 };
	procfs_read(jvm->pid, "environ", ENVIRON_MAX, &r.environ, &unused);
	prof_container_read(&r.container, jvm);
	prof_context_read(jvm, &r.context);
	resource_find_pod(&r);
	resource_find_siblings(&r);
	resource_find_service(&r, service);
	resource_add_all(&r, labels, out);
	omitted = r.attributes.omitted;
	*args_cut = r.info.args_cut;
	jvm_info_release(&r.info);
	/* The environment may have secrets. */
	if (r.environ.bytes)
		explicit_bzero(r.environ.bytes, r.environ.cap);
	text_release(&r.environ);
	text_release(&r.context);
	text_release(&r.pod);
	text_release(&r.namespace);
	text_release(&r.container_name);
	text_release(&r.service);
	prof_attributes_release(&r.attributes);
	return omitted;
}
