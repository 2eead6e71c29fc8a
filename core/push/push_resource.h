/* SPDX-License-Identifier: Apache-2.0 */
/*
 * push_resource: describes a JVM as a resource of OpenTelemetry, by its command
 * line, environment, container and memory.
 */
#ifndef CORE_PUSH_PUSH_RESOURCE_H
#define CORE_PUSH_PUSH_RESOURCE_H

#include "core/base/text.h"
#include "core/jvm/jvm.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Returns NODE_NAME, the name of the machine whose processes sjkc sees from a
 * container, or the host name; "" if none is known.
 */
const char *push_host_name(void);

/* How many attributes a resource has. */
enum push_labels {
	PUSH_LABELS_FULL,
	PUSH_LABELS_LOW,     /* without ids of containers, pods and processes */
	PUSH_LABELS_SERVICE, /* the service alone */
};

/*
 * Returns the length of the name of a workload in the name of its pod: without
 * "-HASH-XXXXX" (Deployment), "-TIME-XXXXX" (CronJob), "-XXXXX" (DaemonSet,
 * Job) and "-ORDINAL" (StatefulSet).
 */
size_t push_workload_len(const char *pod);

/*
 * Appends the resource that an OpenTelemetry SDK publishes in the memory of its
 * process (OTEP 4719, "process context"): its attributes with a string, as
 * "key=value" pairs in the form of OTEL_RESOURCE_ATTRIBUTES. False if the
 * process publishes none.
 */
bool push_context_read(const struct jvm *jvm, struct text *out);

/*
 * Appends the attributes of a JVM's resource, made by push_attribute().
 * service.name is the first of: service, unless NULL; what the JVM's options
 * and environment tell OpenTelemetry's, Datadog's and Spring's agents; the
 * workload of the pod; the container's name; the main class or jar. Returns how
 * many attributes that the user gives are omitted, as in struct
 * push_attributes. Sets *args_cut if some of the JVM's arguments could not be
 * read, which may have attributes.
 */
uint64_t push_resource_add(const struct jvm *jvm, const char *service,
			   enum push_labels labels, struct text *out,
			   bool *args_cut);

#endif
