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
	fprintf(f, "#!/bin/sh\ncd %s\n%s\n", h->folder, script);
	assert_int_equal(fchmod(fileno(f), 0700), 0);
	fclose(f);
	text_release(&path);
}

static void set_up(struct heard *h, const char *script, const char *namespace)
{
	struct kubectl_options options = {
		.pod = "web-0",
		.namespace = namespace,
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

static void tear_down(struct heard *h)
{
	static const char *const names[] = { "kubectl", "args", "drop",
					     "runs" };

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
	struct error err;

	assert_non_null(kubectl_request(h->k, port, PATIENCE_S * CLOCK_NS_PER_S,
					take_answer, h, &err));
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

static void port_is_forwarded_once_for_all_waits(void **state)
{
	struct heard h;

	(void)state;
	set_up(&h,
	       "echo \"$*\" >>args\n"
	       "echo 'Forwarding from 127.0.0.1:41234 -> 9010'\n"
	       "echo 'Handling connection for 41234'\n"
	       "exec sleep 1000",
	       "shop");
	ask(&h, 9010);
	assert_int_equal(h.local, 41234);
	ask(&h, 9010);
	assert_int_equal(h.local, 41234);
	assert_file_has(&h, "args",
			"port-forward --address 127.0.0.1 --namespace=shop "
			"web-0 :9010\n");
	assert_string_equal(h.said.bytes,
			    "kubectl: port 9010 of web-0: forwarded from "
			    "127.0.0.1:41234\n");
	tear_down(&h);
}

static void each_port_has_a_forward_of_its_own(void **state)
{
	struct error err = { 0 };
	struct heard h;

	(void)state;
	set_up(&h,
	       "for last; do :; done\n"
	       "echo \"Forwarding from 127.0.0.1:2${last#:} -> ${last#:}\"\n"
	       "exec sleep 1000",
	       NULL);
	for (uint16_t port = 9010; port < 9010 + KUBECTL_FORWARDS_MAX; port++) {
		ask(&h, port);
		assert_int_equal(h.local, 20000 + port);
	}
	/* The number of ports that a JVM may name is limited. */
	assert_null(kubectl_request(h.k, 9999, 1, take_answer, &h, &err));
	assert_int_equal(err.kind, ERROR_REFUSED);
	tear_down(&h);
}

static void failed_forward_reports_its_reason_at_once(void **state)
{
	struct heard h;

	(void)state;
	set_up(&h,
	       "echo 'Error from server (NotFound): pods \"web-0\" not found' "
	       ">&2; exit 1",
	       NULL);
	ask(&h, 9010);
	assert_int_equal(h.local, 0);
	assert_int_equal(h.err.kind, ERROR_REFUSED);
	assert_string_equal(h.err.text,
			    "kubectl: exit status 1: Error from "
			    "server (NotFound): pods \"web-0\" not found");
	/* A later request succeeds. */
	stand_in(&h, "echo 'Forwarding from 127.0.0.1:41234 -> 9010'\n"
		     "exec sleep 1000");
	ask(&h, 9010);
	assert_int_equal(h.local, 41234);
	tear_down(&h);
}

static void missing_kubectl_is_reported(void **state)
{
	struct heard h;

	(void)state;
	set_up(&h, NULL, NULL);
	setenv("PATH", h.folder, 1);
	ask(&h, 9010);
	assert_int_equal(h.local, 0);
	assert_int_equal(h.err.kind, ERROR_UNAVAILABLE);
	assert_non_null(strstr(h.err.text, "kubectl: No such file"));
	tear_down(&h);
}

static void lost_forward_is_restarted(void **state)
{
	struct heard h;

	(void)state;
	set_up(&h,
	       "echo x >>runs; n=$(wc -l <runs)\n"
	       /* The second kubectl does not find the pod. */
	       "[ $n != 2 ] || { echo 'no pod' >&2; exit 1; }\n"
	       "echo \"Forwarding from 127.0.0.1:4000$n -> 9010\"\n"
	       "until [ -e drop ]; do sleep 0.05; done; rm drop\n"
	       "echo 'error: lost connection to pod' >&2; exit 1",
	       NULL);
	ask(&h, 9010);
	assert_int_equal(h.local, 40001);
	{
		struct text path = { 0 };

		path_of(&h, "drop", &path);
		fclose(fopen(path.bytes, "w"));
		text_release(&path);
	}
	until_said(&h, "lost connection to pod; restarting it in 0.25 s\n");
	/* A request waits for the restart, even after a failed one. */
	ask(&h, 9010);
	assert_int_equal(h.local, 40003);
	assert_non_null(
		strstr(h.said.bytes, "no pod; restarting it in 0.50 s\n"));
	assert_non_null(strstr(h.said.bytes, "127.0.0.1:40003 again\n"));
	tear_down(&h);
}

static void wait_for_a_forward_times_out(void **state)
{
	struct kubectl_wait *w;
	struct error err;
	struct heard h;

	(void)state;
	/* Invalid addresses, and garbage. */
	set_up(&h,
	       "echo 'Forwarding from 127.0.0.1:99999 -> 9010'\n"
	       "echo 'Forwarding from 127.0.0.1:1 -> 9011'\n"
	       "echo 'Forwarding from [::1]:41234 -> 9010'\n"
	       "echo 'Forwarding from 127.0.0.1:41234 -> 9010 or so'\n"
	       "head -c 300 /dev/urandom\n"
	       "exec sleep 1000",
	       NULL);
	assert_non_null(kubectl_request(h.k, 9010, CLOCK_NS_PER_S / 2,
					take_answer, &h, &err));
	while (!h.answers)
		turn(&h);
	assert_int_equal(h.local, 0);
	assert_int_equal(h.err.kind, ERROR_REFUSED);
	w = kubectl_request(h.k, 9010, CLOCK_NS_PER_S, take_answer, &h, &err);
	assert_non_null(w);
	kubectl_cancel(w);
	assert_int_equal(h.answers, 1);
	tear_down(&h);
}

static void pods_are_parsed(void **state)
{
	struct error err = { 0 };
	uint16_t port;
	char *pod;

	(void)state;
	assert_int_equal(
		kubectl_parse("deployment/shop:9010", &pod, &port, &err), 0);
	assert_string_equal(pod, "deployment/shop");
	assert_int_equal(port, 9010);
	free(pod);
	assert_int_equal(kubectl_parse("web-0", &pod, &port, &err), -1);
	assert_non_null(strstr(err.text, "the port is missing"));
	assert_int_equal(kubectl_parse("-n:9010", &pod, &port, &err), -1);
	assert_int_equal(kubectl_parse(":9010", &pod, &port, &err), -1);
	assert_int_equal(kubectl_parse("a:0", &pod, &port, &err), -1);
	assert_int_equal(kubectl_parse("a:65536", &pod, &port, &err), -1);
	assert_int_equal(kubectl_parse("a:b", &pod, &port, &err), -1);
	assert_int_equal(err.kind, ERROR_MISUSE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(port_is_forwarded_once_for_all_waits),
		cmocka_unit_test(each_port_has_a_forward_of_its_own),
		cmocka_unit_test(failed_forward_reports_its_reason_at_once),
		cmocka_unit_test(missing_kubectl_is_reported),
		cmocka_unit_test(lost_forward_is_restarted),
		cmocka_unit_test(wait_for_a_forward_times_out),
		cmocka_unit_test(pods_are_parsed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
