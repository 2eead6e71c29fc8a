/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mx: what the command mx is about, for the files that it consists of.
 */
#ifndef CMD_JMX_MX_H
#define CMD_JMX_MX_H

#include "cmd/command.h"
#include "core/base/output.h"
#include "jmx_http/jmx.h"

struct mx_options {
	const char *bean;
	bool get, set, call, info, notifications; /* one of them */
	bool all, quiet;
	struct option_list fields, arguments, columns;
	const char *value, *operation;
	bool csv, json, json_array, add_name;
	uint64_t width; /* of a table's cells; 0: any */
	int64_t duration_ns;
};

struct mx {
	const struct mx_options *opt;
	struct jmx *jmx;
	const char *title;        /* of the JVM, for messages */
	const char *const *names; /* of the MBeans that are meant */
	size_t count;
	struct output *out;
	/* What was asked for, and of that what was not to be had. */
	size_t had, failed;
	struct error first; /* why the first was not */
};

/* Each does one of them; what of it fails is counted by mx_failed(). */
int mx_get(struct mx *m, struct error *err);
int mx_set(struct mx *m, struct error *err);
int mx_call(struct mx *m, struct error *err);
int mx_info(struct mx *m, struct error *err);
int mx_notifications(struct mx *m, struct error *err);

/* One of several things failed, for a foreign reason: the others go on. */
void mx_failed(struct mx *m, enum error_kind kind, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Writes what is in text, and empties it; -1 when that is in vain. */
int mx_flush(struct mx *m, struct text *text, struct error *err);

/* An operation with what it is to be called with, all in an arena. */
struct mx_operation {
	const char *name, *returns;
	const char **signature;
	const struct value **arguments;
	size_t count;
};

/*
 * Chooses by name, "sum", and the number and kinds of arguments, or by name and
 * types, "sum(int,int)".  Among several that take the arguments, that is meant
 * which Java would choose: 3 is an int before it is a long.  ERROR_NO_TARGET
 * when there is none of the name; ERROR_MISUSE, with the signatures that there
 * are, when none or several take the arguments.
 */
int mx_operation_choose(struct mx_operation *op, const struct jmx_info *info,
			const char *wanted, const struct option_list *arguments,
			struct arena *a, struct error *err);

/* Appends "sum(int, int)"; foreign. */
void mx_operation_signature(struct text *out, const struct jmx_feature *f);

#endif
