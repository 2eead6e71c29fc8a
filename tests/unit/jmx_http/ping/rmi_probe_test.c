/* SPDX-License-Identifier: Apache-2.0 */
/* Probes of fake JVMs that misbehave in ways that no real JVM does. */
#include "tests/unit/rmi_stand_in.h"

#include "core/base/clock.h"
#include "jmx_http/ping/probe.h"
#include "jmx_http/rmi/methods.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void probe(struct stand_in *s, struct probe *p, int64_t timeout_ns)
{
	struct rmi_probe_options options = {
		.target = { .address = s->target, .timeout_ns = timeout_ns },
		.as_given = "",
	};
	struct error err = { 0 };

	assert_int_equal(rmi_probe_run(p, &options, &err), 0);
}

static const struct probe_step *last_of(const struct probe *p)
{
	assert_true(p->step_count > 0);
	return &p->steps[p->step_count - 1];
}

static enum stand_in_next
well(struct stand_in *s, const struct stand_in_call *call, struct text *out)
{
	(void)s;
	if (call->method == JMX_GET_MBEAN_COUNT)
		stand_in_integer(out, 42);
	else
		stand_in_string(out, "domain", 6);
	return STAND_IN_GO_ON;
}

/* The session is acknowledged and closed, so the JVM frees it. */
static void opened_session_is_closed(void **state)
{
	struct stand_in s = { .script = well };
	struct probe p;

	(void)state;
	stand_in_start(&s);
	probe(&s, &p, 20 * CLOCK_NS_PER_S);
	assert_string_equal(last_of(&p)->name, "object-name");
	assert_int_equal(p.kind, ERROR_NONE);
	assert_string_equal(p.steps[p.step_count - 3].detail.bytes,
			    "42 MBeans");
	/* Registry and server share a port, as for Java clients. */
	assert_int_equal(s.shared->connections, 1);
	assert_int_equal(s.shared->logins, 1);
	assert_int_equal(s.shared->closed, 1);
	/* A count, ten to measure the round trip, and one with a name. */
	assert_int_equal(s.shared->calls, 12);
	probe_release(&p);
	stand_in_end(&s);
}

/* A command to be copied must not contain a host name that the JVM chose. */
static void special_host_is_replaced_in_command_lines(void **state)
{
	struct stand_in s = { .script = well,
			      .host = "x; reboot #\n-> reboot\033[2J" };
	struct probe p;

	(void)state;
	stand_in_start(&s);
	probe(&s, &p, 20 * CLOCK_NS_PER_S);
	assert_string_equal(last_of(&p)->name, "server");
	assert_false(last_of(&p)->ok);
	assert_int_equal(p.kind, ERROR_REFUSED);
	assert_non_null(strstr(p.verdict.bytes, "reboot"));
	assert_null(strstr(p.remedy.bytes, "reboot"));
	assert_non_null(strstr(p.remedy.bytes, "sjkc mxprx -s 127.0.0.1:"));
	probe_release(&p);
	stand_in_end(&s);
}

/* The JVM's host name does not resolve; the client is on the JVM's machine. */
static void stub_without_a_host_works_on_the_jvms_machine(void **state)
{
	struct stand_in s = { .script = well, .host = "" };
	struct probe p;

	(void)state;
	stand_in_start(&s);
	probe(&s, &p, 20 * CLOCK_NS_PER_S);
	assert_int_equal(p.kind, ERROR_NONE);
	assert_non_null(strstr(p.verdict.bytes, "the stub names no host"));
	assert_non_null(
		strstr(p.remedy.bytes, "-Djava.rmi.server.hostname=HOST"));
	probe_release(&p);
	stand_in_end(&s);
}

/* The same from another machine, where a Java client connects to itself. */
static void stub_without_a_host_fails_from_another_machine(void **state)
{
	struct stand_in s = { .script = well,
			      .address = "127.0.0.2",
			      .host = "" };
	struct probe p;

	(void)state;
	stand_in_start(&s);
	probe(&s, &p, 20 * CLOCK_NS_PER_S);
	assert_string_equal(last_of(&p)->name, "server");
	assert_int_equal(p.kind, ERROR_REFUSED);
	assert_non_null(strstr(p.verdict.bytes,
			       "each Java client connects to its own machine"));
	assert_non_null(strstr(p.verdict.bytes, "the same port of 127.0.0.2"));
	assert_non_null(
		strstr(p.remedy.bytes, "-Djava.rmi.server.hostname=127.0.0.2"));
	assert_null(strstr(p.remedy.bytes, "--force-hostname"));
	probe_release(&p);
	stand_in_end(&s);
}

static enum stand_in_next
refuse(struct stand_in *s, const struct stand_in_call *call, struct text *out)
{
	(void)s;
	(void)call;
	stand_in_throw(out, "java.lang.SecurityException", "Access denied");
	return STAND_IN_GO_ON;
}

static enum stand_in_next
lie(struct stand_in *s, const struct stand_in_call *call, struct text *out)
{
	(void)s;
	(void)call;
	stand_in_string(out, "many", 4);
	return STAND_IN_GO_ON;
}

static enum stand_in_next go(struct stand_in *s,
			     const struct stand_in_call *call, struct text *out)
{
	(void)s;
	(void)call;
	(void)out;
	return STAND_IN_DROP;
}

static enum stand_in_next
babble(struct stand_in *s, const struct stand_in_call *call, struct text *out)
{
	(void)s;
	(void)call;
	text_puts(out, "Qnonsense");
	return STAND_IN_CLOSE;
}

static enum stand_in_next
wait(struct stand_in *s, const struct stand_in_call *call, struct text *out)
{
	(void)s;
	(void)call;
	(void)out;
	return STAND_IN_HOLD;
}

/* Probes with a timeout that ends the wait for a reply: 200 ms, or longer if a
 * loaded machine needs longer for the steps before it. */
static void probe_with_short_timeout(struct stand_in *s, struct probe *p)
{
	for (int ms = 200;; ms *= 2) {
		probe(s, p, ms * CLOCK_NS_PER_MS);
		if (!strcmp(last_of(p)->name, "mbean") || ms > 20000)
			return;
		probe_release(p);
	}
}

static void invalid_replies_have_verdicts(void **state)
{
	static const struct {
		stand_in_script *script;
		enum error_kind kind;
		const char *detail, *verdict;
	} odd[] = {
		{ refuse, ERROR_PERMISSION, "Access denied",
		  "the JMX server does not reply to calls" },
		{ lie, ERROR_REFUSED, "the count is not a number",
		  "the JMX server does not reply to calls" },
		{ go, ERROR_REFUSED, "closed without a reply",
		  "sends no valid reply" },
		{ babble, ERROR_REFUSED, "invalid RMI reply",
		  "sends no valid reply" },
		{ wait, ERROR_REFUSED, "timed out",
		  "does not reply to a call in time" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(odd) / sizeof(*odd); i++) {
		struct stand_in s = { .script = odd[i].script };
		struct probe p;

		stand_in_start(&s);
		if (odd[i].script == wait)
			probe_with_short_timeout(&s, &p);
		else
			probe(&s, &p, 20 * CLOCK_NS_PER_S);
		assert_string_equal(last_of(&p)->name, "mbean");
		assert_false(last_of(&p)->ok);
		assert_int_equal(p.kind, odd[i].kind);
		assert_non_null(
			strstr(last_of(&p)->detail.bytes, odd[i].detail));
		assert_non_null(strstr(p.verdict.bytes, odd[i].verdict));
		probe_release(&p);
		stand_in_end(&s);
	}
}

/* A certificate was given, but the server does not use TLS. */
static void withheld_password_has_its_verdict(void **state)
{
	struct stand_in s = { .script = well };
	struct rmi_probe_options options = {
		.target = {
			.timeout_ns = 10 * CLOCK_NS_PER_S,
			.credentials = { "monitor", "secret" },
			.tls.cacert = "tests/data/tls/authority.pem",
		},
		.as_given = "",
	};
	struct error err = { 0 };
	struct probe p;

	(void)state;
	stand_in_start(&s);
	options.target.address = s.target;
	assert_int_equal(rmi_probe_run(&p, &options, &err), 0);
	assert_string_equal(last_of(&p)->name, "login");
	assert_int_equal(p.kind, ERROR_REFUSED);
	assert_non_null(strstr(p.verdict.bytes, "the password was not sent"));
	assert_int_equal(s.shared->logins, 0);
	probe_release(&p);
	stand_in_end(&s);
}

static void invalid_target_is_misuse(void **state)
{
	static const char *const targets[] = {
		"",
		"localhost",
		"localhost:0",
		"service:jmx:rmi://x",
		"service:jmx:rmi://x/stub/!",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(targets) / sizeof(*targets); i++) {
		struct rmi_probe_options options = {
			.target = { .address = targets[i],
				    .timeout_ns = CLOCK_NS_PER_S },
			.as_given = "",
		};
		struct error err = { 0 };
		struct probe p;

		assert_int_equal(rmi_probe_run(&p, &options, &err), -1);
		assert_int_equal(err.kind, ERROR_MISUSE);
		probe_release(&p);
	}
}

/* A service URL may contain any text in place of a registry. */
static void url_without_a_stub_fails_the_stub_step(void **state)
{
	static const char *const stubs[] = { "rO0ABQ==", "rO0ABXQAAWE=",
					     "AAAA" };

	(void)state;
	for (size_t i = 0; i < sizeof(stubs) / sizeof(*stubs); i++) {
		struct text url = { 0 };
		struct rmi_probe_options options = {
			.target.timeout_ns = CLOCK_NS_PER_S,
			.as_given = "",
		};
		struct error err = { 0 };
		struct probe p;

		text_puts(&url, "service:jmx:rmi://localhost/stub/");
		text_puts(&url, stubs[i]);
		options.target.address = url.bytes;
		assert_int_equal(rmi_probe_run(&p, &options, &err), 0);
		assert_int_equal(p.step_count, 1);
		assert_string_equal(last_of(&p)->name, "stub");
		assert_false(last_of(&p)->ok);
		assert_int_equal(p.kind, ERROR_REFUSED);
		probe_release(&p);
		text_release(&url);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(opened_session_is_closed),
		cmocka_unit_test(stub_without_a_host_works_on_the_jvms_machine),
		cmocka_unit_test(
			stub_without_a_host_fails_from_another_machine),
		cmocka_unit_test(special_host_is_replaced_in_command_lines),
		cmocka_unit_test(invalid_replies_have_verdicts),
		cmocka_unit_test(withheld_password_has_its_verdict),
		cmocka_unit_test(invalid_target_is_misuse),
		cmocka_unit_test(url_without_a_stub_fails_the_stub_step),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
