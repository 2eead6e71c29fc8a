/* SPDX-License-Identifier: Apache-2.0 */
/*
 * agent_probes: Java methods as probes (agent_probe_protocol.h).
 *
 *	agent_probes		the session: its thread, requests, the list
 *	agent_probe_weaving	changes classes, and takes the changes back
 *	agent_probe_helper	the helper class and the shared memory
 *	agent_probe_calls	the natives of the helper class
 *	agent_trace		published probes, for other tracers
 *	agent_weave		changes the bytes of a class
 *
 * A thread of the agent (RunAgentThread) executes the client's requests and
 * takes all probes back when the client ends, is killed, or stops renewing its
 * lease.  Application threads execute woven code and, for single calls, the
 * natives: these never wait, and their work is bounded.
 */
#ifndef JVMTI_AGENT_AGENT_PROBES_H
#define JVMTI_AGENT_AGENT_PROBES_H

#include "jvmti/agent/agent_class_file.h"
#include "jvmti/agent/agent_jvmti.h"
#include "jvmti/agent/agent_probe_protocol.h"
#include "jvmti/agent/agent_protocol.h"
#include "jvmti/agent/agent_record.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Begins a session: defines the helper class, maps the memory, starts the
 * thread.  Returns AGENT_AT_NOTHING, or the step that failed, with *code.
 * *busy: an agent of another version has a session.
 */
enum agent_step probes_begin(jvm_table *vm, jvm_table *jni,
			     const struct agent_orders *o, int *code,
			     bool *is_busy);

/* Asks the thread to end the session; does not wait. */
void probes_stop(void);

/*
 * If the client follows new classes: returns whether its patterns may select a
 * class of this name.
 */
bool probes_may_want(struct class_text name);

/* Lists classes that were loaded since the list; returns their number. */
uint32_t probes_list_new(jvm_table *jni);

/* agent.c: call when the session's thread has taken everything back. */
void agent_end_probes(void);

/* The environment of the probes; NULL before the first session. */
jvm_table *probes_env(void);

/*
 * ---- agent_probe_helper: the helper class and the memory ----
 */

/* A class of jvmti/helper, for JDK 8 and for JDK 9 and later. */
struct helper_class {
	const char *name;
	const uint8_t *jdk8, *jdk8_end;
	const uint8_t *jdk9, *jdk9_end;
};

/*
 * Defines a class with the bytes for this JVM, or finds the defined one.
 * Returns a global reference, or NULL.
 */
void *helper_define(jvm_table *jni, const struct helper_class *c);

/* Returns a static field; NULL, without an exception, if there is none. */
void *helper_field_of(jvm_table *jni, void *class, const char *name,
		      const char *type);

/*
 * Replaces the mapping of an address, in one step.  fd is shared memory, or
 * -1 for private memory.  Returns the errno.
 */
int helper_map(void *at, size_t size, int fd, size_t offset);

/*
 * Defines the helper class if needed, tries its natives, and maps the memory
 * for a number of ids.  Returns as probes_begin().
 */
enum agent_step helper_begin(jvm_table *jni, uint32_t ids, int *code,
			     bool *is_busy);

/*
 * Closes the shared memory.  Woven code that still runs counts into private
 * memory from then on.
 */
void helper_end(jvm_table *jni);

/* The shared memory; NULL without a session. */
struct probe_control *helper_control(void);
const uint8_t *helper_request(void);
/* Records for later sessions that classes were changed; in a session. */
void helper_note_change(void);
/* The descriptor of the memory, -1 = none. */
int helper_fd(void);

/*
 * Lets a class loader (NULL = bootstrap) find a class by its name with dots, as
 * the JVM does for woven code, and returns true if it is this class.  Runs code
 * of the application.  The JVM keeps the result: for classes of this loader, it
 * does not ask the loader for the name again (JVMS 5.3, initiating loader).
 */
bool helper_loader_finds(jvm_table *jni, void *loader, const char *name,
			 void *class);
bool helper_is_found(jvm_table *jni, void *loader);

/* Stores a class of exceptions in the array of the helper. */
void helper_set_kind(jvm_table *jni, int kind, void *class);

/*
 * ---- agent_probe_calls: what woven code calls ----
 */

/*
 * The natives are bound to the library that defined the helper class.  They
 * pass each call to the library that has the session, through the address in
 * TABLE.
 */
struct probe_functions {
	void (*call)(jvm_table *jni, int id, int64_t ns, void *thrown,
		     int skipped);
	void (*value)(jvm_table *jni, int what, int64_t value);
	void (*object)(jvm_table *jni, int what, void *value);
	int (*kind)(jvm_table *jni, void *class);
};

extern const struct probe_functions calls_functions;

/* The id by which helper_begin() tries the natives. */
#define PROBE_TRIAL (-1)

/* Returns true, once, after a call with PROBE_TRIAL. */
bool calls_were_tried(void);

/* Begins to record, or ends and forgets the classes of exceptions. */
int calls_begin(jvm_table *jni);
void calls_end(jvm_table *jni);

/*
 * ---- agent_trace: published probes ----
 *
 * Woven code calls the class SjkcTrace, which reads the semaphore of the probe
 * and, while a tracer has raised it, calls native code, which calls the probe's
 * stub in the mapped library.  The semaphores stay readable forever, because
 * woven code may run long after the end.
 */

/* Prepares the class before methods are woven.  Returns false on failure. */
bool trace_prepare(jvm_table *jni);

/* Returns true unless a class loader does not find the prepared class. */
bool trace_is_found(jvm_table *jni, void *loader);

/* Executes PROBE_PUBLISH. */
enum probe_step trace_publish(const uint8_t *request, uint32_t len, int *code);

/*
 * Unmaps the library, once no thread is in it.  Without one, does nothing.  If
 * a thread stays in a stub, the stubs stay mapped until the next session.
 */
void trace_end(void);

/*
 * ---- agent_probe_weaving: changing classes ----
 */

/* Maximum number of listed classes. */
#define PROBE_CLASSES 65536

/* Weak references to the listed classes, by number, and hashes of names. */
struct probe_classes {
	void **weak;
	uint32_t *hash;
	uint32_t count;
	uint32_t unready; /* classes that were not linked */
};

/* Returns true if methods are armed, or are being armed. */
bool weaving_is_armed(void);

/* Returns true if a class of this name is armed: "com/acme/Orders". */
bool weaving_has_name(struct class_text name);

/*
 * Each returns the step that failed, with *code.  weaving_arm() adds to the
 * armed methods.
 */
enum probe_step weaving_arm(jvm_table *env, jvm_table *jni,
			    const struct probe_classes *classes,
			    const uint8_t *request, uint32_t len, int *code);

/*
 * A class that cannot be taken back now stays known, and the next call tries
 * again.
 */
enum probe_step weaving_disarm(jvm_table *env, jvm_table *jni, int *code);

/* Gives up the classes that cannot be taken back. */
void weaving_forget(jvm_table *jni);

/*
 * Arms the classes that were loaded again, by other class loaders, if a search
 * is due.  Of the control page, changes only the numbers of classes.
 */
void weaving_arm_again(jvm_table *env, jvm_table *jni);

/* JVMTI's ClassFileLoadHook. */
void weaving_hook(jvm_table *env, jvm_table *jni, void *redefined, void *loader,
		  const char *name, void *domain, int32_t len,
		  const uint8_t *bytes, int32_t *new_len, uint8_t **new_bytes);

/*
 * Asks a class loader for the helper classes, for up to two seconds:
 * PROBE_ARMED if it finds them.  loader may be NULL, for the JVM's own.
 */
enum probe_refusal probes_ask_loader(jvm_table *jni, void *loader,
				     bool has_traces);

/*
 * Adds a record to the stream; waits up to some seconds for room.  Only for the
 * agent's own thread.
 */
void probes_send(const struct record *r);

#endif
