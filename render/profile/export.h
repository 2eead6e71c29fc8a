/* SPDX-License-Identifier: Apache-2.0 */
/* export: writes profiles in the formats of other tools. */
#ifndef RENDER_PROFILE_EXPORT_H
#define RENDER_PROFILE_EXPORT_H

#include "core/base/output.h"
#include "core/base/text.h"
#include "core/profile/event_view.h"
#include "core/profile/frame_name.h"
#include "core/profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * collapsed: collapsed stack traces, one line each: "root;caller;leaf weight".
 */

struct collapsed_options {
	struct style style;
	/* Maximum number of frames in all lines; 0: COLLAPSED_FRAMES. */
	uint64_t most_frames;
};

/*
 * Each line repeats all callers: half a million nested frames, each with
 * samples, would be terabytes of text. The reversed tree would be as large, in
 * memory.
 */
#define COLLAPSED_FRAMES          UINT64_C(1000000000)
#define COLLAPSED_REVERSED_FRAMES UINT64_C(200000000)

struct collapsed_result {
	uint64_t cut; /* number of samples with truncated stack traces */
	size_t depth; /* frames that stack traces were truncated to */
};

/*
 * Writes the distinct stack traces of one view, sorted by frame names. A ';' in
 * a name becomes ':', a newline a space: the format has no escapes. Samples
 * without a stack trace are "[no stack trace]". If the lines had too many
 * frames, deep stack traces lose the frames at the end of their line.
 */
struct collapsed_result
collapsed_write(struct output *out, const struct profile *p,
		const struct event_view *view,
		const struct collapsed_options *options);

/*
 * speedscope: the file format of speedscope.app (file-format-schema.json,
 * "sampled" profiles).
 *
 * Each view is a profile, or each thread of each view; profiles share the
 * frames. A sample is a stack trace in a time bucket, sorted by time, which is
 * the first view of speedscope; in large files, a sample is a stack trace only.
 */

struct speedscope_options {
	const char *title; /* any bytes */
	/* threads: one profile per thread, sorted by total. reverse is
	 * ignored.
	 */
	struct style style;
	/* Maximum number of frames in all samples; 0: SPEEDSCOPE_FRAMES. */
	uint64_t most_frames;
	/* The same for samples by time; 0: SPEEDSCOPE_TIMED_FRAMES. */
	uint64_t timed_frames;
};

/* A gigabyte of JSON: more than speedscope can open. */
#define SPEEDSCOPE_FRAMES       UINT64_C(200000000)
#define SPEEDSCOPE_TIMED_FRAMES UINT64_C(4000000) /* about 20 MB */

struct speedscope_result {
	size_t depth; /* frames that stack traces were truncated to, or 0 */
};

/*
 * Writes all views; speedscope opens the selected one. Samples without a stack
 * trace are "[no stack trace]".
 */
struct speedscope_result
speedscope_write(struct output *out, const struct profile *p,
		 const struct event_view *views, size_t view_count,
		 size_t selected, const struct speedscope_options *options);

/*
 * pprof: the compressed file format of pprof and compatible tools
 * (github.com/google/pprof, proto/profile.proto).
 *
 * All views are in one file. A sample is a stack trace of one thread in one
 * state. It has a value for each view, most of them 0: the format has no other
 * way to store several kinds of events. A view of time or bytes has two values,
 * the number of samples and the weight.
 *
 * Samples have the labels thread, thread_id (the kernel's), java_thread_id and
 * thread_state, if known. Ids are numbers: `pprof -tagfocus=thread_id=4711`
 * does not find strings of digits.
 */

/* How the threads of samples are written. */
enum export_threads {
	THREADS_EXACT, /* with their ids */
	/* Threads of a pool are one: otlp_fold_name(), without ids. */
	THREADS_FOLDED,
	THREADS_OMITTED,
};

/*
 * Pyroscope chooses the name of a profile by the names of its sample types.
 * Parca shows the names.
 */
enum pprof_backend { PPROF_NO_BACKEND, PPROF_PYROSCOPE, PPROF_PARCA };

struct pprof_options {
	const char *title; /* any bytes */
	/* weights: weights are the default values. reverse is ignored. */
	struct style style;
	/* rate_period() of the selected view; 0 = unknown. */
	uint64_t period;
	/* Maximum number of frames in all samples; 0: PPROF_FRAMES. */
	uint64_t most_frames;
	enum pprof_backend backend;
	enum export_threads threads;
	/* Writes at most this many frames, those at the leaf; 0 = all. */
	size_t leaf_frames;
};

/* `go tool pprof` needs about 16 bytes of memory for each frame. */
#define PPROF_FRAMES UINT64_C(200000000)

struct pprof_result {
	size_t depth; /* frames that stack traces were truncated to, or 0 */
	uint64_t cut; /* number of samples that lost frames at the root */
	const char *family; /* PPROF_PARCA: the name of the selected view */
};

/*
 * Writes all views. The selected one is the last and the default: some readers
 * open the last, others the default. Samples without a stack trace are "[no
 * stack trace]".
 */
struct pprof_result pprof_write(struct output *out, const struct profile *p,
				const struct event_view *views,
				size_t view_count, size_t selected,
				const struct pprof_options *options);

/* Appends the same to out, without compression. */
struct pprof_result pprof_encode(struct text *out, const struct profile *p,
				 const struct event_view *views,
				 size_t view_count, size_t selected,
				 const struct pprof_options *options);

/*
 * otlp: requests of OpenTelemetry profiles, without compression
 * (opentelemetry-proto 1.10 and 1.11, v1development).
 *
 * A request has the profiles of one or more resources, one per view. A file is
 * a request with one resource.
 */

struct otlp_options {
	/* Attributes of the resource, made by push_attribute(); NULL = none. */
	const struct text *resource;
	/* weights: values are weights. reverse is ignored. */
	struct style style;
	enum export_threads threads;
	/* Maximum number of frames in all stack traces; 0: OTLP_FRAMES. */
	uint64_t most_frames;
};

#define OTLP_FRAMES UINT64_C(50000000)
/* Receivers truncate or reject deeper stack traces. */
#define OTLP_DEPTH 1000

struct otlp_result {
	/* Stack traces were truncated to this many frames at the leaf, or 0. */
	size_t depth;
	uint64_t cut; /* number of samples with truncated stack traces */
};

/* Writes a request with one resource. */
struct otlp_result otlp_write(struct output *out, const struct profile *p,
			      const struct event_view *views, size_t view_count,
			      const struct otlp_options *options);

/*
 * Replaces each number, UUID and hexadecimal identifier of at least 8 digits by
 * one '#', so that the threads of a pool have one name: "worker-12" becomes
 * "worker-#". The number of C1, C2 or G1 at the start of a name is kept.
 */
void otlp_fold_name(struct text *name);

struct otlp_request;

struct otlp_request *otlp_request_new(void);
void otlp_request_free(struct otlp_request *r); /* NULL is allowed */

/*
 * Adds a resource with its profiles; without views, it has no scope. Keeps no
 * reference to its arguments.
 */
struct otlp_result otlp_request_add(struct otlp_request *r,
				    const struct profile *p,
				    const struct event_view *views,
				    size_t view_count,
				    const struct otlp_options *options);

/* The approximate size of the encoded request; 0 = it has no resource. */
size_t otlp_request_bytes(const struct otlp_request *r);

/* Appends the encoded request to out and makes *r an empty request again. */
void otlp_request_end(struct otlp_request *r, struct text *out);

/*
 * svg: a static image of one view, a flame graph without scripts, for pages
 * that allow none. The name, weight and share of a frame are its tooltip.
 */

struct svg_options {
	const char *title;  /* any bytes */
	struct style style; /* threads and reverse are ignored */
	unsigned width;     /* of the frames in pixels; 0: SVG_WIDTH */
	/* Colors by frame, such as "#8fd18c"; NULL, also of a frame: by kind */
	const char *const *colors;
};

#define SVG_WIDTH 1200

struct svg_result {
	size_t narrow; /* frames that are too narrow or too deep to draw */
};

#define SVG_ROWS 1500 /* maximum depth: deeper frames are not drawn */

struct svg_result svg_write(struct output *out, const struct profile *p,
			    const struct event_view *view,
			    const struct svg_options *options);

/*
 * firefox: the compressed file format of profiler.firefox.com ("processed"
 * profile).
 *
 * Each thread of each view is a track, whose samples are stack traces in time
 * buckets. Views of bytes are native allocations of the thread's first track.
 */

struct firefox_options {
	const char *title;  /* any bytes */
	struct style style; /* threads and reverse are ignored */
};

void firefox_write(struct output *out, const struct profile *p,
		   const struct event_view *views, size_t view_count,
		   size_t selected, const struct firefox_options *options);

/*
 * jfr: a recording of JDK Flight Recorder, for `jfr`, JDK Mission Control and
 * sjkc.
 *
 * CPU samples are jdk.ExecutionSample, allocations are
 * jdk.ObjectAllocationInNewTLAB, locks are jdk.JavaMonitorEnter; other events
 * keep their names, or are called sjkc.NAME if the name has no dot. Times are
 * those of time buckets.
 */

struct jfr_result {
	size_t depth;     /* maximum number of frames of a stack trace */
	uint64_t cut;     /* stack traces truncated to that number */
	uint64_t dropped; /* samples beyond JFR_EVENTS */
};

#define JFR_DEPTH  4096
#define JFR_FRAMES UINT64_C(50000000) /* of all stack traces */
#define JFR_EVENTS UINT64_C(20000000)

struct jfr_result jfr_write(struct output *out, const struct profile *p,
			    const struct event_view *views, size_t view_count);

/* listing: lists the event types of a profile as a table or as JSON. */

/*
 * Prints a line per event type, sorted by samples: name, family, samples,
 * samples without a stack trace, weight; then the events without stack traces.
 */
void listing_events(struct output *out, const struct profile *p);

/*
 * The same as JSON: {"schema":"sjkc.events/1","events":[{name,samples,
 * without_stack,weight,unit}]}.
 */
void listing_events_json(struct output *out, const struct profile *p);

#endif
