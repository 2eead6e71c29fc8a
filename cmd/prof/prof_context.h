/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prof_context: the resource that an OpenTelemetry SDK publishes in the memory
 * of its process (OTEP 4719, "process context").
 */
#ifndef CMD_PROF_PROF_CONTEXT_H
#define CMD_PROF_PROF_CONTEXT_H

#include "core/base/text.h"
#include "core/jvm/jvm.h"

#include <stdbool.h>

/*
 * Appends the attributes with a string, as "key=value" pairs in the form of
 * OTEL_RESOURCE_ATTRIBUTES; false if the process publishes none.
 */
bool prof_context_read(const struct jvm *jvm, struct text *out);

#endif
