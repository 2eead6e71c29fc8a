/* SPDX-License-Identifier: Apache-2.0 */
/*
 * client: our end of the agent that runs inside a JVM.
 *
 * The agent (agent.c), freestanding and part of this binary, is copied to where
 * the JVM can read it, loaded by attach, and its file is removed at once.  It
 * writes what it hears (methods compiled and unloaded, code generated) to a
 * file of a private folder, which is read here.  It stops when the file is no
 * longer locked by us; a process of ours removes the folder even when we are
 * killed.
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
	bool lines; /* line numbers of methods, too; else they are 0 */
	/*
	 * Neither hears of code nor asks for names: for builds that are not
	 * safe with it (client_fences.h).  agent_client_symbols() is empty.
	 */
	bool no_names;
	uint64_t alloc_interval; /* bytes between samples, on average; 0 = the
				    JVM's own, 512 KiB */
	int64_t timeout_ns;      /* of loading */
	/*
	 * NULL, or called when all is ready and the library is about to be
	 * loaded: warning is what that will have the JVM print, or NULL.
	 */
	void (*before_load)(void *self, const char *warning);
	void *self;
};

struct agent_client;

/*
 * Loads the agent, or, where it is loaded, wakes it.  ERROR_PERMISSION,
 * ERROR_REFUSED with the JVM's words and the remedy (attach disabled,
 * -XX:-EnableDynamicAgentLoading, no place for the file).  ERROR_UNAVAILABLE
 * with alloc when another agent samples allocations.  jvm is borrowed.
 */
struct agent_client *agent_client_open(const struct jvm *jvm,
				       const struct agent_options *o,
				       struct error *err);
/* The agent stops, its folder is removed. */
void agent_client_close(struct agent_client *a); /* NULL is fine */

/*
 * What loading it would have the JVM print, in words; NULL when nothing (JEP
 * 451: JDK 21 on, unless -XX:+EnableDynamicAgentLoading or when the agent has
 * been loaded before).  Of a JVM whose files do not tell its version it is
 * taken to be so; before_load() knows more.
 */
const char *agent_client_warning(const struct jvm *jvm);

/*
 * Takes in what the agent has written since; before a batch of samples.
 * ERROR_PARTIAL, once, when that cannot be read; what was known stays known.
 */
int agent_client_read(struct agent_client *a, struct error *err);

/*
 * Of compiled methods and generated code; it knows no interpreted ones, for
 * which vm_symbols.h is there.  Both give the same names but for the linkers of
 * method handles (MethodHandle.linkToStatic, invokeBasic and kin): the JVM has
 * one jmethodID for all of them, so that the agent is told any.
 */
struct java_symbols *agent_client_symbols(struct agent_client *a);

/* Where the agent's functions for uprobes are: a file and an offset in it. */
struct agent_probe {
	char path[64]; /* below /proc/PID/map_files: the file is unlinked */
	uint64_t offset;
};

int agent_client_probe_alloc(const struct agent_client *a,
			     struct agent_probe *out, struct error *err);
int agent_client_probe_lock(const struct agent_client *a,
			    struct agent_probe *out, struct error *err);
/* The JNIEnv of the thread that loaded it; 0 = not known. */
uint64_t agent_client_jni(const struct agent_client *a);

/* How long the JVM took to load it, and it to hear of all methods. */
struct agent_costs {
	int64_t load_ns, replay_ns;
	uint64_t bytes; /* written by it so far */
	/* Methods and code it had no room to tell of, or that were too much. */
	uint64_t lost;
};

void agent_client_costs(const struct agent_client *a,
			struct agent_costs *costs);

/* Removes what is in the target's file system.  Async-signal-safe. */
void agent_client_abandon_all(void);

#endif
