/* SPDX-License-Identifier: Apache-2.0 */
/*
 * client: loads the agent into a JVM and reads its records.
 *
 * The agent (agent.c), freestanding and part of this binary, is copied to a
 * directory that the JVM can read and loaded by attach; its file is removed at
 * once.  It writes records (methods compiled and unloaded, code generated) to a
 * file in a private directory.  It stops when sjkc no longer locks that file; a
 * child process removes the directory even if sjkc is killed.
 */
#ifndef JVMTI_CLIENT_CLIENT_H
#define JVMTI_CLIENT_CLIENT_H

#include "core/base/error.h"
#include "core/hotspot/java_symbols.h"
#include "core/jvm/jvm.h"

#include <stdbool.h>
#include <stdint.h>

struct agent_options {
	bool alloc; /* SampledObjectAlloc: agent_probe_alloc is called */
	bool lock;  /* MonitorContendedEnter, …Entered: agent_probe_lock is */
	bool lines; /* read line numbers of methods; otherwise they are 0 */
	/*
	 * Report no code and look up no names: for JDK builds where that can
	 * crash (client_fences.h).  agent_client_symbols() is empty.
	 */
	bool no_names;
	uint64_t alloc_interval; /* bytes between samples, on average; 0 = the
				    JVM's default, 512 KiB */
	int64_t timeout_ns;      /* time limit of loading */
	/*
	 * NULL, or called just before the library is loaded.  warning describes
	 * what the JVM will print, or is NULL.
	 */
	void (*before_load)(void *self, const char *warning);
	void *self;
};

struct agent_client;

/*
 * Returns the mean number of bytes between samples for a value of
 * agent_options.alloc_interval.
 */
uint64_t agent_client_interval(uint64_t alloc_interval);

/*
 * Loads the agent, or wakes a loaded one.  ERROR_PERMISSION; ERROR_REFUSED with
 * the JVM's reply and a fix (attach disabled, -XX:-EnableDynamicAgentLoading,
 * no directory for the file); ERROR_UNAVAILABLE with alloc if another agent
 * samples allocations.  jvm is borrowed.
 */
struct agent_client *agent_client_open(const struct jvm *jvm,
				       const struct agent_options *o,
				       struct error *err);
/* Stops the agent and removes its directory. */
void agent_client_close(struct agent_client *a); /* NULL is fine */

/*
 * Describes the warning that the JVM would print about a loaded agent; NULL =
 * none (JEP 451: JDK 21 or later, unless -XX:+EnableDynamicAgentLoading is set
 * or the agent was loaded before).  A JVM of unknown version is assumed to
 * warn; before_load() has more information.
 */
const char *agent_client_warning(const struct jvm *jvm);

/*
 * Reads the agent's new records; call it before a batch of samples.
 * ERROR_PARTIAL, once, if they cannot be read; earlier records remain.
 */
int agent_client_read(struct agent_client *a, struct error *err);

/*
 * The names of compiled methods and generated code; vm_symbols.h has the names
 * of interpreted methods.  Both give the same names, except for the linkers of
 * method handles (MethodHandle.linkToStatic, invokeBasic and similar): they
 * share one jmethodID, so the agent may report another linker.
 */
struct java_symbols *agent_client_symbols(struct agent_client *a);

/* The place of an agent function for uprobes. */
struct agent_probe {
	char path[64]; /* below /proc/PID/map_files: the file is unlinked */
	uint64_t offset;
};

int agent_client_probe_alloc(const struct agent_client *a,
			     struct agent_probe *out, struct error *err);
int agent_client_probe_lock(const struct agent_client *a,
			    struct agent_probe *out, struct error *err);
/* The JNIEnv of the thread that loaded the agent; 0 = unknown. */
uint64_t agent_client_jni(const struct agent_client *a);

/* The time to load the agent, and to receive all compiled methods. */
struct agent_costs {
	int64_t load_ns, replay_ns;
	uint64_t bytes;   /* written by the agent so far */
	uint64_t lost;    /* records without room or beyond a limit */
	uint64_t delayed; /* records whose thread did not get a lock in time */
};

void agent_client_costs(const struct agent_client *a,
			struct agent_costs *costs);

/* Removes all files from the targets' file systems.  Async-signal-safe. */
void agent_client_abandon_all(void);

#endif
