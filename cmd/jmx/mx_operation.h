/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mx_operation: which of an MBean's operations is meant, and its arguments.
 */
#ifndef CMD_JMX_MX_OPERATION_H
#define CMD_JMX_MX_OPERATION_H

#include "cmd/command.h"
#include "jmx_http/jmx.h"

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
