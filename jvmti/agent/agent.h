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

/* True on the thread that has the JVM tell what there is already. */
bool agent_is_replaying(void);

/* For the end of a callback: ends the session when nobody listens. */
void agent_look_around(void);

/* False when this session is over, or is of another kind. */
bool agent_wants(unsigned want);

/* The JNI environment of the calling thread; NULL = none. */
jvm_table *agent_jni(void);

#endif
