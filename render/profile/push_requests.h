/* SPDX-License-Identifier: Apache-2.0 */
/*
 * push_requests: encodes the profiles of a window into requests to a backend.
 *
 * OTLP has the profiles of all JVMs in as few requests as their size allows.
 * Parca's own interface has, too. Until the server is known, each request is
 * made in both encodings. Pyroscope's own interface requires a request for each
 * JVM and event, because the name of a profile follows from its types.
 */
#ifndef RENDER_PROFILE_PUSH_REQUESTS_H
#define RENDER_PROFILE_PUSH_REQUESTS_H

#include "core/base/text.h"
#include "core/push/push.h"
#include "render/profile/export.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* gRPC servers accept 4 MiB by default, other receivers more. */
#define PUSH_REQUEST_BYTES ((size_t)15 << 18)
#define PUSH_LARGEST_BYTES ((size_t)16 << 20)
/*
 * Parca accepts 64 MiB. Its profiles share no names, so they are larger than
 * those of OTLP: a request may be so many times as large, with several profiles
 * and with one.
 */
enum { PUSH_PARCA_SHARED = 2, PUSH_PARCA_ALONE = 8 };

struct otlp_request;

struct push_requests {
	enum push_format format;
	/* Maximum size of a request without compression. */
	size_t most;    /* with several profiles */
	size_t largest; /* with one profile */
	enum export_threads threads;
	bool alone;       /* each event of each JVM in a request of its own */
	bool otlp, parca; /* not PUSH_PYROSCOPE: the encodings to make */
	/*
	 * Takes a request: the compressed body and that for Parca, which it may
	 * take over, and of which one may be empty; the query of its URL, or
	 * ""; the end of its file's name.
	 */
	void (*send)(void *self, struct text *body, struct text *parca,
		     const char *query, const char *ending, uint64_t samples);
	/* Receives each kind of message once; or NULL. */
	void (*notice)(void *self, const char *text);
	void *self;

	/* Counts since push_requests_init(). */
	uint64_t truncated; /* samples with truncated stack traces */
	uint64_t too_large; /* samples in profiles that fit in no request */
	uint64_t omitted;   /* samples of events without any stack trace */

	struct otlp_request *request;
	struct text series;                  /* the same request for Parca */
	uint64_t samples, request_truncated; /* of the request */
	bool said_reduced, said_too_large;
};

/*
 * Sets the limits and the encoding of the format; the caller sets send,
 * notice, self and threads.
 */
void push_requests_init(struct push_requests *r, enum push_format format);
void push_requests_release(struct push_requests *r); /* zeroed is fine */

/* Encodes the profiles that have samples, and sends them. */
void push_requests_add(struct push_requests *r,
		       const struct profile_part *parts, size_t count);

/* Returns the number of samples of all events. */
uint64_t push_requests_samples(const struct profile *p);

#endif
