/* SPDX-License-Identifier: Apache-2.0 */
/*
 * probe_report: the counts and times of probed methods as text, CSV or JSON.
 */
#ifndef CMD_PROBE_PROBE_REPORT_H
#define CMD_PROBE_PROBE_REPORT_H

#include "core/base/json.h"
#include "core/base/text.h"
#include "core/jvm/container.h"
#include "jvmti/client/client_probes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is known about each method. */
enum probe_detail {
	PROBE_COUNTED,  /* the number of calls */
	PROBE_AVERAGED, /* and their average, minimum and maximum (JFR) */
	PROBE_TIMED,    /* and exceptions, and the distribution of times */
};

struct probe_row {
	/* Foreign names, borrowed; descriptor and loader may be NULL. */
	const char *class_name, *method, *descriptor, *loader;
	/*
	 * Instead of the descriptor: "(long, String)", or NULL if both are
	 * unknown.
	 */
	const char *parameters;
	struct probe_counts counts;
	bool max_is_bound;           /* all calls took at most counts.max_ns */
	uint64_t average_ns, min_ns; /* of PROBE_AVERAGED */
};

struct probe_report {
	enum probe_detail detail;
	const char *source; /* "agent" or "jfr" */
	int pid;
	const struct container_pod *pod; /* NULL = unknown */
	int64_t time_ns;                 /* of the report, since the epoch */
	int64_t duration_ns;             /* of the measurement */
	bool is_final;                   /* otherwise one of the intervals */
	bool has_histogram;
	size_t top;   /* maximum number of rows in text; 0 = all */
	size_t width; /* of the terminal; 0 = unlimited */
	struct probe_row *rows;
	size_t count;
};

/*
 * Turns the counts of a row into those since last, without its exceptions.  The
 * JVM records the longest call of all only: unless that call was among them,
 * the row has the upper end of the highest bucket as a bound.
 */
void probe_row_subtract(struct probe_row *row, const struct probe_counts *last);

/* Sorts the rows by time spent in them, or by calls. */
void probe_report_sort(struct probe_report *r);

/* Appends "com.acme.Orders.submit(long, String)", made safe. */
void probe_row_name(const struct probe_row *row, struct text *out);

/* Appends a table, and a histogram of each row. */
void probe_report_text(const struct probe_report *r, struct text *out);

/* Appends a line of heads and a line for each row. */
void probe_report_csv(const struct probe_report *r, struct text *out);

/*
 * Appends {"schema":"sjkc.probe/1","type":"totals",…}, or "interval", without
 * the end of the object, which the caller writes after more members.
 */
struct json probe_report_json(const struct probe_report *r, struct text *out);

#endif
