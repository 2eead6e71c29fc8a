/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes what servers send to a probe.  The result of each is printed as text
 * and as JSON, which must be valid.  The input is that of fuzz_jmx_client.c.
 */
#include "cmd/jmx/mxping.c"
#include "core/base/clock.h"
#include "jmx_http/ping/probe.h"
#include "tests/fuzz/memory_server.h"

#include <cjson/cJSON.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look(const struct ping *p)
{
	struct text text = { 0 }, json = { 0 };
	cJSON *read;

	ping_text(p, &text);
	ping_json(p, &json);
	for (size_t i = 0; i < text.len; i++)
		if ((unsigned char)text.bytes[i] < ' ' && text.bytes[i] != '\n')
			abort();
	read = cJSON_ParseWithLengthOpts(json.bytes, json.len + 1, NULL, 1);
	if (!read)
		abort();
	cJSON_Delete(read);
	text_release(&text);
	text_release(&json);
}

/* Only the last step may have failed, and a failure has a verdict. */
static void check(const struct probe *p)
{
	if (!p->step_count || p->step_count > PROBE_STEPS_MAX ||
	    !p->verdict.len)
		abort();
	for (size_t i = 0; i < p->step_count; i++) {
		bool is_last = i + 1 == p->step_count;

		if (!p->steps[i].name || !p->steps[i].detail.len ||
		    p->steps[i].ok == (is_last && p->kind != ERROR_NONE))
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct memory_server server = { .base.ops = &memory_ops };
	struct rmi_probe_options probe_options = {
		.target = { .address = "127.0.0.1:9010",
			    .timeout_ns = 10 * CLOCK_NS_PER_S,
			    .dialer = &server.base },
		.as_given = "",
	};
	struct ping ping = { .target = probe_options.target.address };
	struct error err = { 0 };
	size_t at = 1;

	(void)memory_talk_to;
	if (!size)
		return 0;
	server.step = data[0] >> 1;
	server.is_silent = data[0] & 1;
	while (size - at > 2 && server.count < MEMORY_CONNECTIONS_MAX) {
		size_t len = (size_t)data[at] << 8 | data[at + 1];

		at += 2;
		if (len > size - at)
			len = size - at;
		server.connections[server.count].at = data + at;
		server.connections[server.count++].len = len;
		at += len;
	}
	if (rmi_probe_run(&ping.probe, &probe_options, &err))
		abort();
	check(&ping.probe);
	look(&ping);
	probe_release(&ping.probe);
	return 0;
}
