/* SPDX-License-Identifier: Apache-2.0 */
/*
 * push: sends requests over HTTP to a backend, one after another, in order, or
 * writes them to files of a directory.
 *
 * A queue in memory holds the encoded requests. It is limited in bytes and in
 * age; the oldest requests are dropped and counted. A child process sends one
 * request at a time by libcurl, so that neither a slow name server nor a slow
 * backend nor a slow disk ever delays the caller.
 *
 *     push_add() ──► queue ──► push_step() ──► child ──► backend, directory
 *                      ▲            │
 *                      └── retry ◄──┴──► delivered, or dropped and counted
 */
#ifndef CORE_PUSH_PUSH_H
#define CORE_PUSH_PUSH_H

#include "core/base/error.h"
#include "core/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* ---- settings ---- */

enum push_format {
	PUSH_AUTO,      /* by the URL: gRPC, Pyroscope, or else OTLP */
	PUSH_OTLP,      /* OTLP over HTTP */
	PUSH_GRPC,      /* OTLP over gRPC */
	PUSH_PYROSCOPE, /* pprof, by Pyroscope's own interface */
	PUSH_PARCA,     /* pprof, by Parca's own interface over gRPC */
};

/* How many files of a directory are kept; the oldest are removed. */
struct push_limits {
	uint64_t bytes, files;
	int64_t age_ns;
};

struct push_settings {
	char *url;                 /* of each request */
	char *shown_url;           /* without the query, which may be secret */
	enum push_format format;   /* never PUSH_AUTO */
	bool detects;              /* PUSH_GRPC: or PUSH_PARCA, by the server */
	char *socket;              /* connect to this unix socket; or NULL */
	char *server_name;         /* of the URL; it is connected to… */
	char *connect_to;          /* "::host:port"; both are NULL, or none */
	char *directory;           /* write files here instead; or NULL */
	struct push_limits limits; /* of the directory */
	char *header_file;         /* read before each request; or NULL */
	struct text headers;       /* "Name: value\n", from the environment */
	struct text ignored;       /* a line for each variable of no use */
	char *cacert, *cert, *key; /* PEM files; or NULL */
	int64_t timeout_ns;        /* of one request */
	size_t queue_bytes;        /* maximum size of the queue */
	int64_t queue_ns;          /* maximum age of a request */
};

/* The paths that follow the URL of a receiver. */
#define PUSH_OTLP_PATH      "/v1development/profiles"
#define PUSH_PYROSCOPE_PATH "/ingest"
#define PUSH_GRPC_PATH                                                         \
	"/opentelemetry.proto.collector.profiles.v1development"                \
	".ProfilesService/Export"
#define PUSH_PARCA_PATH                                                        \
	"/parca.profilestore.v1alpha1.ProfileStoreService/WriteRaw"

/*
 * Makes the settings of a receiver. A url without a path gets that of the
 * format; grpc:// and grpcs:// are gRPC, where the server tells whether it is
 * Parca, the path /ingest is Pyroscope's, and unix:PATH is a socket. "env"
 * takes the URL from OTEL_EXPORTER_OTLP_PROFILES_ENDPOINT or
 * OTEL_EXPORTER_OTLP_ENDPOINT. The variables of OTLP exporters for headers, the
 * timeout and certificates always apply. ERROR_MISUSE; release them even then.
 */
int push_settings_init(struct push_settings *s, const char *url,
		       enum push_format format, struct error *err);

/* Makes the settings of a directory; PUSH_PYROSCOPE is pprof, others OTLP. */
void push_settings_init_directory(struct push_settings *s, const char *path,
				  enum push_format format);

/*
 * Connects to the host of the URL, but asks for a server of this name, in TLS
 * and HTTP. ERROR_MISUSE for a unix socket or an invalid name.
 */
int push_settings_set_server(struct push_settings *s, const char *name,
			     struct error *err);
void push_settings_release(struct push_settings *s);

/*
 * Appends the lines "Name: value" of a file with headers; lines that are empty
 * or begin with # are skipped. ERROR_INPUT, ERROR_MISUSE; the message does not
 * quote values, which may be secrets.
 */
int push_headers_read(struct text *out, const char *path, struct error *err);

/* ---- replies ---- */

enum { PUSH_REPLY_MAX = 64 * 1024, PUSH_PROBLEM_MAX = 512 };

/* When a step of a request was over, in us since its start; 0 = it was not. */
struct push_times {
	int64_t resolved, connected, encrypted, sent, ended;
};

/* What came back for a request; shared with the child. */
struct push_reply {
	bool is_sent;          /* false: there is no response, see problem */
	bool is_wrong;         /* sending it again cannot help */
	bool is_cut;           /* the response ends before its end */
	int status;            /* of the HTTP response */
	bool is_grpc;          /* gRPC's prefix precedes the message */
	bool is_plain;         /* the response's body is no OTLP message */
	int grpc_status;       /* -1 = none; problem has its message */
	int64_t retry_after_s; /* asked for by the backend; 0 = not */
	int curl_code;         /* of libcurl; 0 = success */
	struct push_times times;
	char address[64];    /* of the peer, or "" */
	char proxy[128];     /* HOST:PORT of a proxy that was used, or "" */
	char proxy_from[32]; /* the environment variable that names it */
	bool is_tunnelled;   /* the backend's responses pass the proxy unread */
	char location[256];  /* of a redirect, without the query; or "" */
	char type[64];       /* Content-Type, or "" */
	uint64_t removed_files, removed_bytes; /* from a directory */
	size_t received; /* bytes of the response's body */
	size_t len;      /* of body */
	char problem[PUSH_PROBLEM_MAX];
	uint8_t body[PUSH_REPLY_MAX]; /* the first bytes of the response */
};

enum push_verdict {
	PUSH_DELIVERED,
	PUSH_AGAIN,   /* the backend cannot take it now */
	PUSH_REFUSED, /* the backend will never take it */
};

/*
 * Decides by the rules of the OTLP specification what happens to a request.
 * Appends the reason of anything but full success to why; foreign text.
 * *rejected is the number of profiles that the backend did not accept.
 */
enum push_verdict push_judge(const struct push_reply *r, struct text *why,
			     uint64_t *rejected);

/*
 * Returns advice for a refused request, which follows "; " in messages, or
 * NULL.
 */
const char *push_advice(const struct push_settings *s,
			const struct push_reply *r);

/* ---- sending ---- */

struct push;

/* Receives one message without a newline; foreign names are not made safe. */
typedef void push_notice(void *self, bool is_loss, const char *text);

/* Starts the child. The settings are borrowed until push_close(). */
struct push *push_open(const struct push_settings *s, push_notice *notice,
		       void *self, struct error *err);

/* Ends the child; requests that are still queued are lost. NULL is fine. */
void push_close(struct push *p);

/*
 * Adds a request, a compressed body with this number of samples, whose memory
 * is taken over. parca is the same request for Parca; it is required while
 * push_kind() is PUSH_PARCA or PUSH_AUTO, and may be NULL otherwise. name is
 * added to the URL as its query, or is the end of the file's name. May drop the
 * oldest requests.
 */
void push_add(struct push *p, struct text *body, struct text *parca,
	      const char *name, uint64_t samples);

/*
 * The format of the settings, or with detects that of the server: PUSH_AUTO
 * until it has told. The server is asked again after each outage and, unless it
 * is Parca, before the first request.
 */
enum push_format push_kind(const struct push *p);

/* Becomes readable when push_step() has something to do; -1 = never. */
int push_fd(const struct push *p);

/*
 * Takes a reply and starts the next request, if it is time. Never waits. After
 * an outage, the backlog is sent at a limited speed.
 */
void push_step(struct push *p);

/*
 * Sends the queued requests until until_ns (CLOCK_MONOTONIC). Returns true when
 * the queue is empty.
 */
bool push_finish(struct push *p, int64_t until_ns);

/* ---- when to send ---- */

/* All zero: at once. Times are of CLOCK_MONOTONIC. */
struct push_pace {
	int64_t next_ns;    /* when the next attempt may start */
	int64_t backoff_ns; /* 0 = the last attempt succeeded */
};

/* An attempt failed; the backend asks for a wait of retry_after_s, 0 = none. */
void push_pace_retry(struct push_pace *p, int64_t now_ns,
		     int64_t retry_after_s);

/*
 * The backend has judged a request; the queue has more, the oldest since
 * oldest_ns. A backlog is sent faster than it was made, but not as fast as
 * possible, since all nodes have one after an outage.
 */
void push_pace_go_on(struct push_pace *p, int64_t now_ns, uint64_t queued,
		     int64_t oldest_ns);

/*
 * A random length of the first interval, from a half to one and a half, so that
 * nodes that start together send at different times.
 */
int64_t push_first_interval_ns(int64_t interval_ns);

/*
 * Whether each profile is sent in a request of its own. All zero: it is not.
 * Times are of CLOCK_MONOTONIC.
 */
struct push_alone {
	bool is_wanted;
	int64_t failed_ns; /* the last failure */
};

/* The backend failed a request for one of its profiles. */
void push_alone_failed(struct push_alone *a, int64_t now_ns);

/* The backend took a request: ten minutes after the last failure, it ends. */
void push_alone_delivered(struct push_alone *a, int64_t now_ns);

/* ---- counts ---- */

struct push_counts {
	uint64_t delivered, delivered_samples, delivered_bytes; /* requests … */
	uint64_t attempts; /* requests sent, also those that failed */
	uint64_t failed;   /* attempts that are repeated */
	uint64_t too_old, too_old_samples;   /* dropped for their age */
	uint64_t too_many, too_many_samples; /* dropped: the queue was full */
	uint64_t refused, refused_samples;   /* the backend refused them */
	uint64_t rejected_profiles;          /* by partial success */
	/* Of the samples that were dropped: the backend may have a part. */
	uint64_t partly_samples;
	/*
	 * Of the delivered samples, as often as each was sent again after such
	 * an attempt: the backend may have as many too much.
	 */
	uint64_t repeated_samples;
	bool wants_alone;                      /* struct push_alone */
	uint64_t queued, queued_samples;       /* waiting or being sent */
	uint64_t removed_files, removed_bytes; /* old ones of a directory */
	size_t queued_bytes;
};

struct push_counts push_counts(const struct push *p);

/* ---- push_sender.c: the child ---- */

struct push_sender;

/* ERROR_UNAVAILABLE without libcurl. The settings are borrowed. */
struct push_sender *push_sender_open(const struct push_settings *s,
				     struct error *err);
void push_sender_close(struct push_sender *s); /* NULL is fine */

/*
 * Starts sending a body. name is that of push_add(), or a path that replaces
 * that of the URL. Fails if the child has ended.
 */
int push_sender_start(struct push_sender *s, const struct text *body,
		      const char *name, struct error *err);

/*
 * Returns the reply, or NULL if it has not arrived until until_ns. If the child
 * has ended, the reply has that problem. Valid until the next request.
 */
const struct push_reply *push_sender_reply(struct push_sender *s,
					   int64_t until_ns);

int push_sender_fd(const struct push_sender *s); /* -1 = none */

/*
 * Starts asking a gRPC server whether it is Parca, by an empty request to
 * Parca's service, which other servers do not have.
 */
int push_probe_start(struct push_sender *s, struct error *err);

/*
 * Returns what a reply to that tells: PUSH_PARCA, PUSH_GRPC, or PUSH_AUTO if it
 * tells nothing.
 */
enum push_format push_probe_kind(const struct push_reply *r);

/* ---- push_files.c: files of a directory, in the child ---- */

struct push_files;

/* The result lives as long as the child. */
struct push_files *push_files_open(const char *directory,
				   const struct push_limits *limits);

/*
 * Writes a file sjkc-TIME<name>, complete or not at all, and removes the oldest
 * files beyond the limits. The reply has the result.
 */
void push_files_write(struct push_files *f, const char *name, const void *body,
		      size_t len, struct push_reply *r);

/*
 * ---- push_budget.c ----
 *
 * Keeps the costs of `prof --push` below --cpu-limit and
 * --memory-limit, by what sjkc and its child processes use, and chooses the
 * minutes of --probability.
 */

/* Use of CPU time of this process and its descendants, and of their memory. */
struct push_usage {
	int64_t cpu_ns;        /* also of descendants that have ended */
	uint64_t memory_bytes; /* proportional (PSS) */
};

/* Reads the usage, without the process `omitted` and its descendants. */
struct push_usage push_usage_read(pid_t omitted);

/* The memory of this process that it shares with no other; fast. */
uint64_t push_usage_own_bytes(void);

/* The limit of CPU time. A new one has the first two fields alone. */
struct push_budget {
	double limit_percent; /* of a core; 0 = none */
	uint64_t wanted_hz;   /* the frequency without a limit */
	uint64_t hz;          /* the frequency now; 0 = wanted_hz */
	unsigned quiet;       /* windows in a row that permit the next one */
	unsigned within;      /* windows in a row within the limit */
	bool has_begun;       /* the window of the start is over */
	/*
	 * Even the lowest frequency was over the limit, less than
	 * PUSH_BUDGET_QUIET windows ago.
	 */
	bool is_at_least;
	int64_t cpu_ns, time_ns; /* at the last window */
	double percent;          /* of the last window */
};

/* Windows in a row before the frequency is raised or all is well again. */
enum { PUSH_BUDGET_QUIET = 5 };

/*
 * Call at the end of each window with the CPU time used so far and the time
 * (both only grow); returns the frequency for the next window. The window of
 * the start, whose costs do not recur, counts for nothing. The frequency rises
 * by one step when PUSH_BUDGET_QUIET windows in a row would have stayed below
 * the limit at the higher frequency.
 */
uint64_t push_budget_next(struct push_budget *b, int64_t cpu_ns,
			  int64_t time_ns);

/* Ignores the costs until now: those of a pause. */
void push_budget_skip(struct push_budget *b, int64_t cpu_ns, int64_t time_ns);

/* Parses "1%", "0.5", "200%" of an option. ERROR_MISUSE. */
int push_budget_parse(const char *option, const char *word, double *percent,
		      struct error *err);

/*
 * True if a node is sampled in a minute, of the Unix epoch, when every node is
 * to be sampled in this percentage of the minutes. The choice is random, but
 * always the same.
 */
bool push_budget_hits(const char *node, int64_t minute, double percent);

#endif
