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
#include "core/base/ascii.h"
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
	CGROUP_MAX = 16 * 1024,
	CONTAINER_ID = 64,
	CONTAINERS_MAX = 8192, /* entries of a directory that are read */
	/* Attributes that the user gives; engines limit them, too. */
	PAIRS_MAX = 16,
	KEY_MAX = 128,
	VALUE_MAX = 1024,
};

struct resource {
	const struct jvm *jvm;
	struct jvm_info info;
	struct text environ;
	char container[CONTAINER_ID + 1]; /* id, or "" */
	char pod_uid[40];                 /* or "" */
	struct text pod, namespace, container_name;
	struct text service;
	struct text *out;
};

static void resource_put(struct resource *r, const char *key, const char *value)
{
	if (value && *value)
		otlp_attribute(r->out, key, value, strnlen(value, VALUE_MAX));
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

/* ---- attributes that the user gives ---- */

/* A key with another separator is the same label in most engines. */
static bool resource_is_key(const char *key, const char *other)
{
	while (*key && (*key == *other || (*key == '.' && *other == '_') ||
			(*key == '_' && *other == '.'))) {
		key++;
		other++;
	}
	return !*key && !*other;
}

/* Attributes that are set from other sources. */
static bool resource_is_own(const char *key)
{
	static const char *const spaces[] = { "process", "container", "host",
					      "k8s" };

	if (resource_is_key(key, "service.name"))
		return true;
	for (size_t i = 0; i < sizeof(spaces) / sizeof(*spaces); i++) {
		size_t len = strlen(spaces[i]);

		if (strncmp(key, spaces[i], len) == 0 &&
		    (key[len] == '.' || key[len] == '_'))
			return true;
	}
	return false;
}

/* Engines refuse a whole request for one key that they cannot read. */
static bool resource_is_valid_key(const struct text *key)
{
	static const char valid[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_.-";

	return key->len && key->len <= KEY_MAX &&
	       strspn(key->bytes, valid) == key->len;
}

/*
 * Reads the first pair of "key=value,key=value"; a text without "=" leaves both
 * empty. Returns the rest of the list.
 */
static const char *resource_next_pair(const char *list, struct text *key,
				      struct text *value)
{
	size_t len = strcspn(list, ","), blanks = 0;
	const char *equals = memchr(list, '=', len);

	text_clear(key);
	text_clear(value);
	text_puts(key, "");
	text_puts(value, "");
	if (equals) {
		size_t key_len = (size_t)(equals - list);
		size_t value_len = len - key_len - 1;

		while (blanks < key_len && is_blank(list[blanks]))
			blanks++;
		while (key_len > blanks && is_blank(list[key_len - 1]))
			key_len--;
		while (value_len && is_blank(*++equals))
			value_len--;
		while (value_len && is_blank(equals[value_len - 1]))
			value_len--;
		text_add(key, list + blanks, key_len - blanks);
		text_percent_decoded(value, equals, value_len);
	}
	return list + len + (list[len] == ',');
}

uint64_t prof_resource_add_list(const char *list, struct text *out)
{
	struct text keys[PAIRS_MAX] = { { 0 } }, value = { 0 };
	uint64_t omitted = 0;
	size_t count = 0;

	while (*list) {
		struct text key = { 0 };
		size_t same = 0;

		list = resource_next_pair(list, &key, &value);
		while (same < count &&
		       !resource_is_key(keys[same].bytes, key.bytes))
			same++;
		if (!key.len || !value.len || resource_is_own(key.bytes)) {
			text_release(&key);
		} else if (same < count || count == PAIRS_MAX ||
			   value.len > VALUE_MAX ||
			   !resource_is_valid_key(&key)) {
			omitted++;
			text_release(&key);
		} else {
			otlp_attribute(out, key.bytes, value.bytes, value.len);
			keys[count++] = key;
		}
	}
	while (count)
		text_release(&keys[--count]);
	text_release(&value);
	return omitted;
}

/* Sets the service to that of "key=value,key=value", unless it is known. */
static void resource_take_service(struct resource *r, const char *list)
{
	struct text key = { 0 }, value = { 0 };

	while (list && *list && !r->service.len) {
		list = resource_next_pair(list, &key, &value);
		if (strcmp(key.bytes, "service.name") == 0)
			text_add(&r->service, value.bytes, value.len);
	}
	text_release(&key);
	text_release(&value);
}

/* ---- containers ---- */

static bool resource_is_hex(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!is_digit(text[i]) && (text[i] < 'a' || text[i] > 'f'))
			return false;
	return true;
}

/* Finds the last 64 hexadecimal digits of a path, and pod<uid>. */
static void resource_read_cgroup(struct resource *r)
{
	struct text file = { 0 };
	struct error unused;
	size_t digits = 0;
	const char *pod;

	if (procfs_read(r->jvm->pid, "cgroup", CGROUP_MAX, &file, &unused))
		return;
	for (size_t i = 0; i < file.len; i++) {
		digits = resource_is_hex(file.bytes + i, 1) ? digits + 1 : 0;
		if (digits == CONTAINER_ID &&
		    !resource_is_hex(file.bytes + i + 1, 1)) {
			memcpy(r->container, file.bytes + i + 1 - CONTAINER_ID,
			       CONTAINER_ID);
			r->container[CONTAINER_ID] = '\0';
		}
	}
	pod = file.len ? strstr(file.bytes, "pod") : NULL;
	for (; pod && !*r->pod_uid; pod = strstr(pod + 3, "pod")) {
		size_t len = strspn(pod + 3, "0123456789abcdef-_");

		if (len < 32 || len >= sizeof(r->pod_uid))
			continue;
		memcpy(r->pod_uid, pod + 3, len);
		r->pod_uid[len] = '\0';
		for (char *c = r->pod_uid; *c; c++)
			if (*c == '_')
				*c = '-';
	}
	text_release(&file);
}

/* Takes "POD_NAMESPACE_CONTAINER-ID.log" apart. */
static bool resource_take_link(struct resource *r, const char *name)
{
	const char *first = strchr(name, '_');
	const char *second = first ? strchr(first + 1, '_') : NULL;
	const char *id = strstr(name, r->container);

	if (!second || !id || id <= second + 2 || id[-1] != '-')
		return false;
	text_add(&r->pod, name, (size_t)(first - name));
	text_add(&r->namespace, first + 1, (size_t)(second - first - 1));
	text_add(&r->container_name, second + 1, (size_t)(id - second - 2));
	return true;
}

static void resource_find_pod(struct resource *r)
{
	DIR *dir = *r->container ? opendir("/var/log/containers") : NULL;
	struct dirent *entry;
	int left = CONTAINERS_MAX;

	while (dir && left-- && (entry = readdir(dir)))
		if (strstr(entry->d_name, r->container) &&
		    resource_take_link(r, entry->d_name))
			break;
	if (dir)
		closedir(dir);
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
		r->container_name.bytes,
	};

	for (size_t i = 0; i < 3 && !r->service.len; i++)
		text_puts(&r->service, direct[i] ? direct[i] : "");
	resource_take_service(
		r, resource_property(r, "-Dotel.resource.attributes="));
	resource_take_service(r,
			      resource_variable(r, "OTEL_RESOURCE_ATTRIBUTES"));
	for (size_t i = 0; i < 3 && !r->service.len; i++)
		text_puts(&r->service, later[i] ? later[i] : "");
	if (!r->service.len)
		resource_main_name(r, &r->service);
}

/* ---- attributes ---- */

static void resource_put_ids(struct resource *r)
{
	char pid[16];

	resource_put(r, "container.id", r->container);
	resource_put(r, "k8s.pod.uid", r->pod_uid);
	if (*r->container)
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

	snprintf(link, sizeof(link), "/proc/%d/exe", (int)r->jvm->pid);
	len = readlink(link, path, sizeof(path) - 1);
	path[len > 0 ? len : 0] = '\0';
	/* The kernel appends this to the path of a file that was replaced. */
	if (len > 10 && strcmp(path + len - 10, " (deleted)") == 0)
		path[len - 10] = '\0';
	slash = strrchr(path, '/');
	if (slash)
		resource_put(r, "process.executable.name", slash + 1);
}

/* Returns how many attributes that the user gives are omitted. */
static uint64_t resource_put_all(struct resource *r, enum prof_labels labels)
{
	const char *list = resource_property(r, "-Dotel.resource.attributes=");
	struct utsname host;
	uint64_t omitted = 0;

	resource_put(r, "service.name", r->service.bytes);
	if (labels == PROF_LABELS_SERVICE)
		return 0;
	if (!list)
		list = resource_variable(r, "OTEL_RESOURCE_ATTRIBUTES");
	if (list)
		omitted = prof_resource_add_list(list, r->out);
	resource_put(r, "k8s.pod.name", r->pod.bytes);
	resource_put(r, "k8s.namespace.name", r->namespace.bytes);
	resource_put(r, "k8s.container.name", r->container_name.bytes);
	resource_put(r, "k8s.node.name", getenv("NODE_NAME"));
	if (uname(&host) == 0)
		resource_put(r, "host.name", host.nodename);
	resource_put_executable(r);
	resource_put(r, "process.runtime.name", r->info.vm_name);
	resource_put(r, "process.runtime.version", r->info.version);
	if (labels == PROF_LABELS_FULL)
		resource_put_ids(r);
	return omitted;
}

uint64_t prof_resource_add(const struct jvm *jvm, const char *service,
			   enum prof_labels labels, struct text *out)
{
	struct resource r = { .jvm = jvm, .out = out };
	struct error unused;
	uint64_t omitted;

	if (jvm_info(jvm, &r.info, &unused))
		r.info = (struct jvm_info){ 0 };
	procfs_read(jvm->pid, "environ", ENVIRON_MAX, &r.environ, &unused);
	resource_read_cgroup(&r);
	resource_find_pod(&r);
	resource_find_service(&r, service);
	omitted = resource_put_all(&r, labels);
	jvm_info_release(&r.info);
	/* The environment may have secrets. */
	if (r.environ.bytes)
		explicit_bzero(r.environ.bytes, r.environ.cap);
	text_release(&r.environ);
	text_release(&r.pod);
	text_release(&r.namespace);
	text_release(&r.container_name);
	text_release(&r.service);
	return omitted;
}
