/* SPDX-License-Identifier: Apache-2.0 */
/*
 * agent: the library that is loaded into a JVM (JVMTI 1.2 and later).
 *
 * One session at a time; between two it is asleep: no event is on, no file is
 * open, its memory has been given back.  It asks the JVM for no more than it
 * must, from callbacks only for the names of methods, and keeps none of the
 * JVM's threads waiting.  A session ends with Agent_OnAttach and AGENT_STOP, or
 * at the first event that is heard after the client's lock has gone.
 */
#ifndef JVMTI_AGENT_AGENT_H
#define JVMTI_AGENT_AGENT_H

#include "jvmti/agent/agent_jvmti.h"

#include <stdbool.h>
#include <stdint.h>

/* True on the thread that has the JVM tell what there is already. */
bool agent_is_replaying(void);

/* For the end of a callback: ends the session when nobody listens. */
void agent_look_around(void);

/* False when this session is over, or is of another kind. */
bool agent_wants(unsigned want);

/* The JNI environment of the calling thread; NULL = none. */
jvm_table *agent_jni(void);

/*
 * The empty functions that uprobes are on.  The bytes that a sample stands for;
 * and of a wait for a monitor, when it began (CLOCK_MONOTONIC) and its ns,
 * which are 0 where it begins.
 */
void sjkc_probe_alloc(uint64_t bytes, uint64_t unused, const void *object);
void sjkc_probe_lock(uint64_t ns, uint64_t began, const void *object,
		     const void *jni);

/*
 * agent_symbols: makes records of what the JVM tells of its code.
 */

/* Takes its memory; 0 or the errno. */
int symbols_begin(void);
/* Gives it back; false: it is in use for too long. */
bool symbols_end(void);

/* The callbacks of JVMTI. */
void symbols_loaded(jvm_table *env, void *method, int32_t size,
		    const void *code, int32_t map_length, const void *map,
		    const struct jvmti_compile_record *records);
void symbols_unloaded(jvm_table *env, void *method, const void *code);
void symbols_generated(jvm_table *env, const char *name, const void *code,
		       int32_t size);

#endif
