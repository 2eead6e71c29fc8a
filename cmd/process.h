/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process: a running JVM as a list of them shows it.
 */
#ifndef CMD_PROCESS_H
#define CMD_PROCESS_H

#include "core/base/text.h"
#include "core/jvm/jvm.h"

#include <stdbool.h>
#include <stdint.h>

struct process {
	const struct jvm *jvm;
	struct jvm_about about;
	struct text main; /* main_name_of() */
	bool show_secrets;
};

/* Looks at a JVM, which is borrowed; process_release() is due after success. */
int process_init(struct process *p, const struct jvm *jvm, bool show_secrets,
		 struct error *err);
void process_release(struct process *p);

/* Appends its arguments, joined by blanks, secrets masked. */
void process_args(const struct process *p, struct text *out);

/* Appends the i-th of a vector of words as process_args() does. */
void process_word(const struct process *p, char *const *words, size_t i,
		  struct text *out);

/* SJK's description: the main class and its arguments, nothing masked. */
void process_description(const struct process *p, struct text *out);

/*
 * Appends a system property as far as it is known without asking the JVM: of
 * -D on its command line and in its environment, and some that always are.
 * False when it is not.
 */
bool process_property(const struct process *p, const char *name,
		      struct text *out);

/* Calls with each of those properties, "name" and value, not masked. */
typedef void process_property_fn(void *self, const char *name, size_t name_len,
				 const char *value);
void process_properties(const struct process *p, process_property_fn *visit,
			void *self);

/*
 * Appends a flag as it was given, "-XX:+UseG1GC", by its name; the last one
 * counts.  False when it was not.
 */
bool process_flag(const struct process *p, const char *name, struct text *out);

/* Appends "3d 4h", "5h 6m", "7m 8s", "9s". */
void process_add_uptime(struct text *out, int64_t ns);

#endif
