/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tests use a fake kubectl in PATH, a shell script that prints what kubectl
 * prints.
 */
#include "jmx_http/net/kubectl.h"

#include "core/base/clock.h"
#include "core/base/text.h"

// clang-format off
#include <stdarg.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATIENCE_S 60

struct heard {
	struct event_base *base;
	struct kubectl *k;
	struct text said;
	char folder[64];
	struct text old_path;
	int answers;
	uint16_t local;
	struct error err;
};

static void take_saying(void *self, const char *line)
{
	struct heard *h = self;

	text_puts(&h->said, line);
	text_putc(&h->said, '\n');
}

static void take_answer(void *self, uint16_t local, const struct error *err)
{
	struct heard *h = self;

	h->answers++;
	h->local = local;
	if (!local)
		h->err = *err;
}

static void too_late(evutil_socket_t fd, short what, void *self)
{
	(void)fd;
	(void)what;
	(void)self;
	fail_msg("nothing happened for %d s", PATIENCE_S);
}

static void turn(struct heard *h)
{
	struct timeval patience = { .tv_sec = PATIENCE_S };
	struct event *timer = evtimer_new(h->base, too_late, NULL);

	evtimer_add(timer, &patience);
	event_base_loop(h->base, EVLOOP_ONCE);
	event_free(timer);
}

static void path_of(const struct heard *h, const char *name, struct text *path)
{
	text_printf(path, "%s/%s", h->folder, name);
}

/* Sets the script that is kubectl from now on; it runs in the directory. */
static void stand_in(const struct heard *h, const char *script)
{
	struct text path = { 0 };
	FILE *f;

	path_of(h, "kubectl", &path);
	unlink(path.bytes);
	f = fopen(path.bytes, "w");
	assert_non_null(f);
	fprintf(f,
		"#!/bin/sh\ncd %s\n"
		/* Without a file, kubectl get prints one pod. */
		"[ $1 != get ] || { echo \"$2 $3\" >>gets\n"
		"[ ! -e get ] || { . ./get; exit; }\n"
		"echo kind Pod; echo pod web-0 uid-1 Running stays True x\n"
		"exit; }\n%s\n",
		h->folder, script);
	assert_int_equal(fchmod(fileno(f), 0700), 0);
	fclose(f);
	text_release(&path);
}

static void set_up_target(struct heard *h, const char *script, const char *pod,
			  const char *port)
{
	struct kubectl_options options = {
		.pod = pod,
		.port = port,
		.namespace = "shop",
		.report = take_saying,
		.self = h,
	};
	struct text path = { 0 };

	*h = (struct heard){ .base = event_base_new(),
			     .folder = "/tmp/sjkc-kubectl-XXXXXX" };
	assert_non_null(mkdtemp(h->folder));
	text_puts(&h->old_path, getenv("PATH"));
	text_printf(&path, "%s:%s", h->folder, h->old_path.bytes);
	setenv("PATH", path.bytes, 1);
	text_release(&path);
	h->k = kubectl_new(h->base, &options);
	if (script)
		stand_in(h, script);
}

static void set_up(struct heard *h, const char *script)
{
	set_up_target(h, script, "web-0", "9010");
}

/* Writes what kubectl get does, as a script; see stand_in(). */
static void set_get(const struct heard *h, const char *script)
{
	struct text path = { 0 };
	FILE *f;

	path_of(h, "get", &path);
	f = fopen(path.bytes, "w");
	assert_non_null(f);
	fputs(script, f);
	fclose(f);
	text_release(&path);
}

static void tear_down(struct heard *h)
{
	static const char *const names[] = { "kubectl", "args", "drop",
					     "runs",    "get",  "gets" };

	kubectl_free(h->k);
	event_base_free(h->base);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct text path = { 0 };

		path_of(h, names[i], &path);
		unlink(path.bytes);
		text_release(&path);
	}
	assert_int_equal(rmdir(h->folder), 0);
	setenv("PATH", h->old_path.bytes, 1);
	text_release(&h->old_path);
	text_release(&h->said);
}

static void ask(struct heard *h, uint16_t port)
{
	int before = h->answers;

	h->local = 0;
	kubectl_request(h->k, port, PATIENCE_S * CLOCK_NS_PER_S, take_answer,
			h);
	assert_int_equal(h->answers, before);
	while (h->answers == before)
		turn(h);
}

static void until_said(struct heard *h, const char *what)
{
	while (!h->said.len || !strstr(h->said.bytes, what))
		turn(h);
}

static void assert_file_has(const struct heard *h, const char *name,
			    const char *expected)
{
	struct text path = { 0 };
	char bytes[512] = "";
	FILE *f;

	path_of(h, name, &path);
	f = fopen(path.bytes, "r");
	assert_non_null(f);
	assert_true(fread(bytes, 1, sizeof(bytes) - 1, f) > 0);
	fclose(f);
	text_release(&path);
	assert_string_equal(bytes, expected);
}

#define FORWARDS                                                               \
	"for port; do case $port in :*) break; esac; done\n"                   \
	"echo \"Forwarding from 127.0.0.1:2${port#:} -> ${port#:}\"\n"         \
	"exec sleep 1000"

static void port_is_forwarded_once_for_all_waits(void **state)
{
	struct heard h;

	(void)state;
	set_up(&h, "echo \"$*\" >>args\n"
		   "echo 'Forwarding from 127.0.0.1:41234 -> 80'\n"
		   "echo 'Handling connection for 41234'\n"
		   "exec sleep 1000");
	ask(&h, 0);
	assert_int_equal(h.local, 41234);
	ask(&h, 9010);
	assert_int_equal(h.local, 41234);
	assert_int_equal(kubectl_port(h.k), 9010);
	assert_file_has(&h, "args",
			"port-forward --address 127.0.0.1 pod/web-0 :9010 "
			"--namespace=shop\n");
	assert_file_has(&h, "gets", "pod/web-0 -o\n");
	assert_string_equal(h.said.bytes,
			    "kubectl: port 9010 of pod web-0: forwarded from "
			    "127.0.0.1:41234\n");
	tear_down(&h);
}

static void each_port_has_a_forward_and_the_oldest_ends(void **state)
{
	struct heard h;

	(void)state;
	set_up(&h, "echo x >>runs\n" FORWARDS);
	for (uint16_t port = 9010; port < 9012 + KUBECTL_FORWARDS_MAX; port++) {
		ask(&h, port);
		assert_int_equal(h.local, 20000 + port);
	}
	/* Of 10 ports, 9011 and 9012 are no longer forwarded, but 9010 is. */
	ask(&h, 9010);
	assert_file_has(&h, "runs", "x\nx\nx\nx\nx\nx\nx\nx\nx\nx\n");
	ask(&h, 9011);
	assert_int_equal(h.local, 29011);
	assert_file_has(&h, "runs", "x\nx\nx\nx\nx\nx\nx\nx\nx\nx\nx\n");
	tear_down(&h);
}

static void missing_pod_is_reported_at_once(void **state)
{
	struct heard h;

	(void)state;
	set_up(&h, FORWARDS);
	set_get(&h, "echo 'Error from server (NotFound): pods \"web-0\" not "
		    "found' >&2; exit 1");
	ask(&h, 0);
	assert_int_equal(h.local, 0);
	assert_int_equal(h.err.kind, ERROR_REFUSED);
	assert_string_equal(h.err.text,
			    "kubectl: web-0: pods \"web-0\" not found; check "
			    "the name, --namespace and --context");
	/* A later request succeeds. */
	set_get(&h, "echo kind Pod; echo pod web-0 u Running stays");
	ask(&h, 0);
	assert_int_equal(h.local, 29010);
	tear_down(&h);
}

static void missing_kubectl_is_reported(void **state)
{
	struct heard h;

	(void)state;
	set_up(&h, NULL);
	setenv("PATH", h.folder, 1);
	ask(&h, 0);
	assert_int_equal(h.local, 0);
	assert_int_equal(h.err.kind, ERROR_UNAVAILABLE);
	assert_non_null(strstr(h.err.text, "kubectl: No such file"));
	tear_down(&h);
}

static void service_is_resolved_to_the_longest_ready_pod(void **state)
{
	struct heard h;

	(void)state;
	set_up_target(&h, FORWARDS, "service/shop", "80");
	set_get(&h, "case $3 in --selector*) cat <<'END'\n"
		    "pod shop-1 u1 Pending stays\n"
		    "pod shop-2 u2 Running stays False 2026-01-01T00:00:00Z\n"
		    "pod shop-3 u3 Running ends True 2026-01-01T00:00:00Z\n"
		    "pod shop-4 u4 Running stays True 2026-01-03T00:00:00Z\n"
		    "port 8080 -\nport 9014 jmx\n"
		    "pod shop-5 u5 Running stays True 2026-01-02T00:00:00Z\n"
		    "port 9015 jmx\nport 8080 -\n"
		    "pod shop-6 u6 Running stays True 2026-01-03T00:00:00Z\n"
		    "END\n;; *) cat <<'END'\n"
		    "kind Service\nand app=shop\nand tier in (a,b)\n"
		    "service 81 other 1\nservice 80 http jmx\n"
		    "END\nesac\n");
	ask(&h, 0);
	assert_int_equal(h.local, 29015);
	assert_int_equal(kubectl_port(h.k), 9015);
	assert_file_has(&h, "gets",
			"service/shop -o\n"
			"pods --selector=app=shop,tier in (a,b)\n");
	assert_non_null(strstr(h.said.bytes,
			       "kubectl: service/shop: using pod shop-5\n"));
	tear_down(&h);
}

static void unusable_targets_are_explained(void **state)
{
	static const struct {
		const char *get, *expected;
	} cases[] = {
		{ "echo kind Service; echo and a=b; echo service 80 - 80\n"
		  "echo service 81 - 81",
		  "the service has no port jmx; its ports: 80, 81" },
		{ "echo kind CronJob", "it selects no pods; name a pod" },
		{ "[ $2 = pods ] || { echo kind Deployment; echo and a=b; }",
		  "no pod has its labels" },
		{ "echo kind Pod; echo pod web-0 u Running stays True x\n"
		  "echo port 80 http",
		  "pod web-0 has no port named 'jmx'" },
		{ "echo kind Pod; echo pod web-0 u Pending stays",
		  "pod web-0 is not running: Pending" },
		{ "echo 'The connection to the server localhost:8080 was "
		  "refused - did you specify the right host or port?' >&2\n"
		  "exit 1",
		  "kubectl has no configuration of a cluster; use "
		  "--kubeconfig" },
		{ "echo 'error: context \"k\" does not exist' >&2; exit 1",
		  "context \"k\" does not exist" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct text expected = { 0 };
		struct heard h;

		set_up_target(&h, FORWARDS, "x/y", "jmx");
		set_get(&h, cases[i].get);
		ask(&h, 0);
		text_printf(&expected, "kubectl: x/y: %s", cases[i].expected);
		assert_int_equal(h.local, 0);
		assert_string_equal(h.err.text, expected.bytes);
		text_release(&expected);
		tear_down(&h);
	}
}

#define FORWARDS_UNTIL_DROP                                                    \
	"for port; do case $port in :*) break; esac; done\n"                   \
	"echo \"$4 $port\" >>runs\n"                                           \
	"echo \"Forwarding from 127.0.0.1:2${port#:} -> ${port#:}\"\n"         \
	"until [ -e drop ]; do sleep 0.05; done; rm drop\n"                    \
	"echo 'E1128 07:03:39.447659 974 portforward.go:424] "                 \
	"\"Unhandled Error\" err=\"an error occurred forwarding 1 -> "         \
	"9011: error forwarding port: dial tcp4 127.0.0.1:9011: "              \
	"connect: connection refused\"' >&2\n"                                 \
	"echo 'error: lost connection to pod' >&2; exit 1"

static void drop(const struct heard *h)
{
	struct text path = { 0 };

	path_of(h, "drop", &path);
	fclose(fopen(path.bytes, "w"));
	text_release(&path);
}

static void lost_forward_is_restarted_for_the_same_pod(void **state)
{
	struct text why = { 0 };
	struct heard h;

	(void)state;
	set_up(&h, FORWARDS_UNTIL_DROP);
	ask(&h, 0);
	drop(&h);
	until_said(&h, "port 9010 of pod web-0: nothing listens on this port "
		       "in the pod\n");
	kubectl_why(h.k, &why);
	assert_string_equal(why.bytes,
			    "nothing listens on this port in the pod");
	text_release(&why);
	ask(&h, 0);
	assert_int_equal(h.local, 29010);
	assert_null(strstr(h.said.bytes, "replaced"));
	tear_down(&h);
}

static void replaced_pod_gets_new_forwards(void **state)
{
	struct heard h;

	(void)state;
	set_up(&h, FORWARDS_UNTIL_DROP);
	ask(&h, 0);
	ask(&h, 9011);
	/* The pod is absent at first. */
	set_get(&h, "n=$(wc -l <gets)\n"
		    "[ $n -gt 3 ] || { echo 'no pod' >&2; exit 1; }\n"
		    "echo kind Pod; echo pod web-0 uid-2 Running stays True x");
	drop(&h);
	until_said(&h, "kubectl: web-0: kubectl: exit status 1: no pod; "
		       "trying again in 0.50 s\n");
	/* The port of the previous pod's JVM, and the target's. */
	kubectl_request(h.k, 9011, PATIENCE_S * CLOCK_NS_PER_S, take_answer,
			&h);
	while (h.answers < 3)
		turn(&h);
	assert_int_equal(h.local, 0);
	assert_string_equal(h.err.text,
			    "kubectl: web-0: the pod was replaced; JMX "
			    "clients must connect again");
	ask(&h, 0);
	assert_int_equal(h.local, 29010);
	assert_non_null(strstr(h.said.bytes, "kubectl: pod web-0 was replaced "
					     "by pod web-0\n"));
	assert_file_has(&h, "runs",
			"pod/web-0 :9010\npod/web-0 :9011\n"
			"pod/web-0 :9010\n");
	tear_down(&h);
}

static void doubt_reads_the_pod_again_before_the_next_wait_ends(void **state)
{
	struct heard h;

	(void)state;
	set_up(&h, FORWARDS_UNTIL_DROP);
	ask(&h, 0);
	kubectl_doubt(h.k);
	ask(&h, 0);
	assert_int_equal(h.local, 29010);
	assert_file_has(&h, "gets", "pod/web-0 -o\npod/web-0 -o\n");
	assert_file_has(&h, "runs", "pod/web-0 :9010\n");
	/* Another pod of this name, although the forward has not ended. */
	set_get(&h, "echo kind Pod; echo pod web-0 uid-2 Running stays");
	kubectl_doubt(h.k);
	ask(&h, 0);
	assert_file_has(&h, "runs", "pod/web-0 :9010\npod/web-0 :9010\n");
	tear_down(&h);
}

static void wait_for_a_forward_times_out(void **state)
{
	struct kubectl_wait *w;
	struct heard h;

	(void)state;
	/* Invalid addresses, and garbage. */
	set_up(&h, "echo 'Forwarding from 127.0.0.1:99999 -> 9010'\n"
		   "echo 'Forwarding from 127.0.0.1:1 - 9011'\n"
		   "echo 'Forwarding from [::1]:41234 -> 9010'\n"
		   "head -c 300 /dev/urandom\n"
		   "exec sleep 1000");
	kubectl_request(h.k, 0, CLOCK_NS_PER_S / 2, take_answer, &h);
	while (!h.answers)
		turn(&h);
	assert_int_equal(h.local, 0);
	assert_int_equal(h.err.kind, ERROR_REFUSED);
	w = kubectl_request(h.k, 9010, CLOCK_NS_PER_S, take_answer, &h);
	kubectl_cancel(w);
	assert_int_equal(h.answers, 1);
	tear_down(&h);
}

static void pods_are_parsed(void **state)
{
	static const char *const invalid[] = { "-n:9010", ":9010", "a:0",
					       "a:65536", "a:-b",  "a:B",
					       "a:" };
	struct error err = { 0 };
	char *pod, *port;

	(void)state;
	assert_int_equal(
		kubectl_parse("deployment/shop:9010", &pod, &port, &err), 0);
	assert_string_equal(pod, "deployment/shop");
	assert_string_equal(port, "9010");
	free(pod);
	free(port);
	assert_int_equal(kubectl_parse("web-0:jmx-1", &pod, &port, &err), 0);
	assert_string_equal(port, "jmx-1");
	free(pod);
	free(port);
	assert_int_equal(kubectl_parse("web-0", &pod, &port, &err), -1);
	assert_non_null(strstr(err.text, "the port is missing"));
	for (size_t i = 0; i < sizeof(invalid) / sizeof(*invalid); i++) {
		assert_int_equal(kubectl_parse(invalid[i], &pod, &port, &err),
				 -1);
		assert_int_equal(err.kind, ERROR_MISUSE);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(port_is_forwarded_once_for_all_waits),
		cmocka_unit_test(each_port_has_a_forward_and_the_oldest_ends),
		cmocka_unit_test(missing_pod_is_reported_at_once),
		cmocka_unit_test(missing_kubectl_is_reported),
		cmocka_unit_test(service_is_resolved_to_the_longest_ready_pod),
		cmocka_unit_test(unusable_targets_are_explained),
		cmocka_unit_test(lost_forward_is_restarted_for_the_same_pod),
		cmocka_unit_test(replaced_pod_gets_new_forwards),
		cmocka_unit_test(
			doubt_reads_the_pod_again_before_the_next_wait_ends),
		cmocka_unit_test(wait_for_a_forward_times_out),
		cmocka_unit_test(pods_are_parsed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
