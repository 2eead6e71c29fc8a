/* SPDX-License-Identifier: Apache-2.0 */
/*
 * agent_events: allocations and waits for monitors, made calls of a function
 * that a uprobe is on.
 */
#ifndef JVMTI_AGENT_AGENT_EVENTS_H
#define JVMTI_AGENT_AGENT_EVENTS_H

#include "jvmti/agent/agent_jvmti.h"

#include <stdint.h>

#define EVENTS_INTERVAL (512 << 10) /* the JVM's own, bytes: JEP 331 */

/* Begins a session; interval is the mean number of bytes between samples. */
void events_begin(uint64_t interval);

/*
 * What the uprobes are on; empty.  The bytes that a sample stands for; and of a
 * wait for a monitor, when it began (CLOCK_MONOTONIC) and its ns, which are 0
 * where it begins.
 */
void sjkc_probe_alloc(uint64_t bytes, uint64_t unused, const void *object);
void sjkc_probe_lock(uint64_t ns, uint64_t began, const void *object,
		     const void *jni);

/* The callbacks of JVMTI. */
void events_allocated(jvm_table *env, jvm_table *jni, void *thread,
		      void *object, void *class, int64_t size);
void events_contended(jvm_table *env, jvm_table *jni, void *thread,
		      void *object);
void events_entered(jvm_table *env, jvm_table *jni, void *thread, void *object);

#endif
