/* SPDX-License-Identifier: Apache-2.0 */
/*
 * client_probes: Java methods of a running JVM as probes.
 *
 * The agent weaves calls of a helper class into the methods and takes them back
 * by itself when this process ends, is killed, or stops calling
 * probes_read() for the length of its lease.  A session is: probes_open(),
 * probes_list(), probes_arm(), then probes_read() about every second,
 * probes_disarm(), the final counts, probes_close().
 *
 * Names and events come from a foreign JVM: they are data.
 */
#ifndef JVMTI_CLIENT_CLIENT_PROBES_H
#define JVMTI_CLIENT_CLIENT_PROBES_H

#include "core/base/arena.h"
#include "core/base/cursor.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/jvm/jvm.h"
#include "jvmti/agent/agent_probe_protocol.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct probes;

struct probes_options {
	int64_t timeout_ns; /* of loading the agent and of listing */
	/* Maximum number of methods armed at a time: 1 to PROBE_MAX. */
	uint32_t limit;
	/* 0 = 30 s: the agent takes its probes back after that silence. */
	int64_t lease_ns;
	/* Load the agent even if this JDK build is known or likely to crash. */
	bool ignore_bugs;
	/*
	 * List the classes that are loaded while methods are armed, too: their
	 * methods that match follow those of probes_list() after probes_read().
	 */
	bool follows;
	/*
	 * NULL, or called just before the library is loaded, as in client.h:
	 * warning describes what the JVM will print, or is NULL.
	 */
	void (*before_load)(void *self, const char *warning);
	void *self;
};

/*
 * Loads the agent, or wakes a loaded one; changes no class.  jvm is borrowed.
 * Errors are those of agent_client_open(), and ERROR_UNAVAILABLE when a bug of
 * this JDK build forbids it (client_fences.h).
 */
struct probes *probes_open(const struct jvm *jvm,
			   const struct probes_options *o, struct error *err);

/*
 * From when fd is readable, nothing waits for the agent longer than half a
 * second: requests fail, and the agent takes the probes back by itself as soon
 * as the JVM lets it.
 */
void probes_stop_by(struct probes *p, int fd);

/*
 * Takes all probes back if they are armed, sends the agent to sleep, and frees
 * everything.  NULL is fine.
 */
void probes_close(struct probes *p);

/* ---- which methods there are ---- */

struct probe_pattern {
	/*
	 * The name of the class as in Java, "com.acme.Orders$Line", with '*'
	 * for any characters (dots, too) and '?' for one.
	 */
	const char *class_name;
	const char *method; /* likewise; "*" = all, "<init>" = constructors */
	bool with_subtypes; /* and classes that extend or implement a match */
};

struct probe_class {
	const char *name;      /* "com.acme.Orders$Line" */
	const char *signature; /* "Lcom/acme/Orders$Line;" */
	const char *loader;    /* name of the loader's class; "" = bootstrap */
	uint32_t loader_id;    /* differs between loaders; 0 = bootstrap */
	uint16_t access;       /* JVMS 4.1 */
	uint8_t flags;         /* enum probe_class_flag */
	uint32_t first, methods; /* in probes_method() */
};

struct probe_method {
	uint32_t class; /* in probes_class() */
	const char *name, *descriptor;
	uint16_t access; /* JVMS 4.6 */
	/*
	 * After probes_list(): why the method can never be armed, or
	 * PROBE_ARMED.  After probes_arm(): the result.
	 */
	enum probe_refusal refusal;
	int32_t code; /* of PROBE_JVM_REFUSED: the jvmtiError; 0 = unknown */
	int32_t id;   /* of an armed method; -1 = not armed */
	uint8_t mode; /* bits of enum probe_mode */
};

/*
 * Lists the methods of loaded classes that match any of the patterns, without a
 * change of the JVM: each class once, in the JVM's order.  A class of two
 * loaders is two classes.  Replaces the list before; not while methods are
 * armed (ERROR_MISUSE).  ERROR_REFUSED if the JVM does not respond in time,
 * ERROR_NO_TARGET if it has ended, ERROR_PARTIAL if the list is incomplete: the
 * received part remains.
 */
int probes_list(struct probes *p, const struct probe_pattern *patterns,
		size_t count, struct error *err);

size_t probes_classes(const struct probes *p);
size_t probes_methods(const struct probes *p);
const struct probe_class *probes_class(const struct probes *p, size_t index);
const struct probe_method *probes_method(const struct probes *p, size_t index);

/*
 * Appends the reason for a refusal as the end of a sentence, "it is native",
 * and advice if there is any.  Returns false for PROBE_ARMED.
 */
bool probe_refusal_add(const struct probe_method *m, struct text *out);

/* Returns true for classes of the JDK: "java.", "jdk.", "sun.", "com.sun.", …
 */
bool probe_class_is_system(const struct probe_class *c);

/* ---- arming ---- */

struct probe_wish {
	uint32_t method; /* in probes_method() */
	uint8_t mode;    /* bits of enum probe_mode */
	/*
	 * Calls of at least this duration are events; PROBE_NEVER = none.  0 =
	 * all, up to the rate.
	 */
	int64_t threshold_ns;
};

struct probes_armed {
	uint32_t methods, classes; /* armed */
	uint32_t refused;          /* see refusal of each method */
	int64_t retransform_ns; /* duration of RetransformClasses, measured */
};

/*
 * Estimates for how many ns the JVM's threads may be stopped when classes are
 * changed, of this number of loaded ones: an upper bound on most machines, as
 * measured on JDK 17 and 25.
 */
int64_t probes_estimate_pause(size_t classes, size_t loaded);

/*
 * Arms methods, all by one retransformation, in addition to those that are
 * armed.  A method that cannot be armed has its refusal, and the others are
 * armed; ERROR_REFUSED if none is.  Methods with a refusal already are skipped.
 * A method must not be armed twice without probes_disarm().
 */
int probes_arm(struct probes *p, const struct probe_wish *wishes, size_t count,
	       struct probes_armed *armed, struct error *err);

/*
 * Takes all probes back and waits for it.  Counts stay readable.  On an error
 * the agent keeps trying, and takes them back when this process ends at the
 * latest.
 */
int probes_disarm(struct probes *p, int64_t *retransform_ns, struct error *err);

/* A published method; its mode has PROBE_TRACE. */
struct probe_name {
	uint32_t method;  /* in probes_method() */
	const char *name; /* unique: letters, digits and '_' */
};

/*
 * Publishes armed methods as USDT probes NAME__entry and NAME__return of the
 * provider java<PID>: writes a library into a directory of the JVM's user and
 * has the agent map it.  At the end of the session, even if this process is
 * killed, the file is removed and the library unmapped.  ERROR_REFUSED,
 * ERROR_PERMISSION.  Call it once.
 */
int probes_publish(struct probes *p, const struct probe_name *names,
		   size_t count, struct error *err);

struct probes_limits {
	uint32_t calls_per_s; /* events of single calls; 0 = none */
	uint32_t stack_every; /* every n-th event has a stack; 0 = none */
};

/* The default is 100 events per second, without stacks. */
void probes_set_limits(struct probes *p, const struct probes_limits *limits);

/* ---- counts ---- */

struct probe_exception {
	const char *class_name; /* "java.io.IOException"; NULL = others */
	uint64_t count;
};

struct probe_counts {
	/*
	 * Ended calls, with and without an exception; with PROBE_COUNT and for
	 * constructors, entered is the number of calls that began.
	 */
	uint64_t calls, entered;
	uint64_t thrown; /* always 0 for constructors and PROBE_COUNT */
	uint64_t sum_ns, max_ns;
	uint64_t skipped; /* calls above the threshold, but over the rate */
	/* Bucket 0: 0 ns; b: 2^(b-1) to 2^b - 1 ns. */
	uint64_t buckets[PROBE_BUCKETS];
	struct probe_exception exceptions[PROBE_KINDS + 1];
	size_t exception_count;
};

/*
 * Reads the counts of a method since it was armed, from shared memory: no call
 * into the JVM.  Zeroes for a method that was never armed.
 */
void probes_counts(const struct probes *p, uint32_t method,
		   struct probe_counts *out);

/*
 * Estimates the duration below which the given part (0.99) of calls lies, in
 * ns; interpolates within a bucket, and is at most max_ns.  0 without calls.
 */
uint64_t probe_counts_quantile(const struct probe_counts *c, double part);

/* ---- single calls ---- */

struct probe_value {
	enum probe_argument kind;
	int64_t number; /* PROBE_LONG, PROBE_BOOLEAN, PROBE_CHAR; characters of
			   a PROBE_STRING */
	double real;    /* PROBE_DOUBLE */
	const char *text; /* beginning of a string (UTF-8), or the class */
};

struct probe_frame {
	const char *class_name; /* "com.acme.Orders" */
	const char *method;
	int32_t line; /* in its source; 0 = unknown, -1 = native */
};

struct probe_call {
	uint32_t method;       /* in probes_method() */
	int64_t start_ns;      /* CLOCK_MONOTONIC */
	int64_t ns;            /* duration */
	const char *thread;    /* name */
	uint32_t tid;          /* kernel thread, in the JVM's PID namespace */
	uint64_t thread_id;    /* Java's, as in thread dumps and MBeans */
	const char *exception; /* name of its class; NULL = none */
	struct probe_value arguments[PROBE_ARGUMENTS];
	size_t argument_count;
	struct probe_frame frames[PROBE_FRAMES]; /* innermost first */
	size_t frame_count;
};

/* Receives a call; its strings are valid during the call of this function. */
typedef void probe_call_fn(void *self, const struct probe_call *call);

/*
 * Renews the lease and passes the new calls, in the order of their ends, to the
 * function (NULL = discard).  ERROR_NO_TARGET when the JVM has ended: the last
 * counts remain readable.  ERROR_REFUSED, with the reason, when the agent has
 * taken the probes back by itself.  ERROR_PARTIAL, once, if records are
 * unreadable.
 */
int probes_read(struct probes *p, probe_call_fn *on_call, void *self,
		struct error *err);

/* True if an earlier session in this JVM has changed classes. */
bool probes_changed_before(const struct probes *p);

struct probes_losses {
	uint64_t calls;         /* events without a record: ring or lock busy */
	uint64_t skipped;       /* events over the rate: sum of all methods */
	uint64_t kinds;         /* exceptions whose class was not recorded */
	uint32_t redefinitions; /* of probed classes, by other agents */
	uint32_t stale;         /* classes that could not be taken back */
	/*
	 * Classes with the name of a probed class that another class loader has
	 * loaded since: those whose calls are counted, from a moment after
	 * their loading on, by the method of the first class, and the others.
	 */
	uint32_t loaded_again, loaded_unarmed;
	bool is_list_cut; /* classes that were loaded since are missing */
};

void probes_losses(const struct probes *p, struct probes_losses *out);

/*
 * ---- client_probe_records.c: the records about probes ----
 *
 * They are in a file of the JVM, so they are foreign (agent_probe_protocol.h).
 */

/*
 * Returns the name of a type as in Java, "java.lang.String[]", for its JVM
 * signature.
 */
const char *probe_record_name(struct arena *a, const char *signature);

/* Reads a string; "" when the record is damaged. */
const char *probe_record_text(struct cursor *r, struct arena *a);

/*
 * Reads a PROBE_RECORD_CALL from its first byte on: all but the method and the
 * exception, which are *id and *kind.  Returns false when it is damaged.
 */
bool probe_record_call(struct cursor *r, struct arena *a, uint64_t *id,
		       uint64_t *kind, struct probe_call *call);

/*
 * ---- client_usdt.c ----
 *
 * Writes an ELF library of USDT probes, without a compiler.
 *
 * Each probe is a stub, which loads the address of its title and has a nop at
 * the place of the note.  The notes are those of SystemTap's sys/sdt.h
 * (.note.stapsdt, type 3): address, base, semaphore, and the strings provider,
 * name and arguments.  bpftrace, bcc, libbpf and perf find them by the path of
 * the mapped file.
 *
 * A library for aarch64 would differ in the machine, the stub (adr x1, title;
 * nop; ret), the registers of the arguments ("8@x1"), and the numbers of the
 * return address (30) and of SP (31) in the call frame information.
 */

/*
 * A method with the probes NAME__entry (thread, title) and NAME__return (ns,
 * thrown, title, thread).
 */
struct usdt_probe {
	const char *name;  /* "submit": letters, digits and '_' */
	const char *title; /* "com.acme.Orders.submit" */
	uint32_t id;       /* at least first_id, below PROBE_MAX */
};

/* What the agent needs to map the library: see PROBE_PUBLISH. */
struct usdt_layout {
	uint32_t stubs_at, stubs_end, semaphores_at;
};

/*
 * Writes the library to out, which must be empty.  The stub of an entry is at
 * stubs_at + (id - first_id) * 2 * PROBE_STUB, that of the return follows it.
 * Returns false if the probes do not fit into PROBE_STUBS bytes.
 */
bool usdt_write(struct text *out, const char *provider, uint32_t first_id,
		const struct usdt_probe *probes, size_t count,
		struct usdt_layout *layout);

#endif
