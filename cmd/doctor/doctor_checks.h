/* SPDX-License-Identifier: Apache-2.0 */
/*
 * doctor_checks: which commands work on a JVM from here, and why the others
 * fail.
 *
 * A table of checks produces findings. A failed finding breaks preconditions of
 * commands; a table lists the preconditions of each command. No check changes
 * the JVM.
 */
#ifndef CMD_DOCTOR_DOCTOR_CHECKS_H
#define CMD_DOCTOR_DOCTOR_CHECKS_H

#include "cmd/shared/push_options.h"
#include "core/attach/attach_conditions.h"
#include "core/base/error.h"
#include "core/jvm/jvm.h"

#include <stdbool.h>
#include <stddef.h>

/* Preconditions of commands. */
enum doctor_need {
	NEED_PROC = 1,      /* the JVM's /proc */
	NEED_COUNTERS = 2,  /* core/jvm/perfdata */
	NEED_ATTACH = 4,    /* core/attach/attach */
	NEED_JMX = 8,       /* jmx_http/rmi/rmi_local */
	NEED_BPF = 16,      /* bpf/sampler */
	NEED_STACKS = 32,   /* core/unwind */
	NEED_NAMES = 64,    /* core/hotspot */
	NEED_AGENT = 128,   /* jvmti/client/client_probes */
	NEED_UPROBES = 256, /* bpf/load */
	NEED_LOAD = 512,    /* jvmti/client: an agent can be loaded */
	NEED_JFR = 1024,    /* cmd/shared/jfr_recording */
};

struct finding {
	struct condition is;
	unsigned breaks; /* bits of enum doctor_need, if it fails */
	bool is_note;    /* information only */
	bool is_warning; /* a problem that breaks no command */
};

struct ability {
	const char *command;           /* "vminfo --perf" */
	const struct finding *no;      /* why it fails; NULL: it works */
	const struct finding *in_part; /* why it works in part, or NULL */
};

enum { DOCTOR_FINDINGS = 64, DOCTOR_ABILITIES = 24 };

struct doctor_checks {
	pid_t pid;
	struct jvm jvm;       /* pid 0 when sjkc cannot open it */
	struct jvm_info info; /* empty when the JVM cannot be opened */
	struct finding findings[DOCTOR_FINDINGS];
	size_t count;
	struct ability abilities[DOCTOR_ABILITIES];
	size_t ability_count;
};

/* Checks a JVM, which it borrows until doctor_checks_release(). */
void doctor_checks_init(struct doctor_checks *c, const struct jvm *jvm);

/* Reports a JVM that sjkc may not open, for this reason. */
void doctor_checks_init_refused(struct doctor_checks *c, pid_t pid,
				const struct error *why);
void doctor_checks_release(struct doctor_checks *c);

/*
 * Returns the first finding that breaks a command, or NULL. Preconditions of
 * eBPF sampling and of probes alone do not count: few users need them.
 */
const struct finding *doctor_checks_obstacle(const struct doctor_checks *c);

/*
 * finding: how the checks in cmd/doctor_*.c report findings.
 */

/* Adds a finding; the caller sets its detail and fix. */
struct finding *doctor_checks_add(struct doctor_checks *c, const char *name,
				  enum condition_state state, unsigned breaks);

/* Adds a finding that is information only. */
struct finding *doctor_checks_note(struct doctor_checks *c, const char *name);

void finding_detail(struct finding *f, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void finding_remedy(struct finding *f, const char *text);

/* Sets the detail to the error, without the pid at its start. */
void finding_error(struct doctor_checks *c, struct finding *f,
		   const struct error *err);

/* Returns the first finding that breaks one of these needs, or NULL. */
const struct finding *doctor_checks_broken(const struct doctor_checks *c,
					   unsigned needs);

/* True when sjkc has the command that is the first word. */
bool doctor_checks_knows(const char *command);

/* Compares namespaces ("net", "pid", …) with sjkc's; true when unknown. */
bool doctor_checks_same_namespace(pid_t pid, const char *name);

/* Checks JMX (cmd/doctor/doctor_jmx.c). */
void doctor_check_jmx(struct doctor_checks *c);

/* Checks eBPF sampling (cmd/doctor/doctor_bpf.c). */
void doctor_check_bpf(struct doctor_checks *c);

/* Checks that prof can read stacks and names (cmd/doctor/doctor_bpf.c). */
void doctor_check_stacks(struct doctor_checks *c);

/* ---- doctor --push ---- */

/*
 * Sends a request without profiles as `prof --push` would with these options,
 * and prints each step with its time. Fails if the backend does not take the
 * request: ERROR_NO_TARGET for an unknown host, ERROR_PERMISSION for a missing
 * login, else ERROR_REFUSED.
 */
int doctor_push(const struct push_options *o, bool json, struct error *err);

#endif
