/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jps_details: what of a process is shown, and which ones are, as SJK's jps
 * has it: -pd, -fd and -fp.
 */
#ifndef CMD_JPS_DETAILS_H
#define CMD_JPS_DETAILS_H

#include "cmd/command.h"
#include "cmd/process.h"
#include "core/base/text.h"

#include <stdbool.h>
#include <stddef.h>

/* Which processes are listed. */
struct jps_filter {
	struct pattern *description; /* of the whole, or NULL */
	struct pattern **properties; /* each of a "name=value" */
	size_t property_count;
};

/* Either may be NULL or empty.  ERROR_MISUSE; jps_filter_release() is due. */
int jps_filter_init(struct jps_filter *f, const char *description,
		    const struct option_list *properties, struct error *err);
void jps_filter_release(struct jps_filter *f);

bool jps_filter_passes(const struct jps_filter *f, struct process *p);

/*
 * Checks tags: PID MAIN FDQN_MAIN ARGS dNAME DNAME XNAME.  ERROR_MISUSE names
 * one that is none of them.
 */
int jps_details_check(const struct option_list *tags, struct error *err);

/* What the lines of the JDK's jps have beside the PID, as -l -m -v ask. */
struct jps_plain {
	bool long_names, arguments, options;
	bool pids_only;
};

/* Appends a line of the JDK's jps and `jcmd -l`: "4711 com.acme.Main orders".
 */
void jps_details_plain(const struct jps_plain *plain, const struct process *p,
		       struct text *out);

/* Append the processes as lines, as CSV with a head, as an array of objects. */
void jps_details_text(const struct option_list *tags, struct process *processes,
		      size_t count, struct text *out);
void jps_details_csv(const struct option_list *tags, struct process *processes,
		     size_t count, struct text *out);
void jps_details_json(const struct option_list *tags, struct process *processes,
		      size_t count, struct text *out);

#endif
