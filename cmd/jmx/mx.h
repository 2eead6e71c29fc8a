/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mx: declarations that the files of mx and mxdump share.
 */
#ifndef CMD_JMX_MX_H
#define CMD_JMX_MX_H

#include "cmd/shared/command.h"
#include "core/base/output.h"
#include "jmx_http/jmx.h"

struct mx_options {
	struct option_list beans;
	bool get, set, call, info, notifications; /* exactly one is set */
	bool all, quiet;
	struct option_list fields, arguments, columns;
	struct option_list sequence; /* the names of -b and -f, as given */
	const char *value, *operation;
	bool csv, json, json_array, add_name;
	uint64_t width; /* of a table's cells; 0: any */
	int64_t duration_ns, interval_ns;
	uint64_t repeat; /* number of times that --get prints; 0 = 1 */
};

/* The MBeans that a value of -b selects. */
struct mx_group {
	const char *bean;          /* the value: a name or a pattern */
	struct option_list fields; /* the values of -f that apply to it */
	const char *const *names;  /* of the MBeans */
	size_t count;
};

struct mx {
	const struct mx_options *opt;
	struct jmx *jmx;
	const char *title; /* names the JVM in messages */
	const struct mx_group *groups;
	size_t group_count;       /* 1, except for --get */
	const char *const *names; /* of the MBeans of the first group */
	size_t count;
	struct output *out;
	/* Numbers of requested and of failed values. */
	size_t had, failed;
	struct error first; /* why the first one failed */
};

/* One function for each action; they count failures with mx_failed(). */
int mx_get(struct mx *m, struct error *err);
int mx_set(struct mx *m, struct error *err);
int mx_call(struct mx *m, struct error *err);
int mx_info(struct mx *m, struct error *err);
int mx_notifications(struct mx *m, struct error *err);

/* Counts a failure and keeps the reason of the first; fmt may add foreign text.
 */
void mx_failed(struct mx *m, enum error_kind kind, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Writes and clears the text. Returns 0, or -1 and *err. */
int mx_flush(struct mx *m, struct text *text, struct error *err);

/* An operation and its arguments; all pointers are in an arena. */
struct mx_operation {
	const char *name, *returns;
	const char **signature;
	const struct value **arguments;
	size_t count;
};

/*
 * Chooses an operation by name and by the number and kinds of its arguments
 * ("sum"), or by name and types ("sum(int,int)"). If several overloads accept
 * the arguments, it prefers the overload that Java would choose: 3 is an int
 * rather than a long. ERROR_NO_TARGET when no operation has the name;
 * ERROR_MISUSE, listing the candidates, when no overload or several overloads
 * accept the arguments.
 */
int mx_operation_choose(struct mx_operation *op, const struct jmx_info *info,
			const char *wanted, const struct option_list *arguments,
			struct arena *a, struct error *err);

/*
 * mxdump: writes {"beans": [...]} for these MBeans. The document is complete
 * JSON even after an error. ERROR_PARTIAL when MBeans are missing (the member
 * $partial has the reason) or sjkc could not read them (their members $error
 * do); ERROR_OUTPUT.
 */
int mxdump_write(struct jmx *jmx, const char *const *names, size_t count,
		 struct output *out, struct error *err);

#endif
