/* SPDX-License-Identifier: Apache-2.0 */
/* ssa: the parts of the command. */
#ifndef CMD_SJK_SSA_H
#define CMD_SJK_SSA_H

#include "cmd/shared/command.h"
#include "cmd/sjk/sjk_input.h"
#include "core/base/error.h"
#include "core/base/output.h"
#include "core/profile/filter.h"

#include <stdbool.h>
#include <stddef.h>

/* A named filter of -nc, or a category of a file. */
struct ssa_class {
	char *name;
	struct trace_filter *filter;
	struct trace_verdicts *verdicts;
};

struct ssa_classes {
	struct ssa_class *all;
	size_t count, cap;
};

/* Adds NAME=FILTER. ERROR_MISUSE if it is invalid or the name exists. */
int ssa_classes_add(struct ssa_classes *c, const char *word, unsigned flags,
		    struct error *err);
/* Adds the categories of a Java properties file. */
int ssa_classes_load(struct ssa_classes *c, const char *path, unsigned flags,
		     struct error *err);
void ssa_classes_release(struct ssa_classes *c);

enum ssa_sort { SSA_TERM, SSA_OCCUR, SSA_FREQ };

struct ssa_options {
	struct sjk_input_options input;
	struct option_list named, summaries;
	const char *category_file, *sort;
	/* Of --flame. */
	const char *title;
	struct option_list rainbow;
	uint64_t width;
	bool csv, numeric;
	bool print, histo, categorize, thread_info, flame, ssa_help, by_term;
};

/* Each report reads the inputs and prints itself. Fails like sjk_input_read().
 */
typedef int ssa_report(struct ssa_options *o, int argc, char **argv,
		       struct ssa_classes *c, struct output *out,
		       struct error *err);

ssa_report ssa_histo;
ssa_report ssa_thread_info;

#endif
