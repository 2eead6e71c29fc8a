/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/workload.h"

#include "core/base/alloc.h"

#include <stdlib.h>

#define CALLEES_OF_ONE 8 /* number of methods that a method calls */

/* splitmix64: random enough, and deterministic. */
static uint64_t mixed(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

uint32_t workload_random(struct workload *w, uint32_t limit)
{
	w->random += 0x9e3779b97f4a7c15u;
	return (uint32_t)((mixed(w->random) >> 32) * limit >> 32);
}

static uint32_t push(struct workload *w, uint32_t caller, uint16_t method)
{
	array_reserve(w->nodes, w->cap, w->count + 1);
	w->nodes[w->count] = (struct workload_node){
		.caller = caller,
		.method = method,
		.depth = (uint16_t)(w->count ? w->nodes[caller].depth + 1 : 0),
	};
	return (uint32_t)w->count++;
}

/* Returns one of the few methods that this one calls. */
static uint16_t callee_of(struct workload *w, uint16_t method)
{
	uint32_t slot = workload_random(w, CALLEES_OF_ONE);

	return (uint16_t)(mixed((uint64_t)method << 8 | slot) %
			  WORKLOAD_METHODS);
}

static uint32_t extend(struct workload *w, uint32_t node, unsigned frames)
{
	while (frames-- && w->nodes[node].depth < WORKLOAD_DEEPEST)
		node = push(w, node, callee_of(w, w->nodes[node].method));
	return node;
}

void workload_init(struct workload *w, unsigned depth)
{
	*w = (struct workload){ .depth = depth };
	push(w, 0, 0);
	array_reserve(w->leaves, w->leaf_cap, 1);
	w->leaves[w->leaf_count++] = extend(w, 0, depth);
}

void workload_release(struct workload *w)
{
	free(w->nodes);
	free(w->leaves);
	*w = (struct workload){ 0 };
}

uint32_t workload_add(struct workload *w)
{
	uint32_t from = workload_random(w, (uint32_t)w->leaf_count);
	uint32_t node = w->leaves[from];
	uint32_t depth = w->nodes[node].depth;
	uint32_t up = 1 + workload_random(w, w->depth / 2);
	uint32_t down;

	/* Sometimes a stack trace branches off near the root. */
	if (workload_random(w, 50) == 0)
		up = 1 + workload_random(w, depth);
	if (up > depth)
		up = depth;
	down = up + (depth < w->depth ? workload_random(w, 5) : 0);
	if (depth > w->depth)
		down -= down > 4 ? workload_random(w, 5) : 0;
	while (up--)
		node = w->nodes[node].caller;
	node = extend(w, node, down);
	array_reserve(w->leaves, w->leaf_cap, w->leaf_count + 1);
	w->leaves[w->leaf_count++] = node;
	return node;
}

size_t workload_path(const struct workload *w, uint32_t leaf,
		     uint16_t methods[WORKLOAD_DEEPEST])
{
	size_t depth = w->nodes[leaf].depth;

	for (size_t i = depth; i-- > 0; leaf = w->nodes[leaf].caller)
		methods[i] = w->nodes[leaf].method;
	return depth;
}

static const char *const packages[] = { "com/acme/orders/domain",
					"com/acme/orders/service",
					"com/acme/orders/web",
					"com/acme/platform/cache",
					"com/acme/platform/messaging",
					"org/example/framework/context",
					"org/example/framework/web",
					"org/example/persistence/engine",
					"org/example/persistence/hql",
					"io/example/net/channel",
					"io/example/net/handler/codec",
					"java/util/concurrent",
					"java/util/stream",
					"jdk/internal/reflect",
					"com/acme/billing/internal/tax" };

static const char *const nouns[] = { "Order",    "Invoice", "Customer",
				     "Session",  "Request", "Channel",
				     "Buffer",   "Entity",  "Query",
				     "Template", "Context", "Message" };

static const char *const roles[] = { "Service",    "Repository", "Handler",
				     "Dispatcher", "Factory",    "Interceptor",
				     "Mapper",     "Loader",     "Pipeline" };

static const char *const verbs[] = { "find",  "load",     "invoke",  "apply",
				     "parse", "dispatch", "resolve", "flush",
				     "read",  "write",    "handle" };

#define PICK(words, n) (words)[(n) % (sizeof(words) / sizeof(*(words)))]

void workload_class(struct text *out, uint32_t class_index)
{
	uint64_t n = mixed(class_index + 1);

	text_printf(out, "%s/%s%s%u", PICK(packages, n), PICK(nouns, n >> 16),
		    PICK(roles, n >> 32), class_index);
}

void workload_method(struct text *out, uint32_t method)
{
	uint64_t n = mixed((uint64_t)method << 20);

	text_printf(out, "%s%s%u", PICK(verbs, n), PICK(nouns, n >> 16),
		    method / WORKLOAD_CLASSES);
}
