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
	struct jvm_info about;
	struct text main; /* main_name_of() */
	bool show_secrets;
	bool may_ask; /* what is not known otherwise, over its attach socket */

	/* Private from here on, but for refused. */
	struct attach *attach;
	bool has_properties;
	struct text properties; /* all of them, as it gave them */
	struct error refused;   /* of a kind when it could not be asked */
};

/* Looks at a JVM, which is borrowed; process_release() is due after success. */
int process_init(struct process *p, const struct jvm *jvm, struct error *err);
void process_release(struct process *p);

/* Appends its arguments, joined by spaces, secrets masked. */
void process_args(const struct process *p, struct text *out);

/* Appends the i-th of a vector of words as process_args() does. */
void process_word(const struct process *p, char *const *words, size_t i,
		  struct text *out);

/* SJK's description: the main class and its arguments, nothing masked. */
void process_description(const struct process *p, struct text *out);

/*
 * Appends a system property.  What is known without asking the JVM comes first:
 * -D on its command line and in its environment, and some that always are.
 * False when it has none of that name.
 */
bool process_property(struct process *p, const char *name, struct text *out);

/* True for the property that is looked for; its value is not masked. */
typedef bool process_property_fn(void *self, const char *name, size_t name_len,
				 const char *value);

/*
 * Offers the properties, in the same order, until one is the one that is looked
 * for; false when none is.
 */
bool process_has_property(struct process *p, process_property_fn *is,
			  void *self);

/*
 * Appends a flag as the JVM has it, or as it was given: "-XX:+UseG1GC".  False
 * when neither is known.
 */
bool process_flag(struct process *p, const char *name, struct text *out);

/* Appends "3d 4h", "5h 6m", "7m 8s", "9s". */
void process_add_uptime(struct text *out, int64_t ns);

#endif
