/* SPDX-License-Identifier: Apache-2.0 */
/* JVMs of sjkc gc that are observed over JMX: -s, -u and --source jmx. */
#include "cmd/gc/gc_command.h"

#include "cmd/shared/log.h"
#include "core/base/alloc.h"
#include "core/jvm/main_name.h"
#include "jmx_http/threads/jmx_gc.h"

#include <stdlib.h>
#include <string.h>

/* The connection of this run, which the source borrows. */
static struct jmx_client client;

bool gc_jmx_is_wanted(const struct gc_options *o)
{
	return o->jmx.socket || o->jmx.url ||
	       (o->source && strcmp(o->source, "jmx") == 0);
}

int gc_jmx_open(struct gc_options *o, struct gc_streams *streams,
		struct error *err)
{
	struct gc_stream *s;
	struct gc_source *source;

	if (o->all || o->pids.count > 1)
		return misuse(err, "over JMX, gc observes one JVM");
	if (o->pids.count)
		o->jmx.pid = o->pids.values[0];
	if (jmx_client_open(&client, &o->jmx, 0, NULL, err))
		return -1;
	source = jmx_gc_open(client.jmx, err);
	if (!source)
		return fail_in(err, "%s", client.jmx->title);
	s = xcalloc(1, sizeof(*s));
	s->source = source;
	s->jvm.pidfd = -1;
	s->cpu_ns = GC_ABSENT;
	if (client.by_pid) {
		source->pid = client.jvm.pid;
		main_name_add_with_pid(&client.jvm, &source->label);
		container_pod_read(&source->pod, &client.jvm);
	} else {
		text_puts(&source->label, client.jmx->title);
	}
	gc_log_source(source);
	array_add(streams->all, streams->count, streams->cap, s);
	return 0;
}

void gc_jmx_close(void) { jmx_client_close(&client); }
