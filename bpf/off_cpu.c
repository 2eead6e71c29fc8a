/* SPDX-License-Identifier: Apache-2.0 */
#include "bpf/off_cpu.h"

#include "core/base/alloc.h"

#include <stdlib.h>
#include <string.h>

static struct off_cpu_sample **off_cpu_bucket(struct off_cpu *o, uint32_t key)
{
	return &o->buckets[key % OFF_CPU_BUCKETS];
}

/* Removes a sample from its list; the caller frees it. */
static struct off_cpu_sample *off_cpu_take(struct off_cpu *o,
					   struct off_cpu_sample **at)
{
	struct off_cpu_sample *s = *at;

	*at = s->next;
	o->bytes -= s->size;
	o->count--;
	return s;
}

static struct off_cpu_sample **off_cpu_find(struct off_cpu *o, uint32_t key)
{
	struct off_cpu_sample **at = off_cpu_bucket(o, key);

	while (*at && (*at)->key != key)
		at = &(*at)->next;
	return at;
}

void off_cpu_left(struct off_cpu *o, uint32_t key, const struct sample_event *e,
		  size_t size)
{
	struct off_cpu_sample **at = off_cpu_find(o, key);
	struct off_cpu_sample *s;

	if (*at) {
		free(off_cpu_take(o, at));
		o->unended++;
	}
	if (o->bytes + size > OFF_CPU_BYTES) {
		o->dropped++;
		return;
	}
	s = xmalloc(offsetof(struct off_cpu_sample, event) + size);
	s->size = size;
	memcpy(&s->event, e, size);
	s->key = key;
	s->next = *off_cpu_bucket(o, key);
	*off_cpu_bucket(o, key) = s;
	o->bytes += size;
	o->count++;
}

struct off_cpu_sample *off_cpu_returned(struct off_cpu *o, uint32_t key,
					uint64_t out_ns)
{
	struct off_cpu_sample **at = off_cpu_find(o, key);

	return *at && (*at)->event.time_ns == out_ns ? off_cpu_take(o, at)
						     : NULL;
}

struct off_cpu_sample *off_cpu_any(struct off_cpu *o)
{
	for (size_t i = 0; o->count && i < OFF_CPU_BUCKETS; i++) {
		if (o->buckets[i])
			return off_cpu_take(o, &o->buckets[i]);
	}
	return NULL;
}

void off_cpu_release(struct off_cpu *o)
{
	struct off_cpu_sample *s;

	while ((s = off_cpu_any(o)))
		free(s);
}
