/* SPDX-License-Identifier: Apache-2.0 */
/* Resolves a target to a pod, and runs kubectl for each forwarded port. */
#include "jmx_http/net/kubectl.h"

#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/base/units.h"
#include "jmx_http/net/program.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define PAUSE_FIRST_MS 250
#define PAUSE_LAST_MS  30000

/* A failure explains connections that end within this time. */
#define WHY_NS (10 * CLOCK_NS_PER_S)

struct kubectl_wait {
	struct kubectl_wait *next;
	struct kubectl *on;
	uint16_t port;
	bool has_failed;
	struct event *timer;
	kubectl_ready_fn *fn;
	void *self;
};

/* One port of the pod. */
struct forward {
	struct forward *next;
	struct kubectl *of;
	uint16_t port, local; /* local is 0 while kubectl does not listen */
	struct program *program;
	struct event *timer; /* deadline of the start */
};

/* Best last. */
enum pod_rank {
	POD_NOT_RUNNING,
	POD_ENDING,
	POD_NOT_READY, /* a JVM in a long GC pause */
	POD_READY,
	POD_SAME, /* forwarded already, and running */
};

struct pod {
	struct text name, uid, phase, since;
	enum pod_rank rank;
	uint16_t port; /* the target's; 0: it has no port of this name */
};

enum kubectl_state {
	KUBECTL_UNKNOWN,
	KUBECTL_READING,
	KUBECTL_PAUSED,
	KUBECTL_KNOWN,
};

struct kubectl {
	struct event_base *base;
	struct programs *all;
	struct kubectl_options options;
	char *target, *port, *namespace, *context, *kubeconfig;
	enum kubectl_state state;
	struct pod pod; /* the forwarded one; empty: none yet */
	bool was_ready; /* a forward has worked */
	unsigned replacements;

	/* In KUBECTL_READING. */
	struct program *reader;
	struct text kind, selector, wanted; /* the port: a number or a name */
	struct text ports;                  /* the service's */
	struct pod row, best;

	struct event *timer; /* deadline of the reader, or end of the pause */
	unsigned pause_ms;
	struct forward *forwards; /* the last started first */
	struct kubectl_wait *waits;
	struct error err; /* why no forward works; or no error */
	struct error why; /* of the last failure, at why_ns */
	int64_t why_ns;
};

static int port_number(const char *text, uint16_t *port)
{
	uint64_t number;

	if (units_count(text, &number, error_unused()) || !number ||
	    number > UINT16_MAX)
		return -1;
	*port = (uint16_t)number;
	return 0;
}

/* IANA_SVC_NAME of Kubernetes: at most 15 characters, one of them a letter. */
static bool port_is_name(const char *text)
{
	size_t len = strlen(text);

	return len && len <= 15 && *text != '-' &&
	       strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-") == len &&
	       strpbrk(text, "abcdefghijklmnopqrstuvwxyz");
}

int kubectl_parse(const char *text, char **pod, char **port, struct error *err)
{
	const char *colon = strrchr(text, ':');
	uint16_t number;

	if (!colon)
		return fail(err, ERROR_MISUSE,
			    "the port is missing in '%s'; use <pod>:<port>, "
			    "the port of com.sun.management.jmxremote.port",
			    text);
	if (colon == text || *text == '-' ||
	    (port_number(colon + 1, &number) && !port_is_name(colon + 1)))
		return fail(err, ERROR_MISUSE,
			    "invalid pod or port in '%s'; use <pod>:<port>",
			    text);
	*pod = xstrndup(text, (size_t)(colon - text));
	*port = xstrdup(colon + 1);
	return 0;
}

__attribute__((format(printf, 2, 3))) static void
kubectl_report(const struct kubectl *k, const char *fmt, ...)
{
	char *line = NULL;
	va_list args;

	va_start(args, fmt);
	if (vasprintf(&line, fmt, args) < 0)
		line = NULL;
	va_end(args);
	k->options.report(k->options.self, line ? line : "");
	free(line);
}

static void timer_set_ms(struct event *timer, int64_t ms)
{
	struct timeval after = {
		.tv_sec = (time_t)(ms / 1000),
		.tv_usec = (suseconds_t)(ms % 1000 * 1000),
	};

	evtimer_add(timer, &after);
}

/* Messages of kubectl */

/*
 * Messages that contain the first words get a sentence instead.  The texts are
 * those of kubectl 1.20 to 1.34, and of kubelets with containerd and CRI-O.
 */
static const struct {
	const char *has, *and, *sentence;
} kubectl_sentences[] = {
	{ "error occurred forwarding", "onnection refused",
	  "nothing listens on this port in the pod" },
	{ "etwork namespace for sandbox", "is closed", "the pod has ended" },
	{ "failed to find sandbox", "", "the pod has ended" },
	{ "pod is not running", "", "the pod is not running" },
	{ "lost connection to pod", "", "the connection to the pod was lost" },
	{ "server localhost:8080 was refused", "",
	  "kubectl has no configuration of a cluster; use --kubeconfig" },
	{ "was refused - did you specify the right host", "",
	  "the API server refuses connections; check --context" },
};

/* Begins of kubectl's messages, behind which the reason is. */
static const char *const kubectl_prefixes[] = {
	"Error from server (",
	"Unable to connect to the server: ",
	"error: ",
	"Error: ",
	"Error in configuration: ",
	"\"Unhandled Error\" err=\"",
};

/*
 * Appends a message of kubectl as one sentence: a known sentence, or the reason
 * without kubectl's prefixes.
 */
static void kubectl_explain(const char *said, struct text *out)
{
	const size_t sentences = sizeof(kubectl_sentences) /
				 sizeof(*kubectl_sentences);
	const size_t prefixes = sizeof(kubectl_prefixes) /
				sizeof(*kubectl_prefixes);
	const char *reason = said, *at;

	for (size_t i = 0; i < sentences; i++)
		if (strstr(said, kubectl_sentences[i].has) &&
		    strstr(said, kubectl_sentences[i].and)) {
			text_puts(out, kubectl_sentences[i].sentence);
			return;
		}
	for (size_t i = 0; i < prefixes; i++) {
		at = strstr(said, kubectl_prefixes[i]);
		if (!at)
			continue;
		reason = at + strlen(kubectl_prefixes[i]);
		/* "Error from server (NotFound): pods …" */
		at = i ? NULL : strstr(reason, "): ");
		reason = at ? at + 3 : reason;
		break;
	}
	text_puts(out, reason);
	if (strstr(said, "(NotFound): "))
		text_puts(out, "; check the name, --namespace and --context");
}

static void kubectl_keep_error(struct kubectl *k)
{
	k->why = k->err;
	k->why_ns = clock_monotonic_ns();
}

/* Stores the reason of a program's end, or of its silence. */
static void kubectl_set_error(struct kubectl *k, struct program *p,
			      const char *silence)
{
	struct text said = { 0 }, why = { 0 };

	if (p)
		program_why(p, &said);
	if (said.len)
		kubectl_explain(said.bytes, &why);
	fail(&k->err,
	     p && program_is_missing(p) ? ERROR_UNAVAILABLE : ERROR_REFUSED,
	     "%s", why.len ? why.bytes : silence);
	kubectl_keep_error(k);
	text_release(&said);
	text_release(&why);
}

void kubectl_why(struct kubectl *k, struct text *out)
{
	struct text said = { 0 };

	for (struct forward *f = k->forwards; f && !said.len; f = f->next)
		program_why(f->program, &said);
	if (said.len)
		kubectl_explain(said.bytes, out);
	else if (k->why.kind && clock_monotonic_ns() - k->why_ns < WHY_NS)
		text_puts(out, k->why.text);
	text_release(&said);
}

/* Waits */

static struct forward *forward_find(struct kubectl *k, uint16_t port)
{
	struct forward *f = k->forwards;

	while (f && f->port != port)
		f = f->next;
	return f;
}

static uint16_t wait_port(const struct kubectl_wait *w)
{
	return w->port ? w->port : w->on->pod.port;
}

/* Removes a wait from its list and frees it. */
static void wait_drop(struct kubectl_wait *w)
{
	struct kubectl_wait **at = &w->on->waits;

	while (*at != w)
		at = &(*at)->next;
	*at = w->next;
	event_free(w->timer);
	free(w);
}

static void wait_on_timer(evutil_socket_t fd, short what, void *self)
{
	struct kubectl_wait *w = self;
	struct kubectl *k = w->on;
	struct forward *f = forward_find(k, wait_port(w));
	uint16_t local = f && !w->has_failed ? f->local : 0;
	kubectl_ready_fn *fn = w->fn;
	struct error err = k->err;

	(void)fd;
	(void)what;
	if (err.kind == ERROR_NONE)
		fail(&err, ERROR_REFUSED, "kubectl did not reply in time");
	fail_in(&err, "kubectl: %s", k->target);
	self = w->self;
	wait_drop(w);
	fn(self, local, local ? NULL : &err);
}

/* Each wait ends by its own timer, because a callback may free k. */
static void kubectl_end_waits(struct kubectl *k, uint16_t port)
{
	for (struct kubectl_wait *w = k->waits; w; w = w->next)
		if (wait_port(w) == port)
			timer_set_ms(w->timer, 0);
}

/* Programs */

static struct program *kubectl_start(struct kubectl *k,
				     const char *const *arguments,
				     struct program_plan *plan)
{
	const struct {
		const char *option, *value;
	} options[] = {
		{ "--namespace", k->namespace },
		{ "--context", k->context },
		{ "--kubeconfig", k->kubeconfig },
	};
	struct text texts[3] = { 0 };
	const char *words[16] = { "kubectl" };
	struct program *p;
	size_t count = 1;

	while (*arguments)
		words[count++] = *arguments++;
	for (size_t i = 0; i < 3; i++)
		if (options[i].value) {
			text_printf(&texts[i], "%s=%s", options[i].option,
				    options[i].value);
			words[count++] = texts[i].bytes;
		}
	plan->words = words;
	p = program_start(k->all, plan, &k->err);
	for (size_t i = 0; i < 3; i++)
		text_release(&texts[i]);
	return p;
}

/* Handles a failure, whose reason is in k->err: tries again after a pause. */
static void kubectl_pause(struct kubectl *k)
{
	if (!k->was_ready) {
		/* The next kubectl_request() tries again. */
		k->state = KUBECTL_UNKNOWN;
		evtimer_del(k->timer);
		for (struct kubectl_wait *w = k->waits; w; w = w->next)
			timer_set_ms(w->timer, 0);
		return;
	}
	k->state = KUBECTL_PAUSED;
	timer_set_ms(k->timer, k->pause_ms);
	k->pause_ms = k->pause_ms < PAUSE_LAST_MS / 2 ? k->pause_ms * 2
						      : PAUSE_LAST_MS;
}

/* Forwards */

static void forward_free(struct forward *f)
{
	struct forward **at = &f->of->forwards;

	while (*at != f)
		at = &(*at)->next;
	*at = f->next;
	program_end(f->program);
	event_free(f->timer);
	free(f);
}

/*
 * "Forwarding from 127.0.0.1:41234 -> 9010", kubectl 1.10 to 1.34.  The second
 * port is the pod's; only one is forwarded.
 */
static uint16_t forward_parse_line(const char *line)
{
	static const char from[] = "Forwarding from 127.0.0.1:", to[] = " -> ";
	const char *at = line + strlen(from), *end;
	char digits[6] = "";
	uint16_t local;

	if (strncmp(line, from, strlen(from)) != 0)
		return 0;
	end = strstr(at, to);
	if (!end || end - at >= (ptrdiff_t)sizeof(digits))
		return 0;
	memcpy(digits, at, (size_t)(end - at));
	return port_number(digits, &local) ? 0 : local;
}

static void forward_on_line(void *self, const char *line)
{
	struct forward *f = self;
	struct kubectl *k = f->of;
	uint16_t local = f->local ? 0 : forward_parse_line(line);

	/* Ignore other lines: "Handling connection for 41234". */
	if (!local)
		return;
	f->local = local;
	k->pause_ms = PAUSE_FIRST_MS;
	k->was_ready = true;
	k->err.kind = ERROR_NONE;
	evtimer_del(f->timer);
	kubectl_report(k,
		       "kubectl: port %d of pod %s: forwarded from "
		       "127.0.0.1:%d",
		       f->port, k->pod.name.bytes, local);
	if (k->state == KUBECTL_KNOWN)
		kubectl_end_waits(k, f->port);
}

/* Handles the end of a forward, whose reason is in k->err. */
static void forward_fail(struct forward *f)
{
	struct kubectl *k = f->of;

	if (k->was_ready)
		kubectl_report(k, "kubectl: port %d of pod %s: %s", f->port,
			       k->pod.name.bytes, k->err.text);
	forward_free(f);
	if (k->state == KUBECTL_KNOWN)
		kubectl_pause(k);
}

static void forward_on_end(void *self)
{
	struct forward *f = self;

	kubectl_set_error(f->of, f->program, "kubectl exited");
	forward_fail(f);
}

static void forward_on_timer(evutil_socket_t fd, short what, void *self)
{
	struct forward *f = self;

	(void)fd;
	(void)what;
	kubectl_set_error(f->of, f->program,
			  "kubectl did not report its port in time");
	forward_fail(f);
}

/* Ends the oldest forward of another port than the target's. */
static void kubectl_make_room(struct kubectl *k)
{
	struct forward *last = NULL;
	size_t count = 0;

	for (struct forward *f = k->forwards; f; f = f->next) {
		count++;
		if (f->port != k->pod.port)
			last = f;
	}
	if (count >= KUBECTL_FORWARDS_MAX && last)
		forward_free(last);
}

static void forward_start(struct kubectl *k, uint16_t port)
{
	struct forward *f = xcalloc(1, sizeof(*f));
	struct text pod = { 0 }, ports = { 0 };
	const char *words[] = { "port-forward", "--address", "127.0.0.1",
				NULL,           NULL,        NULL };
	struct program_plan plan = {
		.on_line = forward_on_line,
		.on_end = forward_on_end,
		.self = f,
	};

	kubectl_make_room(k);
	text_printf(&pod, "pod/%s", k->pod.name.bytes);
	text_printf(&ports, ":%d", port);
	words[3] = pod.bytes;
	words[4] = ports.bytes;
	f->of = k;
	f->port = port;
	f->timer = evtimer_new(k->base, forward_on_timer, f);
	f->next = k->forwards;
	k->forwards = f;
	f->program = kubectl_start(k, words, &plan);
	if (f->program)
		timer_set_ms(f->timer, KUBECTL_START_S * INT64_C(1000));
	else
		forward_fail(f);
	text_release(&pod);
	text_release(&ports);
}

/* Starts the missing forwards, and ends waits for those that work. */
static void kubectl_serve(struct kubectl *k)
{
	struct forward *f;

	if (!forward_find(k, k->pod.port))
		forward_start(k, k->pod.port);
	for (struct kubectl_wait *w = k->waits; w && k->state == KUBECTL_KNOWN;
	     w = w->next) {
		f = forward_find(k, wait_port(w));
		if (w->has_failed)
			continue;
		if (!f)
			forward_start(k, wait_port(w));
		else if (f->local)
			timer_set_ms(w->timer, 0);
	}
}

/* The pod of the target */

/* Fields: name, uid, phase, ends or stays, Ready, and since when. */
#define POD_TEMPLATE                                                           \
	"{{define \"pod\"}}pod {{.metadata.name}} {{.metadata.uid}} "          \
	"{{.status.phase}} {{if .metadata.deletionTimestamp}}ends"             \
	"{{else}}stays{{end}}{{range .status.conditions}}"                     \
	"{{if eq .type \"Ready\"}} {{.status}} {{.lastTransitionTime}}"        \
	"{{end}}{{end}}\n{{range .spec.containers}}{{range .ports}}"           \
	"port {{.containerPort}} {{or .name \"-\"}}\n"                         \
	"{{end}}{{end}}{{end}}"

/* A selector is a list of requirements, as `kubectl get --selector` wants. */
static const char target_template
	[] = "go-template=" POD_TEMPLATE "kind {{.kind}}\n"
	     "{{if eq .kind \"Pod\"}}{{template \"pod\" .}}"
	     "{{else if eq .kind \"Service\" \"ReplicationController\"}}"
	     "{{range $k, $v := .spec.selector}}and {{$k}}={{$v}}\n{{end}}"
	     "{{range .spec.ports}}service {{.port}} {{or .name \"-\"}} "
	     "{{or .targetPort .port}}\n{{end}}"
	     "{{else}}"
	     "{{range $k, $v := .spec.selector.matchLabels}}and {{$k}}={{$v}}\n"
	     "{{end}}"
	     "{{range .spec.selector.matchExpressions}}and "
	     "{{if eq .operator \"DoesNotExist\"}}!{{end}}{{.key}}"
	     "{{if eq .operator \"In\"}} in {{else if eq .operator \"NotIn\"}} "
	     "notin {{end}}{{if .values}}({{range $i, $v := .values}}"
	     "{{if $i}},{{end}}{{$v}}{{end}}){{end}}\n{{end}}{{end}}";

static const char
	pods_template[] = "go-template=" POD_TEMPLATE
			  "{{range .items}}{{template \"pod\" .}}{{end}}";

static void pod_release(struct pod *p)
{
	text_release(&p->name);
	text_release(&p->uid);
	text_release(&p->phase);
	text_release(&p->since);
	*p = (struct pod){ 0 };
}

/* Replaces to by the next word of a line; false if there is none. */
static bool word_next(const char **at, struct text *to)
{
	size_t len = strcspn(*at, " ");

	text_clear(to);
	text_add(to, *at, len);
	*at += len + ((*at)[len] == ' ');
	return len;
}

static bool text_is(const struct text *t, const char *string)
{
	return t->len && strcmp(t->bytes, string) == 0;
}

/* Keeps the row if it is a better pod than those before, and clears it. */
static void row_end(struct kubectl *k)
{
	struct pod *row = &k->row, *best = &k->best;

	if (row->name.len &&
	    (!best->name.len || row->rank > best->rank ||
	     (row->rank == best->rank && row->since.len && best->since.len &&
	      strcmp(row->since.bytes, best->since.bytes) < 0))) {
		pod_release(best);
		*best = *row;
		*row = (struct pod){ 0 };
	}
	pod_release(row);
}

static void row_begin(struct kubectl *k, const char *at)
{
	struct pod *row = &k->row;
	struct text word = { 0 };

	row_end(k);
	word_next(&at, &row->name);
	word_next(&at, &row->uid);
	word_next(&at, &row->phase);
	word_next(&at, &word);
	if (!text_is(&row->phase, "Running"))
		row->rank = POD_NOT_RUNNING;
	else if (text_is(&word, "ends"))
		row->rank = POD_ENDING;
	else if (k->pod.uid.len && text_is(&row->uid, k->pod.uid.bytes))
		row->rank = POD_SAME;
	else if (word_next(&at, &word) && text_is(&word, "True"))
		row->rank = POD_READY;
	else
		row->rank = POD_NOT_READY;
	word_next(&at, &row->since);
	if (k->wanted.len)
		port_number(k->wanted.bytes, &row->port);
	text_release(&word);
}

/* "port 9010 jmx", of the pod in the row. */
static void row_read_port(struct kubectl *k, const char *at)
{
	struct text number = { 0 }, name = { 0 };

	word_next(&at, &number);
	if (word_next(&at, &name) && number.len && k->wanted.len &&
	    strcmp(name.bytes, k->wanted.bytes) == 0)
		port_number(number.bytes, &k->row.port);
	text_release(&number);
	text_release(&name);
}

/* "service 80 http 8080": the target's port and the pod's. */
static void service_read_port(struct kubectl *k, const char *at)
{
	struct text number = { 0 }, name = { 0 };

	word_next(&at, &number);
	word_next(&at, &name);
	text_printf(&k->ports, "%s%s", k->ports.len ? ", " : "",
		    number.len ? number.bytes : "");
	if (text_is(&number, k->port) || text_is(&name, k->port))
		word_next(&at, &k->wanted);
	text_release(&number);
	text_release(&name);
}

static void reader_on_line(void *self, const char *line)
{
	struct kubectl *k = self;
	struct text word = { 0 };

	word_next(&line, &word);
	if (text_is(&word, "pod"))
		row_begin(k, line);
	else if (text_is(&word, "port"))
		row_read_port(k, line);
	else if (text_is(&word, "service"))
		service_read_port(k, line);
	else if (text_is(&word, "and"))
		text_printf(&k->selector, "%s%s", k->selector.len ? "," : "",
			    line);
	else if (text_is(&word, "kind") && word_next(&line, &k->kind) &&
		 strcmp(k->kind.bytes, "Service") != 0)
		text_puts(&k->wanted, k->port);
	text_release(&word);
}

static void reader_end(struct kubectl *k)
{
	program_end(k->reader);
	k->reader = NULL;
	evtimer_del(k->timer);
}

/* Handles a failure to find the pod, whose reason is in k->err. */
static void reader_fail(struct kubectl *k)
{
	reader_end(k);
	kubectl_keep_error(k);
	if (k->was_ready)
		kubectl_report(k, "kubectl: %s: %s; trying again in %u.%02u s",
			       k->target, k->err.text, k->pause_ms / 1000,
			       k->pause_ms % 1000 / 10);
	kubectl_pause(k);
}

/* Fails the waits for ports that the previous pod had named. */
static void kubectl_drop_pod(struct kubectl *k)
{
	while (k->forwards)
		forward_free(k->forwards);
	fail(&k->err, ERROR_REFUSED,
	     "the pod was replaced; JMX clients must connect again");
	kubectl_keep_error(k);
	for (struct kubectl_wait *w = k->waits; w; w = w->next)
		if (w->port) {
			w->has_failed = true;
			timer_set_ms(w->timer, 0);
		}
}

static void reader_take_pod(struct kubectl *k)
{
	bool is_new = !k->pod.uid.len ||
		      strcmp(k->pod.uid.bytes, k->best.uid.bytes) != 0;

	reader_end(k);
	if (is_new && k->pod.uid.len) {
		kubectl_drop_pod(k);
		k->replacements++;
		kubectl_report(k, "kubectl: pod %s was replaced by pod %s",
			       k->pod.name.bytes, k->best.name.bytes);
	} else if (is_new && strcmp(k->target, k->best.name.bytes) != 0) {
		kubectl_report(k, "kubectl: %s: using pod %s", k->target,
			       k->best.name.bytes);
	}
	pod_release(&k->pod);
	k->pod = k->best;
	k->best = (struct pod){ 0 };
	k->state = KUBECTL_KNOWN;
	kubectl_serve(k);
}

/* Checks the best pod; -1 and k->err if it cannot be forwarded. */
static int reader_check_pod(struct kubectl *k)
{
	const struct pod *best = &k->best;

	if (!best->uid.len)
		return fail(&k->err, ERROR_REFUSED, "no pod has its labels");
	if (best->rank == POD_NOT_RUNNING)
		return fail(&k->err, ERROR_REFUSED, "pod %s is not running: %s",
			    best->name.bytes, best->phase.bytes);
	if (best->rank == POD_ENDING && k->pod.uid.len &&
	    strcmp(best->uid.bytes, k->pod.uid.bytes) == 0)
		return fail(&k->err, ERROR_REFUSED, "pod %s is ending",
			    best->name.bytes);
	if (!best->port)
		return fail(&k->err, ERROR_REFUSED,
			    "pod %s has no port named '%s'", best->name.bytes,
			    k->wanted.bytes);
	return 0;
}

static void reader_start(struct kubectl *k, const char *const *words);

static void reader_on_end(void *self)
{
	struct kubectl *k = self;
	bool is_pod = text_is(&k->kind, "Pod");
	const char *words[] = {
		"get", "pods", NULL, "-o", pods_template, NULL
	};
	struct text selector = { 0 };

	row_end(k);
	if (program_failed(k->reader) || !k->kind.len) {
		kubectl_set_error(k, k->reader, "kubectl exited");
		reader_fail(k);
	} else if (is_pod || text_is(&k->kind, "List")) {
		if (reader_check_pod(k))
			reader_fail(k);
		else
			reader_take_pod(k);
	} else if (!k->selector.len) {
		fail(&k->err, ERROR_REFUSED, "it selects no pods; name a pod");
		reader_fail(k);
	} else if (!k->wanted.len) {
		fail(&k->err, ERROR_REFUSED,
		     "the service has no port %s; its ports: %s", k->port,
		     k->ports.len ? k->ports.bytes : "none");
		reader_fail(k);
	} else {
		reader_end(k);
		text_printf(&selector, "--selector=%s", k->selector.bytes);
		words[2] = selector.bytes;
		text_clear(&k->kind);
		text_puts(&k->kind, "List");
		reader_start(k, words);
		text_release(&selector);
	}
}

static void reader_start(struct kubectl *k, const char *const *words)
{
	struct program_plan plan = {
		.on_line = reader_on_line,
		.on_end = reader_on_end,
		.self = k,
	};

	k->state = KUBECTL_READING;
	k->reader = kubectl_start(k, words, &plan);
	if (k->reader)
		timer_set_ms(k->timer, KUBECTL_START_S * INT64_C(1000));
	else
		reader_fail(k);
}

static void kubectl_read_target(struct kubectl *k)
{
	struct text target = { 0 };
	const char *words[] = { "get", NULL, "-o", target_template, NULL };

	text_clear(&k->kind);
	text_clear(&k->selector);
	text_clear(&k->wanted);
	text_clear(&k->ports);
	pod_release(&k->best);
	text_printf(&target, "%s%s", strchr(k->target, '/') ? "" : "pod/",
		    k->target);
	words[1] = target.bytes;
	reader_start(k, words);
	text_release(&target);
}

static void kubectl_on_timer(evutil_socket_t fd, short what, void *self)
{
	struct kubectl *k = self;

	(void)fd;
	(void)what;
	if (!k->reader) {
		kubectl_read_target(k);
		return;
	}
	kubectl_set_error(k, k->reader, "kubectl did not reply in time");
	reader_fail(k);
}

static char *copy_of(const char *text) { return text ? xstrdup(text) : NULL; }

struct kubectl *kubectl_new(struct event_base *base,
			    const struct kubectl_options *options)
{
	struct kubectl *k = xcalloc(1, sizeof(*k));

	k->base = base;
	/* A forward that is replaced may still be ending. */
	k->all = programs_new(base, (size_t)2 * KUBECTL_FORWARDS_MAX);
	k->options = *options;
	k->target = xstrdup(options->pod);
	k->port = xstrdup(options->port);
	k->namespace = copy_of(options->namespace);
	k->context = copy_of(options->context);
	k->kubeconfig = copy_of(options->kubeconfig);
	k->pause_ms = PAUSE_FIRST_MS;
	k->timer = evtimer_new(base, kubectl_on_timer, k);
	return k;
}

void kubectl_free(struct kubectl *k)
{
	if (!k)
		return;
	while (k->waits)
		wait_drop(k->waits);
	while (k->forwards)
		forward_free(k->forwards);
	reader_end(k);
	programs_free(k->all);
	event_free(k->timer);
	pod_release(&k->pod);
	pod_release(&k->row);
	pod_release(&k->best);
	text_release(&k->kind);
	text_release(&k->selector);
	text_release(&k->wanted);
	text_release(&k->ports);
	free(k->target);
	free(k->port);
	free(k->namespace);
	free(k->context);
	free(k->kubeconfig);
	free(k);
}

uint16_t kubectl_port(const struct kubectl *k) { return k->pod.port; }

unsigned kubectl_replacements(const struct kubectl *k)
{
	return k->replacements;
}

void kubectl_doubt(struct kubectl *k)
{
	if (k->state == KUBECTL_KNOWN)
		kubectl_read_target(k);
}

struct kubectl_wait *kubectl_request(struct kubectl *k, uint16_t port,
				     int64_t timeout_ns, kubectl_ready_fn *fn,
				     void *self)
{
	struct kubectl_wait *w = xcalloc(1, sizeof(*w));

	*w = (struct kubectl_wait){
		.next = k->waits,
		.on = k,
		.port = port,
		.fn = fn,
		.self = self,
	};
	k->waits = w;
	w->timer = evtimer_new(k->base, wait_on_timer, w);
	timer_set_ms(w->timer, timeout_ns / CLOCK_NS_PER_MS);
	if (k->state == KUBECTL_UNKNOWN)
		kubectl_read_target(k);
	else if (k->state == KUBECTL_KNOWN)
		kubectl_serve(k);
	return w;
}

void kubectl_cancel(struct kubectl_wait *w) { wait_drop(w); }
