/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jps_details: the filters and details of SJK's jps (-fd, -fp, -pd) and the
 * output of the JDK's jps.
 */
#ifndef CMD_SHARED_JPS_DETAILS_H
#define CMD_SHARED_JPS_DETAILS_H

#include "cmd/shared/command.h"
#include "cmd/shared/process.h"
#include "core/base/text.h"

#include <stdbool.h>
#include <stddef.h>

/* Selects the processes to list. */
struct jps_filter {
	struct pattern *description; /* for main class and arguments, or NULL */
	struct pattern **properties; /* each for "name=value" */
	size_t property_count;
};

/*
 * description may be NULL, properties empty. ERROR_MISUSE; call
 * jps_filter_release() in any case.
 */
int jps_filter_init(struct jps_filter *f, const char *description,
		    const struct option_list *properties, struct error *err);
void jps_filter_release(struct jps_filter *f);

bool jps_filter_passes(const struct jps_filter *f, struct process *p);

/*
 * Checks the tags: PID MAIN FDQN_MAIN ARGS dNAME DNAME XNAME. Fails with
 * ERROR_MISUSE for the first unknown tag.
 */
int jps_details_check(const struct option_list *tags, struct error *err);

/* Options of the JDK's jps: the details after the PID (-l, -m, -v). */
struct jps_plain {
	bool long_names, arguments, options;
	bool pids_only;
};

/* Appends a line as the JDK's jps and `jcmd -l`: "4711 com.acme.Main orders".
 */
void jps_details_plain(const struct jps_plain *plain, const struct process *p,
		       struct text *out);

/* Append the processes as lines, CSV with a header, or a JSON array. */
void jps_details_text(const struct option_list *tags, struct process *processes,
		      size_t count, struct text *out);
void jps_details_csv(const struct option_list *tags, struct process *processes,
		     size_t count, struct text *out);
void jps_details_json(const struct option_list *tags, struct process *processes,
		      size_t count, struct text *out);

#endif
