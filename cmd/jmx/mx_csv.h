/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mx_csv: attributes of MBeans as one table.
 *
 * A composite is a row, a table or an array of composites is one row for each
 * of its own, all else is one cell of the column Value.  A column is there once
 * anything has it.
 */
#ifndef CMD_JMX_MX_CSV_H
#define CMD_JMX_MX_CSV_H

#include "cmd/command.h"
#include "core/base/intern.h"
#include "core/base/text.h"
#include "jmx_http/value/value.h"

/* A zeroed struct is an empty table. */
struct mx_csv {
	struct intern columns; /* their names; by id - 1 */
	struct mx_csv_row *rows;
	size_t count, cap;
};

/* An attribute, or a part of one. */
void mx_csv_add(struct mx_csv *c, const char *object, const char *key,
		const struct value *v);

/*
 * Appends it: those of the columns that are wanted or, when none are, all; but
 * the MBean and the attribute only with add_name.  Made safe for a terminal
 * where it goes to one; else it is data, as it is.
 */
void mx_csv_write(const struct mx_csv *c, const struct option_list *wanted,
		  bool add_name, bool to_terminal, struct text *out);

void mx_csv_release(struct mx_csv *c);

#endif
