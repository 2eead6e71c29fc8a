/* SPDX-License-Identifier: Apache-2.0 */
/*
 * agent: the library that is loaded into a JVM (JVMTI 1.2 and later).
 *
 * It has one session at a time.  Between sessions it is asleep: no event is
 * enabled, no file is open, its memory is freed.  It calls the JVM as little as
 * possible, from callbacks only to get the names of methods, and never makes a
 * JVM thread wait.  A session ends with Agent_OnAttach and AGENT_STOP, or at
 * the first event after the client's lock has gone.
 */
#ifndef JVMTI_AGENT_AGENT_H
#define JVMTI_AGENT_AGENT_H

#include "jvmti/agent/agent_jvmti.h"

#include <stdbool.h>
#include <stdint.h>

/* Returns true on the thread that runs GenerateEvents. */
bool agent_is_replaying(void);

/* Call at the end of a callback: ends the session if the client has gone. */
void agent_check_client(void);

/* Returns true if the current session wants such events. */
bool agent_wants(unsigned want);

/* Returns the JNI environment of the calling thread; NULL = none. */
jvm_table *agent_jni(void);

/*
 * The empty functions that uprobes are attached to.  bytes is the number of
 * bytes that a sample represents.  ns is the length of a wait for a monitor, 0
 * at its beginning, and began the time of its beginning (CLOCK_MONOTONIC).
 */
void sjkc_probe_alloc(uint64_t bytes, uint64_t unused, const void *object);
void sjkc_probe_lock(uint64_t ns, uint64_t began, const void *object,
		     const void *jni);

/* ---- agent_symbols: turns JVMTI's reports about code into records ---- */

/* Allocates its memory; returns 0 or the errno. */
int symbols_begin(void);
/* Frees its memory; returns false if it remains in use for too long. */
bool symbols_end(void);

/* Callbacks of JVMTI. */
void symbols_loaded(jvm_table *env, void *method, int32_t size,
		    const void *code, int32_t map_length, const void *map,
		    const struct jvmti_compile_record *records);
void symbols_unloaded(jvm_table *env, void *method, const void *code);
void symbols_generated(jvm_table *env, const char *name, const void *code,
		       int32_t size);

#endif
