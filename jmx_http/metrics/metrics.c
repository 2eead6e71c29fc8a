/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/metrics/metrics.h"

#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "jmx_http/jmx_read.h"
#include "jmx_http/value/object_name.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define THREADING "java.lang:type=Threading"

/* A ThreadInfo takes about 1 KB in a reply. */
#define STATES_THREADS_MAX 20000
/* Chosen MBeans of one scrape. */
#define CHOSEN_MBEANS_MAX 10000

/* The standard metrics */

enum figure_unit {
	FIGURE_NUMBER,
	FIGURE_MS, /* printed in seconds */
	FIGURE_NS, /* printed in seconds */
};

/* How an attribute, or a part of it, becomes a series. */
struct figure {
	const char *attribute, *part; /* part: key of a composite, or NULL */
	struct metric metric;
	const char *suffix, *label, *label_value; /* or NULL */
	enum figure_unit unit;
};

#define ATTRIBUTES_MAX 8

/* Figures of one MBean, or of each MBean that matches a pattern. */
struct figure_group {
	const char *object;
	const char *label; /* of a pattern: the label with the name */
	const char *attributes[ATTRIBUTES_MAX];
	const struct figure *figures;
	size_t count;
};

/* clang-format off */
#define FIGURE(attribute_, name_, type_, help_, ...) \
	{ .attribute = attribute_, .metric = { name_, METRIC_##type_, help_ }, \
	  __VA_ARGS__ }

static const struct figure runtime_figures[] = {
	FIGURE("StartTime", "process_start_time_seconds", GAUGE,
	       "Start time of the process since unix epoch in seconds.",
	       .unit = FIGURE_MS),
};

#define AREA(attribute, area) \
	FIGURE(attribute, "jvm_memory_used_bytes", GAUGE, \
	       "Used bytes of a given JVM memory area.", \
	       .part = "used", .label = "area", .label_value = (area)), \
	FIGURE(attribute, "jvm_memory_committed_bytes", GAUGE, \
	       "Committed bytes of a given JVM memory area.", \
	       .part = "committed", .label = "area", .label_value = (area)), \
	FIGURE(attribute, "jvm_memory_max_bytes", GAUGE, \
	       "Maximum bytes of a given JVM memory area.", \
	       .part = "max", .label = "area", .label_value = (area)), \
	FIGURE(attribute, "jvm_memory_init_bytes", GAUGE, \
	       "Initial bytes of a given JVM memory area.", \
	       .part = "init", .label = "area", .label_value = (area))

static const struct figure memory_figures[] = {
	AREA("HeapMemoryUsage", "heap"),
	AREA("NonHeapMemoryUsage", "nonheap"),
	FIGURE("ObjectPendingFinalizationCount",
	       "jvm_memory_objects_pending_finalization", GAUGE,
	       "The number of objects waiting in the finalizer queue."),
};

static const struct figure thread_figures[] = {
	FIGURE("ThreadCount", "jvm_threads_current", GAUGE,
	       "Current thread count of a JVM."),
	FIGURE("DaemonThreadCount", "jvm_threads_daemon", GAUGE,
	       "Daemon thread count of a JVM."),
	FIGURE("PeakThreadCount", "jvm_threads_peak", GAUGE,
	       "Peak thread count of a JVM."),
	FIGURE("TotalStartedThreadCount", "jvm_threads_started_total", COUNTER,
	       "Started thread count of a JVM."),
};

static const struct figure class_figures[] = {
	FIGURE("LoadedClassCount", "jvm_classes_currently_loaded", GAUGE,
	       "The number of classes that are currently loaded in the JVM."),
	FIGURE("TotalLoadedClassCount", "jvm_classes_loaded_total", COUNTER,
	       "The number of classes loaded since the JVM started."),
	FIGURE("UnloadedClassCount", "jvm_classes_unloaded_total", COUNTER,
	       "The number of classes unloaded since the JVM started."),
};

static const struct figure compilation_figures[] = {
	FIGURE("TotalCompilationTime", "jvm_compilation_time_seconds_total",
	       COUNTER, "Time taken for class compilation, in seconds.",
	       .unit = FIGURE_MS),
};

static const struct figure system_figures[] = {
	FIGURE("ProcessCpuTime", "process_cpu_seconds_total", COUNTER,
	       "Total user and system CPU time spent in seconds.",
	       .unit = FIGURE_NS),
	FIGURE("OpenFileDescriptorCount", "process_open_fds", GAUGE,
	       "Number of open file descriptors."),
	FIGURE("MaxFileDescriptorCount", "process_max_fds", GAUGE,
	       "Maximum number of open file descriptors."),
};

static const struct figure collector_figures[] = {
	FIGURE("CollectionCount", "jvm_gc_collection_seconds", SUMMARY,
	       "Time spent in a given JVM garbage collector in seconds.",
	       .suffix = "_count"),
	FIGURE("CollectionTime", "jvm_gc_collection_seconds", SUMMARY,
	       "Time spent in a given JVM garbage collector in seconds.",
	       .suffix = "_sum", .unit = FIGURE_MS),
};

#define POOL(attribute, prefix, when) \
	FIGURE(attribute, prefix "used_bytes", GAUGE, \
	       "Used bytes" when " of a given JVM memory pool.", \
	       .part = "used"), \
	FIGURE(attribute, prefix "committed_bytes", GAUGE, \
	       "Committed bytes" when " of a given JVM memory pool.", \
	       .part = "committed"), \
	FIGURE(attribute, prefix "max_bytes", GAUGE, \
	       "Maximum bytes" when " of a given JVM memory pool.", \
	       .part = "max"), \
	FIGURE(attribute, prefix "init_bytes", GAUGE, \
	       "Initial bytes" when " of a given JVM memory pool.", \
	       .part = "init")

static const struct figure pool_figures[] = {
	POOL("Usage", "jvm_memory_pool_", ""),
	POOL("CollectionUsage", "jvm_memory_pool_collection_",
	     " after the last collection"),
};

static const struct figure buffer_figures[] = {
	FIGURE("MemoryUsed", "jvm_buffer_pool_used_bytes", GAUGE,
	       "Used bytes of a given JVM buffer pool."),
	FIGURE("TotalCapacity", "jvm_buffer_pool_capacity_bytes", GAUGE,
	       "Capacity in bytes of a given JVM buffer pool."),
	FIGURE("Count", "jvm_buffer_pool_used_buffers", GAUGE,
	       "Used buffers of a given JVM buffer pool."),
};

#define FIGURES(list) list, sizeof(list) / sizeof(*(list))

static const struct figure_group groups[] = {
	{ "java.lang:type=Runtime", NULL, { "StartTime", "SystemProperties" },
	  FIGURES(runtime_figures) },
	{ "java.lang:type=Memory", NULL,
	  { "HeapMemoryUsage", "NonHeapMemoryUsage",
	    "ObjectPendingFinalizationCount" },
	  FIGURES(memory_figures) },
	{ THREADING, NULL,
	  { "ThreadCount", "DaemonThreadCount", "PeakThreadCount",
	    "TotalStartedThreadCount", "AllThreadIds" },
	  FIGURES(thread_figures) },
	{ "java.lang:type=ClassLoading", NULL,
	  { "LoadedClassCount", "TotalLoadedClassCount",
	    "UnloadedClassCount" },
	  FIGURES(class_figures) },
	{ "java.lang:type=Compilation", NULL, { "TotalCompilationTime" },
	  FIGURES(compilation_figures) },
	{ "java.lang:type=OperatingSystem", NULL,
	  { "ProcessCpuTime", "OpenFileDescriptorCount",
	    "MaxFileDescriptorCount" },
	  FIGURES(system_figures) },
	{ "java.lang:type=GarbageCollector,*", "gc",
	  { "CollectionCount", "CollectionTime" },
	  FIGURES(collector_figures) },
	{ "java.lang:type=MemoryPool,*", "pool",
	  { "Usage", "CollectionUsage" },
	  FIGURES(pool_figures) },
	{ "java.nio:type=BufferPool,*", "pool",
	  { "Count", "TotalCapacity", "MemoryUsed" },
	  FIGURES(buffer_figures) },
};

static const struct metric runtime_info = {
	"jvm_runtime_info", METRIC_GAUGE, "JVM runtime info.",
};
/* The name of older versions of the client library. */
static const struct metric old_runtime_info = {
	"jvm_info", METRIC_GAUGE, "JVM version info.",
};
static const struct metric threads_state = {
	"jvm_threads_state", METRIC_GAUGE,
	"Current count of threads by state.",
};
static const struct metric deadlocks[] = {
	{ "jvm_threads_deadlocked", METRIC_GAUGE,
	  "Threads that are in deadlock waiting to acquire object monitors or "
	  "ownable synchronizers." },
	{ "jvm_threads_deadlocked_monitor", METRIC_GAUGE,
	  "Threads that are in deadlock waiting to acquire object monitors." },
};
static const char *const deadlock_operations[] = {
	"findDeadlockedThreads", "findMonitorDeadlockedThreads",
};

static const struct metric scrape_figures[] = {
	{ "jmx_scrape_duration_seconds", METRIC_GAUGE,
	  "Time this scrape of the JVM took, in seconds." },
	{ "jmx_scrape_error", METRIC_GAUGE,
	  "1 if this scrape is incomplete because the connection failed." },
	{ "sjkc_scrape_unreadable", METRIC_GAUGE,
	  "MBeans and attributes that could not be read." },
	{ "sjkc_scrape_series_dropped", METRIC_GAUGE,
	  "Series left out because there are too many." },
	{ "sjkc_scrape_series_repeated", METRIC_GAUGE,
	  "Series left out because their name and labels are not unique." },
};
/* clang-format on */

#define GROUP_COUNT (sizeof(groups) / sizeof(*groups))

/* A chosen pattern, and its attributes. */
struct chosen {
	const char *pattern;
	const char *const *attributes;
	size_t attribute_count; /* 0: all */
};

/* An MBean to be read in the second run. */
struct found {
	const char *object;
	const struct figure_group *group; /* NULL: chosen */
	const struct chosen *chosen;
};

struct scrape {
	struct jmx *jmx;
	struct exposition e;
	struct arena arena;
	const struct chosen *chosen;
	size_t chosen_count;

	/* The requests of the current run, and whose they are. */
	struct jmx_request *requests;
	struct found *asked;
	size_t count, cap, asked_cap;

	struct found *found;
	size_t found_count, found_cap;
	const struct value **ids; /* of threads */
	size_t id_count;
	size_t unreadable;
	bool has_read; /* a reply has arrived */
};

static size_t names_count(const char *const names[ATTRIBUTES_MAX])
{
	size_t count = 0;

	while (count < ATTRIBUTES_MAX && names[count])
		count++;
	return count;
}

static void scrape_add_request(struct scrape *s, const struct jmx_request *q,
			       const struct found *of)
{
	array_reserve(s->requests, s->cap, s->count + 1);
	array_reserve(s->asked, s->asked_cap, s->count + 1);
	s->requests[s->count] = *q;
	s->asked[s->count++] = *of;
}

/* Numbers */

/* Writes n / 10^digits, exactly. */
static void number_print_fraction(int64_t n, int digits, char number[32])
{
	int64_t unit = digits == 9 ? CLOCK_NS_PER_S : 1000;

	snprintf(number, 32, "%" PRId64 ".%0*" PRId64, n / unit, digits,
		 n % unit);
}

/* False for values that are no numbers. */
static bool number_of_value(const struct value *v, struct text *number)
{
	text_clear(number);
	switch (v->kind) {
	case VALUE_BOOLEAN:
	case VALUE_INTEGER:
		text_printf(number, "%" PRId64, v->integer);
		return true;
	case VALUE_REAL:
		if (isinf(v->real))
			text_puts(number, v->real < 0 ? "-Inf" : "+Inf");
		else
			value_add_real(number, v);
		return true;
	case VALUE_NUMBER:
		text_add(number, v->text.at, v->text.len);
		/* BigDecimal: "1E+3"; nothing else may reach the document. */
		if (!number->len ||
		    strspn(number->bytes, "+-.0123456789eE") != number->len)
			return false;
		/* Prometheus rejects a document with a number beyond a double.
		 */
		if (isinf(strtod(number->bytes, NULL))) {
			bool negative = number->bytes[0] == '-';

			text_clear(number);
			text_puts(number, negative ? "-Inf" : "+Inf");
		}
		return true;
	default:
		return false;
	}
}

static void figure_add(struct scrape *s, const struct figure *f,
		       const struct value *v,
		       const struct metric_labels *labels)
{
	char number[32];
	int64_t n;

	if (f->part)
		v = value_member(v, f->part);
	/* Negative: not defined, as the maximum of many pools. */
	n = value_integer_of(v, -1);
	if (n < 0)
		return;
	if (f->unit == FIGURE_NUMBER)
		snprintf(number, sizeof(number), "%" PRId64, n);
	else
		number_print_fraction(n, f->unit == FIGURE_NS ? 9 : 3, number);
	exposition_add(&s->e, &f->metric, f->suffix ? f->suffix : "", labels,
		       number);
}

/* The value of a key property, without quotes and escapes. */
static const char *property_text(struct arena *a, const char *value)
{
	size_t len = strlen(value);
	char *copy, *to;

	if (len < 2 || *value != '"')
		return arena_copy(a, value, len);
	to = copy = arena_alloc(a, len);
	for (value++; *value && *value != '"'; value++) {
		if (*value == '\\' && value[1])
			*to++ = *++value == 'n' ? '\n' : *value;
		else
			*to++ = *value;
	}
	*to = '\0';
	return copy;
}

static void scrape_take_group(struct scrape *s, const struct found *of,
			      const struct value *values)
{
	const struct figure_group *g = of->group;
	struct object_name name = { 0 };
	const char *title = NULL;

	if (g->label && object_name_parse(&name, of->object, strlen(of->object),
					  error_unused()))
		return;
	if (g->label)
		title = object_name_property(&name, "name");
	for (size_t i = 0; i < g->count; i++) {
		const struct figure *f = &g->figures[i];
		const char *label = g->label ? g->label : f->label;
		struct metric_labels labels = { 0 };

		if (label)
			metric_labels_add(
				&labels, label,
				title ? property_text(&s->arena, title)
				: f->label_value ? f->label_value
						 : "");
		figure_add(s, f, value_member(values, f->attribute), &labels);
	}
	object_name_release(&name);
}

/* System properties are a table, or, over Jolokia, a map of strings. */
static const char *property_of_system(const struct value *properties,
				      const char *name)
{
	const struct value *v = value_path(properties, name);

	if (v && v->kind == VALUE_COMPOSITE)
		v = value_member(v, "value");
	return value_text_of(v);
}

static void scrape_take_runtime(struct scrape *s, const struct value *values)
{
	static const char *const keys[][2] = {
		{ "runtime", "java.runtime.name" },
		{ "vendor", "java.vm.vendor" },
		{ "version", "java.runtime.version" },
	};
	const struct value *properties = value_member(values,
						      "SystemProperties");
	struct metric_labels labels = { 0 };

	for (size_t i = 0; properties && i < 3; i++) {
		const char *value = property_of_system(properties, keys[i][1]);

		if (value)
			metric_labels_add(&labels, keys[i][0], value);
	}
	if (!labels.count)
		return;
	exposition_add(&s->e, &runtime_info, "", &labels, "1");
	exposition_add(&s->e, &old_runtime_info, "", &labels, "1");
}

static void scrape_take_ids(struct scrape *s, const struct value *values)
{
	const struct value *ids = value_member(values, "AllThreadIds");

	if (!ids || ids->kind != VALUE_ARRAY ||
	    ids->list.count > STATES_THREADS_MAX)
		return;
	s->ids = arena_alloc(&s->arena, ids->list.count * sizeof(*s->ids));
	for (size_t i = 0; i < ids->list.count; i++) {
		int64_t id = value_integer_of(ids->list.at[i], 0);

		if (id > 0)
			s->ids[s->id_count++] = value_integer(&s->arena, "long",
							      id);
	}
}

/* Chosen MBeans */

/* Finds the colon before the attributes: the second one outside of quotes. */
static const char *chosen_find_attributes(const char *text)
{
	bool is_quoted = false;
	int colons = 0;

	for (; *text; text++) {
		if (*text == '\\' && is_quoted && text[1])
			text++;
		else if (*text == '"')
			is_quoted = !is_quoted;
		else if (*text == ':' && !is_quoted && ++colons == 2)
			return text;
	}
	return NULL;
}

int metrics_check(const char *chosen, struct error *err)
{
	const char *attributes = chosen_find_attributes(chosen);
	size_t len = attributes ? (size_t)(attributes - chosen)
				: strlen(chosen);
	struct object_name name;

	if (object_name_parse(&name, chosen, len, err))
		return -1;
	object_name_release(&name);
	if (!attributes)
		return 0;
	for (const char *at = attributes; *at; at += strcspn(at + 1, ",") + 1)
		if (!at[1] || at[1] == ',')
			return fail(err, ERROR_MISUSE,
				    "an attribute name is empty; use "
				    "<pattern>:<attribute>,…");
	return 0;
}

static void chosen_parse(struct chosen *c, const char *text, struct arena *a)
{
	const char *attributes = chosen_find_attributes(text);
	const char **names;
	char *list;

	*c = (struct chosen){
		.pattern = arena_copy(a, text,
				      attributes ? (size_t)(attributes - text)
						 : strlen(text)),
	};
	if (!attributes)
		return;
	list = arena_copy(a, attributes + 1, strlen(attributes + 1));
	names = arena_alloc(a, (strlen(list) + 1) * sizeof(*names));
	for (char *rest = list, *name; (name = strsep(&rest, ","));)
		names[c->attribute_count++] = name;
	c->attributes = names;
}

/*
 * Types whose values cannot become numbers.  Object is not among them, because
 * many libraries declare numbers as Object.
 */
static bool chosen_may_be_number(const char *type)
{
	static const char *const others[] = {
		"java.lang.String",
		"java.lang.Class",
		"java.util.Date",
		"java.util.Map",
		"java.util.List",
		"java.util.Set",
		"java.util.Collection",
		"javax.management.ObjectName",
		"javax.management.openmbean.TabularData",
	};

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (strcmp(type, others[i]) == 0)
			return false;
	return *type != '[';
}

/* For jmx_reader. */
static const char *const *chosen_choose(void *self, const char *object,
					const struct jmx_info *info,
					struct arena *a, size_t *count,
					const void **note, struct error *err)
{
	const char **names = arena_alloc(a, (info->attribute_count + 1) *
						    sizeof(*names));

	(void)self;
	(void)object;
	(void)note;
	(void)err;
	*count = 0;
	for (size_t i = 0; i < info->attribute_count; i++) {
		const struct jmx_feature *f = &info->attributes[i];

		if (f->readable && chosen_may_be_number(f->type))
			names[(*count)++] = arena_copy(a, f->name,
						       strlen(f->name));
	}
	return names;
}

/* The names and labels of an MBean's series. */
struct mbean {
	const char *object;
	struct text prefix; /* "kafka_server_BrokerTopicMetrics_" */
	struct metric_labels labels;
	struct arena arena;
};

/* False if the name cannot be parsed, or has too many key properties. */
static bool mbean_init(struct mbean *m, const char *object)
{
	static const char *const ours[] = { "jvm_", "process_", "jmx_scrape_",
					    "sjkc_scrape_" };
	struct object_name name;
	bool fits = true;

	*m = (struct mbean){ .object = object };
	if (object_name_parse(&name, object, strlen(object), error_unused()))
		return false;
	exposition_add_name(&m->prefix, name.domain);
	for (size_t i = 0; i < name.property_count; i++) {
		const struct object_name_property *p = &name.properties[i];
		const char *value = property_text(&m->arena, p->value);

		if (i == 0) {
			exposition_add_name(&m->prefix, "_");
			exposition_add_name(&m->prefix, value);
		} else {
			const char *key = arena_copy(&m->arena, p->key,
						     strlen(p->key));

			fits &= metric_labels_add(&m->labels, key, value);
		}
	}
	object_name_release(&name);
	/* A chosen MBean must not add to a family of the standard metrics. */
	for (size_t i = 0; i < sizeof(ours) / sizeof(*ours); i++)
		if (strncmp(m->prefix.bytes, ours[i], strlen(ours[i])) == 0) {
			struct text prefix = { 0 };

			text_printf(&prefix, "mbean_%s", m->prefix.bytes);
			text_release(&m->prefix);
			m->prefix = prefix;
			break;
		}
	exposition_add_name(&m->prefix, "_");
	return fits;
}

static void mbean_add_series(struct scrape *s, const struct mbean *m,
			     const char *attribute, const char *part,
			     const struct value *v)
{
	struct text name = { 0 }, help = { 0 }, number = { 0 };

	if (number_of_value(v, &number)) {
		text_puts(&name, m->prefix.bytes);
		exposition_add_name(&name, attribute);
		if (part) {
			exposition_add_name(&name, "_");
			exposition_add_name(&name, part);
		}
		text_printf(&help, "Attribute %s%s%s of %s", attribute,
			    part ? "." : "", part ? part : "", m->object);
		exposition_add(&s->e,
			       &(struct metric){ name.bytes, METRIC_UNTYPED,
						 help.bytes },
			       "", &m->labels, number.bytes);
	}
	text_release(&name);
	text_release(&help);
	text_release(&number);
}

static void mbean_add_attribute(struct scrape *s, const struct mbean *m,
				const char *attribute, const struct value *v)
{
	if (v->kind == VALUE_ERROR &&
	    jmx_failure_kind(v->text.at) != ERROR_NO_TARGET)
		s->unreadable++;
	if (v->kind != VALUE_COMPOSITE) {
		mbean_add_series(s, m, attribute, NULL, v);
		return;
	}
	for (size_t i = 0; i < v->members.count; i++)
		mbean_add_series(s, m, attribute, v->members.at[i].name,
				 v->members.at[i].value);
}

static void scrape_add_mbean(struct scrape *s, const char *object,
			     const struct value *values)
{
	struct mbean m;

	if (!mbean_init(&m, object))
		s->e.dropped++;
	else
		for (size_t i = 0; i < values->members.count; i++)
			mbean_add_attribute(s, &m, values->members.at[i].name,
					    values->members.at[i].value);
	text_release(&m.prefix);
	arena_release(&m.arena);
}

/* For jmx_reader. */
static int chosen_take(void *self, const struct jmx_bean *bean,
		       struct error *err)
{
	struct scrape *s = self;

	(void)err;
	if (bean->failure && bean->kind != ERROR_NO_TARGET)
		s->unreadable++;
	if (bean->values && bean->values->kind == VALUE_COMPOSITE)
		scrape_add_mbean(s, bean->name, bean->values);
	return 0;
}

/* The runs */

static void scrape_take_names(struct scrape *s, const struct found *of,
			      const struct value *v)
{
	for (size_t i = 0; v->kind == VALUE_ARRAY && i < v->list.count; i++) {
		const char *name = value_text_of(v->list.at[i]);

		if (!name)
			continue;
		if (s->found_count == CHOSEN_MBEANS_MAX) {
			s->e.dropped++;
			continue;
		}
		array_add(s->found, s->found_count, s->found_cap,
			  (struct found){
				  .object = arena_copy(&s->arena, name,
						       strlen(name)),
				  .group = of->group,
				  .chosen = of->chosen,
			  });
	}
}

static int scrape_take_reply(void *self, size_t index,
			     const struct jmx_reply *reply, struct error *err)
{
	struct scrape *s = self;
	const struct found *of = &s->asked[index];
	const struct value *v = reply->value ? reply->value : &value_null;

	(void)err;
	s->has_read = true;
	/* A missing MBean is not a failure. */
	if (reply->failure) {
		s->unreadable += reply->kind != ERROR_NO_TARGET;
		return 0;
	}
	if (s->requests[index].verb == JMX_QUERY) {
		scrape_take_names(s, of, v);
		return 0;
	}
	if (v->kind != VALUE_COMPOSITE)
		return 0;
	if (!of->group) {
		scrape_add_mbean(s, of->object, v);
		return 0;
	}
	scrape_take_group(s, of, v);
	if (of->group->figures == runtime_figures)
		scrape_take_runtime(s, v);
	else if (of->group->figures == thread_figures)
		scrape_take_ids(s, v);
	return 0;
}

static int scrape_run(struct scrape *s, struct error *err)
{
	int ret = 0;

	if (s->count)
		ret = jmx_run(s->jmx, s->requests, s->count, scrape_take_reply,
			      s, err);
	s->count = 0;
	return ret;
}

/* The first run: MBeans with known names, and the names of the others. */
static int scrape_run_first(struct scrape *s, struct error *err)
{
	for (size_t i = 0; i < GROUP_COUNT; i++) {
		const struct figure_group *g = &groups[i];
		const struct jmx_request q = {
			.verb = g->label ? JMX_QUERY : JMX_GET,
			.object = g->object,
			.names = g->attributes,
			.name_count = names_count(g->attributes),
		};

		scrape_add_request(s, &q, &(struct found){ .group = g });
	}
	for (size_t i = 0; i < s->chosen_count; i++) {
		const struct jmx_request q = {
			.verb = JMX_QUERY,
			.object = s->chosen[i].pattern,
		};

		scrape_add_request(s, &q,
				   &(struct found){ .chosen = &s->chosen[i] });
	}
	return scrape_run(s, err);
}

/* The second run: the MBeans that were found. */
static int scrape_run_second(struct scrape *s, struct error *err)
{
	for (size_t i = 0; i < s->found_count; i++) {
		const struct found *f = &s->found[i];
		struct jmx_request q = { .verb = JMX_GET, .object = f->object };

		if (f->group) {
			q.names = f->group->attributes;
			q.name_count = names_count(f->group->attributes);
		} else {
			q.names = f->chosen->attributes;
			q.name_count = f->chosen->attribute_count;
		}
		if (q.name_count)
			scrape_add_request(s, &q, f);
	}
	return scrape_run(s, err);
}

/* MBeans for which the user chose all attributes. */
static int scrape_read_whole(struct scrape *s, struct error *err)
{
	const struct jmx_reader reader = { chosen_choose, chosen_take, s,
					   NULL };
	const char **names = arena_alloc(&s->arena,
					 (s->found_count + 1) * sizeof(*names));
	size_t count = 0;

	for (size_t i = 0; i < s->found_count; i++)
		if (!s->found[i].group && !s->found[i].chosen->attribute_count)
			names[count++] = s->found[i].object;
	return count ? jmx_read(s->jmx, names, count, &reader, err) : 0;
}

/* States of threads, and deadlocks */

static void threads_add_states(struct scrape *s, const struct value *infos)
{
	static const char *const states[] = { "NEW",           "RUNNABLE",
					      "BLOCKED",       "WAITING",
					      "TIMED_WAITING", "TERMINATED" };
	size_t counts[6] = { 0 };

	if (infos->kind != VALUE_ARRAY)
		return;
	for (size_t i = 0; i < infos->list.count; i++) {
		/* Null: the thread has ended. */
		const char *state = value_text_of(
			value_member(infos->list.at[i], "threadState"));

		for (size_t k = 0; state && k < 6; k++)
			counts[k] += strcmp(state, states[k]) == 0;
	}
	for (size_t k = 0; k < 6; k++) {
		struct metric_labels labels = { 0 };
		char number[24];

		metric_labels_add(&labels, "state", states[k]);
		snprintf(number, sizeof(number), "%zu", counts[k]);
		exposition_add(&s->e, &threads_state, "", &labels, number);
	}
}

static int threads_take_reply(void *self, size_t index,
			      const struct jmx_reply *reply, struct error *err)
{
	struct scrape *s = self;
	const struct value *v = reply->value ? reply->value : &value_null;
	char number[24];

	(void)err;
	if (reply->failure) {
		s->unreadable++;
	} else if (index == 0) {
		threads_add_states(s, v);
	} else {
		/* Null: there are none. */
		snprintf(number, sizeof(number), "%zu",
			 v->kind == VALUE_ARRAY ? v->list.count : 0);
		exposition_add(&s->e, &deadlocks[index - 1], "", NULL, number);
	}
	return 0;
}

/*
 * Calls of operations have their own run, because a read-only proxy or user
 * makes the whole run fail.  Without stack traces, getThreadInfo() stops no
 * thread.
 */
static int scrape_run_operations(struct scrape *s, bool has_deadlocks,
				 struct error *err)
{
	static const char *const info = "getThreadInfo";
	static const char *const signature[] = { "[J", "int" };
	const struct value ids = {
		.kind = VALUE_ARRAY,
		.type = "[J",
		.list = { s->ids, s->id_count },
	};
	const struct value depth = { .kind = VALUE_INTEGER, .type = "int" };
	const struct value *const arguments[] = { &ids, &depth };
	struct jmx_request requests[3] = {
		{ .verb = JMX_INVOKE,
		  .object = THREADING,
		  .names = &info,
		  .name_count = 1,
		  .arguments = arguments,
		  .signature = signature,
		  .argument_count = 2 },
	};

	for (size_t i = 0; i < 2; i++)
		requests[1 + i] = (struct jmx_request){
			.verb = JMX_INVOKE,
			.object = THREADING,
			.names = &deadlock_operations[i],
			.name_count = 1,
		};
	if (!s->id_count)
		return 0;
	return jmx_run(s->jmx, requests, has_deadlocks ? 3 : 1,
		       threads_take_reply, s, err);
}

/* Metrics about the scrape itself, which are last. */
static void scrape_write_own(const struct scrape *s, int64_t begin_ns,
			     bool is_cut, struct text *out)
{
	struct exposition own = { 0 };
	char numbers[5][32];

	number_print_fraction(clock_monotonic_ns() - begin_ns, 9, numbers[0]);
	snprintf(numbers[1], 32, "%d", is_cut);
	snprintf(numbers[2], 32, "%zu", s->unreadable);
	snprintf(numbers[3], 32, "%zu", s->e.dropped);
	snprintf(numbers[4], 32, "%zu", s->e.repeated);
	for (size_t i = 0; i < 5; i++)
		exposition_add(&own, &scrape_figures[i], "", NULL, numbers[i]);
	exposition_write(&own, out);
	exposition_release(&own);
}

int metrics_read(struct jmx *j, const struct metrics_options *o,
		 struct text *out, struct error *err)
{
	int64_t begin_ns = clock_monotonic_ns();
	struct scrape s = { .jmx = j };
	struct chosen *chosen = arena_alloc(&s.arena, (o->chosen_count + 1) *
							      sizeof(*chosen));
	bool is_cut;

	for (size_t i = 0; i < o->chosen_count; i++)
		chosen_parse(&chosen[i], o->chosen[i], &s.arena);
	s.chosen = chosen;
	s.chosen_count = o->chosen_count;
	is_cut = scrape_run_first(&s, err) || scrape_run_second(&s, err) ||
		 scrape_read_whole(&s, err) ||
		 scrape_run_operations(&s, o->deadlocks, err);
	if (s.has_read) {
		exposition_write(&s.e, out);
		scrape_write_own(&s, begin_ns, is_cut, out);
	}
	exposition_release(&s.e);
	arena_release(&s.arena);
	free(s.requests);
	free(s.asked);
	free(s.found);
	if (!is_cut)
		return 0;
	return s.has_read ? 1 : -1;
}
