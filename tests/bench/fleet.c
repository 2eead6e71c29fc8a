/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fleet NODES PUSH-BYTES INTERVAL-SECONDS
 *
 * Simulates a fleet whose nodes push to one backend that is away for an hour.
 * Each node has the queue of core/push/push.c itself, linked with a clock, a
 * source of random numbers and a sending process of this file. Prints a row for
 * each way in which a backend is away.
 */
#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/push/push.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECONDS(n) ((int64_t)(n)*CLOCK_NS_PER_S)

/* The backend is away in [AWAY_S, BACK_S). */
enum { AWAY_S = 600, BACK_S = AWAY_S + 3600, END_S = BACK_S + 5400 };

/* A node sees that the wait is over this late. */
#define POLL_NS SECONDS(1)
/* One request: the way there and back, and 100 Mbit/s. */
#define LATENCY_NS (20 * CLOCK_NS_PER_MS)
enum { BYTES_PER_S = 12500000, TIMEOUT_S = 10 };

enum absence { AWAY_REFUSED, AWAY_HANGING, AWAY_DATE, AWAY_NOT };

static const struct scenario {
	const char *name;
	enum absence absence;
	double capacity; /* of the backend, in mean rates; 0 = unlimited */
	bool is_started_together;
} scenarios[] = {
	{ "not away, nodes start at random", AWAY_NOT, 0, false },
	{ "not away, all start in a second", AWAY_NOT, 0, true },
	{ "connection refused", AWAY_REFUSED, 0, false },
	{ "no response in 10 s", AWAY_HANGING, 0, false },
	{ "503, all return at one time", AWAY_DATE, 0, false },
	{ "refused; then takes 3 x the mean", AWAY_REFUSED, 3, false },
	{ "refused; then takes 1.5 x", AWAY_REFUSED, 1.5, false },
};

struct node {
	struct push *push;
	size_t bytes; /* of each request */
	int64_t window_ns;
	int64_t wake_ns; /* the key of the heap */
	bool is_sending;
	int64_t reply_ns;
	struct push_reply *reply; /* one of the replies below */
};

static struct {
	const struct scenario *scenario;
	struct node *nodes;
	struct node **heap; /* by wake_ns */
	size_t count;
	int64_t interval_ns, now_ns;
	double mean; /* bytes a second */
	uint64_t random;
	struct node *opening;
	/* The backend, by the second. */
	struct {
		uint32_t requests, refused;
		uint64_t arrived, taken;
	} seconds[END_S + 1];
	uint64_t backlog[END_S + 1]; /* requests in all queues */
} sim;

static struct push_reply reply_taken = { .is_sent = true, .status = 200 };
static struct push_reply reply_none = { .problem = "no response" };
static struct push_reply reply_busy = { .is_sent = true, .status = 429 };
static struct push_reply reply_date = { .is_sent = true, .status = 503 };

static uint64_t sim_random(void)
{
	sim.random ^= sim.random << 13;
	sim.random ^= sim.random >> 7;
	sim.random ^= sim.random << 17;
	return sim.random;
}

/* ---- in place of the clock, the kernel and push_sender.c ---- */

/* The linker's option --wrap gives these the calls of push.c. */
int64_t __wrap_clock_monotonic_ns(void);
ssize_t __wrap_getrandom(void *to, size_t len, unsigned flags);
struct push_sender *__wrap_push_sender_open(const struct push_settings *s,
					    struct error *err);
void __wrap_push_sender_close(struct push_sender *s);
int __wrap_push_sender_start(struct push_sender *s, const struct text *body,
			     const char *name, struct error *err);
const struct push_reply *__wrap_push_sender_reply(struct push_sender *s,
						  int64_t until_ns);

int64_t __wrap_clock_monotonic_ns(void) { return sim.now_ns; }

ssize_t __wrap_getrandom(void *to, size_t len, unsigned flags)
{
	uint64_t random = sim_random();

	(void)flags;
	memcpy(to, &random, len < sizeof(random) ? len : sizeof(random));
	return (ssize_t)len;
}

struct push_sender *__wrap_push_sender_open(const struct push_settings *s,
					    struct error *err)
{
	(void)s, (void)err;
	return (struct push_sender *)sim.opening;
}

void __wrap_push_sender_close(struct push_sender *s) { (void)s; }

/* The backend decides when the request has arrived. */
static struct push_reply *engine_take(size_t bytes, int64_t *reply_ns)
{
	const struct scenario *s = sim.scenario;
	bool is_away = s->absence != AWAY_NOT &&
		       sim.now_ns >= SECONDS(AWAY_S) &&
		       sim.now_ns < SECONDS(BACK_S);
	size_t at;

	if (is_away && s->absence == AWAY_REFUSED) {
		*reply_ns = sim.now_ns + LATENCY_NS / 10;
		return &reply_none;
	}
	if (is_away && s->absence == AWAY_HANGING) {
		*reply_ns = sim.now_ns + SECONDS(TIMEOUT_S);
		return &reply_none;
	}
	*reply_ns = sim.now_ns + LATENCY_NS +
		    (int64_t)bytes * CLOCK_NS_PER_S / BYTES_PER_S;
	if (*reply_ns >= SECONDS(END_S))
		return &reply_taken;
	at = (size_t)(*reply_ns / CLOCK_NS_PER_S);
	sim.seconds[at].requests++;
	sim.seconds[at].arrived += bytes;
	if (is_away) {
		reply_date.retry_after_s = (SECONDS(BACK_S) - sim.now_ns) /
					   CLOCK_NS_PER_S;
		sim.seconds[at].refused++;
		return &reply_date;
	}
	if (s->capacity > 0 &&
	    (double)(sim.seconds[at].taken + bytes) > s->capacity * sim.mean) {
		sim.seconds[at].refused++;
		return &reply_busy;
	}
	sim.seconds[at].taken += bytes;
	return &reply_taken;
}

int __wrap_push_sender_start(struct push_sender *s, const struct text *body,
			     const char *name, struct error *err)
{
	struct node *n = (struct node *)s;

	(void)name, (void)err;
	n->reply = engine_take(body->len, &n->reply_ns);
	n->is_sending = true;
	return 0;
}

const struct push_reply *__wrap_push_sender_reply(struct push_sender *s,
						  int64_t until_ns)
{
	struct node *n = (struct node *)s;

	(void)until_ns;
	if (sim.now_ns < n->reply_ns)
		return NULL;
	n->is_sending = false;
	return n->reply;
}

/* ---- the nodes ---- */

static void heap_sift(size_t at)
{
	struct node *n = sim.heap[at];

	for (;;) {
		size_t next = 2 * at + 1;

		if (next + 1 < sim.count &&
		    sim.heap[next + 1]->wake_ns < sim.heap[next]->wake_ns)
			next++;
		if (next >= sim.count || n->wake_ns <= sim.heap[next]->wake_ns)
			break;
		sim.heap[at] = sim.heap[next];
		at = next;
	}
	sim.heap[at] = n;
}

static void node_ignore_notice(void *self, bool is_loss, const char *text)
{
	(void)self, (void)is_loss, (void)text;
}

static void node_start(struct node *n, const struct push_settings *s,
		       size_t bytes)
{
	struct error err;

	*n = (struct node){ 0 };
	/* Nodes differ: from a half to one and a half of the mean. */
	n->bytes = bytes / 2 + (size_t)(sim_random() % bytes);
	sim.opening = n;
	n->push = push_open(s, node_ignore_notice, NULL, &err);
	n->window_ns = (int64_t)(sim_random() %
				 (uint64_t)(sim.scenario->is_started_together
						    ? SECONDS(1)
						    : sim.interval_ns)) +
		       push_first_interval_ns(sim.interval_ns);
	n->wake_ns = n->window_ns;
}

/* What prof does when it wakes up. */
static void node_wake(struct node *n)
{
	if (n->window_ns <= sim.now_ns) {
		/* The body is never read. */
		struct text body = { .len = n->bytes };

		push_add(n->push, &body, NULL, "", 1);
		n->window_ns += sim.interval_ns;
	}
	push_step(n->push);
	n->wake_ns = n->window_ns;
	if (n->is_sending && n->reply_ns < n->wake_ns)
		n->wake_ns = n->reply_ns;
	else if (!n->is_sending && push_counts(n->push).queued &&
		 sim.now_ns + POLL_NS < n->wake_ns)
		n->wake_ns = sim.now_ns + POLL_NS;
}

static void sim_run(const struct push_settings *s, size_t bytes)
{
	int64_t next_ns = 0;

	memset(sim.seconds, 0, sizeof(sim.seconds));
	sim.random = UINT64_C(88172645463325252);
	sim.now_ns = 0;
	for (size_t i = 0; i < sim.count; i++) {
		node_start(&sim.nodes[i], s, bytes);
		sim.heap[i] = &sim.nodes[i];
	}
	for (size_t i = sim.count; i-- > 0;)
		heap_sift(i);
	while (sim.heap[0]->wake_ns < SECONDS(END_S)) {
		sim.now_ns = sim.heap[0]->wake_ns;
		for (; next_ns <= sim.now_ns; next_ns += SECONDS(10)) {
			uint64_t *sum = &sim.backlog[next_ns / CLOCK_NS_PER_S];

			*sum = 0;
			for (size_t i = 0; i < sim.count; i++)
				*sum += push_counts(sim.nodes[i].push).queued;
		}
		node_wake(sim.heap[0]);
		heap_sift(0);
	}
}

/* ---- the table ---- */

struct peak {
	double requests, bytes; /* a second */
};

/* The largest mean of `width` seconds in [from, to). */
static struct peak table_peak(int from, int to, int width)
{
	struct peak peak = { 0 };

	for (int i = from; i + width <= to; i++) {
		struct peak sum = { 0 };

		for (int k = i; k < i + width; k++) {
			sum.requests += sim.seconds[k].requests;
			sum.bytes += (double)sim.seconds[k].arrived;
		}
		if (sum.requests / width > peak.requests)
			peak.requests = sum.requests / width;
		if (sum.bytes / width > peak.bytes)
			peak.bytes = sum.bytes / width;
	}
	return peak;
}

/* Minutes after which no more requests wait than a twentieth of the nodes. */
static void table_add_minutes(void)
{
	int last = -1;

	for (int i = BACK_S; i < END_S; i += 10)
		if (sim.backlog[i] > sim.count / 20)
			last = i;
	if (last >= END_S - 10)
		printf(" %6s%d", ">", (END_S - BACK_S) / 60);
	else
		printf(" %8.1f", last < 0 ? 0 : (last + 10 - BACK_S) / 60.0);
}

static void table_add_row(void)
{
	bool is_away = sim.scenario->absence != AWAY_NOT;
	int from = is_away ? BACK_S : AWAY_S;
	struct peak second = table_peak(from, END_S, 1),
		    ten = table_peak(from, END_S, 10);
	double rate = (double)sim.count * (double)CLOCK_NS_PER_S /
		      (double)sim.interval_ns;
	uint64_t too_old = 0, too_many = 0, made = 0, requests = 0, refused = 0;

	for (size_t i = 0; i < sim.count; i++) {
		struct push_counts c = push_counts(sim.nodes[i].push);

		too_old += c.too_old;
		too_many += c.too_many;
		made += c.delivered + c.too_old + c.too_many + c.queued;
	}
	for (int i = from; i < END_S; i++) {
		requests += sim.seconds[i].requests;
		refused += sim.seconds[i].refused;
	}
	printf("%-33s %7.0f %6.1f %8.1f %6.1f", sim.scenario->name,
	       second.requests, second.requests / rate, second.bytes / 1e6,
	       ten.bytes / sim.mean);
	table_add_minutes();
	printf(" %7.2f %7.2f %7.1f\n", 100.0 * (double)too_many / (double)made,
	       100.0 * (double)too_old / (double)made,
	       requests ? 100.0 * (double)refused / (double)requests : 0);
}

int main(int argc, char **argv)
{
	struct push_settings settings = { .queue_bytes = (size_t)32 << 20,
					  .queue_ns = SECONDS(3600),
					  .shown_url = "engine" };
	size_t bytes = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;

	sim.count = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	sim.interval_ns = SECONDS(argc > 3 ? strtol(argv[3], NULL, 10) : 30);
	if (!sim.count || !bytes || sim.interval_ns < SECONDS(1)) {
		fprintf(stderr, "usage: fleet NODES PUSH-BYTES [SECONDS]\n");
		return 2;
	}
	sim.nodes = xcalloc(sim.count, sizeof(*sim.nodes));
	sim.heap = xcalloc(sim.count, sizeof(*sim.heap));
	sim.mean = (double)sim.count * (double)bytes * (double)CLOCK_NS_PER_S /
		   (double)sim.interval_ns;
	printf("%zu nodes, %zu bytes each %" PRId64 " s: %.0f requests/s, "
	       "%.1f MB/s, %.2f TB a day\n",
	       sim.count, bytes, sim.interval_ns / CLOCK_NS_PER_S,
	       (double)sim.count * (double)CLOCK_NS_PER_S /
		       (double)sim.interval_ns,
	       sim.mean / 1e6, sim.mean * 86400 / 1e12);
	printf("%-33s %7s %6s %8s %6s %8s %7s %7s %7s\n", "", "peak/s",
	       "x mean", "MB/s", "10 s x", "minutes", "full %", "old %",
	       "busy %");
	for (size_t i = 0; i < sizeof(scenarios) / sizeof(*scenarios); i++) {
		sim.scenario = &scenarios[i];
		sim_run(&settings, bytes);
		table_add_row();
		fflush(stdout);
		for (size_t k = 0; k < sim.count; k++)
			push_close(sim.nodes[k].push);
	}
	free(sim.nodes);
	free(sim.heap);
	return 0;
}
