/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The attributes of a JVM as a resource of OpenTelemetry (semantic conventions:
 * service, process, container, k8s, host).
 *
 * All are read from /proc, the JVM's command line and environment, and the
 * links that a kubelet keeps in /var/log/containers. No API is asked.
 */
#include "core/push/push_resource.h"

#include "core/jvm/container.h"
#include "core/jvm/main_name.h"
#include "core/jvm/procfs.h"
#include "core/push/push_attributes.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

enum {
	ENVIRON_MAX = 256 * 1024,
};

struct resource {
	const struct jvm *jvm;
	struct jvm_info info;
	struct text environ;
	struct container container;
	struct text context; /* a list that the JVM publishes, or empty */
	struct container_pod pod;
	struct text service;
	struct push_attributes attributes;
};

static void resource_put(struct resource *r, const char *key, const char *value)
{
	push_attributes_put(&r->attributes, key, value);
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
		list = push_attributes_next(list, &key, &value);
		if (strcmp(key.bytes, "service.name") == 0)
			text_add(&r->service, value.bytes, value.len);
	}
	text_release(&key);
	text_release(&value);
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

size_t push_workload_len(const char *pod)
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

	if (!r->pod.name.len || r->service.len)
		return;
	len = push_workload_len(r->pod.name.bytes);
	text_add(&r->service, r->pod.name.bytes, len);
	if (container_pod_has_others(&r->pod))
		text_printf(&r->service, "-%s", r->pod.container.bytes);
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
	if (!r->service.len && r->pod.container.len)
		text_puts(&r->service, r->pod.container.bytes);
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

const char *push_host_name(void)
{
	static struct text name;
	const char *node = getenv("NODE_NAME");
	struct utsname host;

	if (name.len)
		return name.bytes;
	if (node && *node)
		text_puts(&name, node);
	else if (!container_machine_name(&name) && uname(&host) == 0)
		/* In a pod, this is the name of the pod of sjkc. */
		text_puts(&name, host.nodename);
	return name.len ? name.bytes : "";
}

static void resource_put_own(struct resource *r)
{
	resource_put(r, "k8s.pod.name", r->pod.name.bytes);
	resource_put(r, "k8s.namespace.name", r->pod.namespace.bytes);
	resource_put(r, "k8s.container.name", r->pod.container.bytes);
	resource_put(r, "k8s.node.name", getenv("NODE_NAME"));
	resource_put(r, "host.name", push_host_name());
	resource_put_executable(r);
	resource_put(r, "process.runtime.name", r->info.vm_name);
	resource_put(r, "process.runtime.version", r->info.version);
	resource_put_ids(r);
}

/* Appends the service, the attributes that the user gives, and the others. */
static void resource_add_all(struct resource *r, enum push_labels labels,
			     struct text *out)
{
	const char *list = resource_property(r, "-Dotel.resource.attributes=");
	struct push_attributes *a = &r->attributes;
	const struct text *service = &r->service;

	push_attribute(out, "service.name", service->bytes,
		       strnlen(service->bytes, PUSH_VALUE_MAX));
	if (labels == PUSH_LABELS_SERVICE)
		return;
	a->omits_ids = labels == PUSH_LABELS_LOW;
	resource_put_own(r);
	if (!list)
		list = resource_variable(r, "OTEL_RESOURCE_ATTRIBUTES");
	if (list)
		push_attributes_add_list(a, list, false);
	if (r->context.len)
		push_attributes_add_list(a, r->context.bytes, true);
	text_add(out, a->given.bytes, a->given.len);
	text_add(out, a->own.bytes, a->own.len);
}

uint64_t push_resource_add(const struct jvm *jvm, const char *service,
			   enum push_labels labels, struct text *out,
			   bool *args_cut)
{
	struct resource r = { .jvm = jvm };
	uint64_t omitted;

	if (jvm_info(jvm, &r.info, error_unused()))
		r.info = (struct jvm_info){ 0 };
	procfs_read(jvm->pid, "environ", ENVIRON_MAX, &r.environ,
		    error_unused());
	container_read(&r.container, jvm);
	push_context_read(jvm, &r.context);
	container_pod_find(&r.pod, &r.container);
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
	container_pod_release(&r.pod);
	text_release(&r.service);
	push_attributes_release(&r.attributes);
	return omitted;
}
