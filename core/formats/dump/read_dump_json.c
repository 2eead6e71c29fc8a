/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The JSON of Thread.dump_to_file (JDK 21):
 *
 *	{"threadDump":{"processId":"762","time":"2026-11-21T08:40:36Z",…,
 *	  "threadContainers":[{"container":"<root>",…,
 *	    "threads":[{"tid":"3","name":"main","state":"RUNNABLE",
 *	      "stack":["java.base/java.lang.Thread.run(Thread.java:1474)"]}]}]}}
 *
 * And the JSON of ThreadInfo that Spring Boot's actuator (/actuator/threaddump)
 * and others write, "{"threads":[…]}", or the array alone (Spring Boot 1):
 *
 *	{"threadName":"main","threadId":1,"threadState":"BLOCKED",
 *	  "lockName":"c.D@1f","lockOwnerId":12,"stackTrace":[{"className":"c.D",
 *	    "methodName":"run","fileName":"D.java","lineNumber":7}],
 *	  "lockedMonitors":[{"className":"c.D","identityHashCode":31}]}
 *
 * The levels above the threads are read value by value and cJSON reads one
 * thread at a time, so memory does not follow the input, and a file that is cut
 * keeps the threads before the cut.
 */
#include "core/base/alloc.h"
#include "core/base/json.h"
#include "core/base/lines.h"
#include "core/base/text.h"
#include "core/formats/dump/thread_dump.h"
#include "core/formats/reader.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

struct json_dump {
	struct thread_dump dump;
	struct json_reader in;
	const char *base;
	const char *counted; /* newlines have been counted up to here */
	uint64_t line;
};

/* A member of an object and the function that consumes its value. */
struct member {
	const char *key;
	bool (*take)(struct json_dump *r);
};

static uint64_t json_dump_line(struct json_dump *r)
{
	const char *at = r->in.failed ? r->in.failed_at : r->in.at;

	while (r->counted < at)
		r->line += *r->counted++ == '\n';
	return r->line;
}

/*
 * Skips a value of any depth and returns its text. False if it is incomplete or
 * not a value; its contents are not validated.
 */
static bool json_skip_value(struct json_dump *r, struct line *value)
{
	value->text = r->in.at;
	json_skip(&r->in);
	value->len = (size_t)(r->in.at - value->text);
	return !r->in.failed;
}

/* Reads the value of a member; false if it is incomplete. */
static bool json_read_value(struct json_dump *r, struct line key,
			    const struct member *members, size_t count)
{
	struct line value;

	for (size_t i = 0; i < count; i++)
		if (line_is(key, members[i].key))
			return members[i].take(r);
	return json_skip_value(r, &value);
}

/* Reads an object; false if it is incomplete or not an object. */
static bool json_read_object(struct json_dump *r, const struct member *members,
			     size_t count)
{
	struct line key;

	if (!json_enter_object(&r->in))
		return false;
	while (json_next_member(&r->in, &key))
		if (!json_read_value(r, key, members, count))
			return false;
	return !r->in.failed;
}

static bool json_read_array(struct json_dump *r,
			    bool (*take_element)(struct json_dump *r))
{
	if (!json_enter_array(&r->in))
		return false;
	while (json_next_element(&r->in))
		if (!take_element(r))
			return false;
	return !r->in.failed;
}

static cJSON *json_dump_parse(struct line value)
{
	return cJSON_ParseWithLengthOpts(value.text, value.len, NULL, 0);
}

static const char *json_text_of(const cJSON *object, const char *key)
{
	const char *text = cJSON_GetStringValue(
		cJSON_GetObjectItemCaseSensitive(object, key));

	return text ? text : "";
}

/* Numbers are strings, "tid":"3", but later JDKs may print plain numbers. */
static int64_t json_number_of(const cJSON *object, const char *key)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
	int64_t number = 0;

	if (cJSON_IsNumber(item)) {
		if (item->valuedouble > 0 && item->valuedouble < 0x1p53)
			number = (int64_t)item->valuedouble;
	} else if (cJSON_IsString(item)) {
		dump_decimal(item->valuestring, strlen(item->valuestring),
			     &number);
	}
	return number;
}

/* JDK 21 does not mark virtual threads, but their root frames reveal them. */
static bool frame_is_virtual_root(const char *frame)
{
	return strstr(frame, "java.lang.VirtualThread.run(") != NULL;
}

/* JDK 21 prints no states. A virtual thread waits in these methods. */
static enum thread_state frame_virtual_state(const char *leaf)
{
	if (strstr(leaf, "java.lang.VirtualThread.parkNanos(") ||
	    strstr(leaf, "java.lang.VirtualThread.sleepNanos("))
		return STATE_TIMED_WAITING;
	if (strstr(leaf, "java.lang.VirtualThread.park("))
		return STATE_WAITING;
	return STATE_NONE;
}

static void json_add_frames(struct json_dump *r, const cJSON *stack)
{
	const char *root = "";
	const char *leaf = cJSON_GetStringValue(cJSON_GetArrayItem(stack, 0));
	const cJSON *item;

	cJSON_ArrayForEach(item, stack)
	{
		const char *text = cJSON_GetStringValue(item);

		root = text ? text : "";
		if (!thread_dump_frame(&r->dump, DUMP_FRAME_JAVA, root,
				       strlen(root)))
			thread_dump_odd(&r->dump, DUMP_BAD_FRAME,
					json_dump_line(r));
	}
	if (frame_is_virtual_root(root))
		r->dump.thread.is_virtual = true;
	if (r->dump.thread.is_virtual && r->dump.state == STATE_NONE && leaf)
		r->dump.state = frame_virtual_state(leaf);
}

/* Adds a lock "c.D@1f"; nothing if the text is no object. */
static void json_add_lock(struct json_dump *r, enum tapped_lock_kind kind,
			  const char *object, int64_t owner_id)
{
	struct dump_lock lock = {
		.kind = kind,
		.id = { object, strlen(object) },
		.owner_id = owner_id,
	};

	if (dump_lock_object(object, lock.id.len, &lock.class_name))
		thread_dump_lock(&r->dump, &lock);
}

/*
 * Locks, since JDK 25: "blockedOn":"c.D@1f", "waitingOn":"c.D@1f",
 * "parkBlocker":{"object":"c.D@1f","owner":"12"}, and
 * "monitorsOwned":[{"depth":"3","locks":["c.D@1f"]}].
 */
static void json_add_locks(struct json_dump *r, const cJSON *thread)
{
	const cJSON *blocker = cJSON_GetObjectItemCaseSensitive(thread,
								"parkBlocker");
	const cJSON *owned = cJSON_GetObjectItemCaseSensitive(thread,
							      "monitorsOwned");
	const cJSON *at, *lock;

	json_add_lock(r, TAPPED_ENTERS, json_text_of(thread, "blockedOn"), 0);
	json_add_lock(r, TAPPED_WAITS, json_text_of(thread, "waitingOn"), 0);
	json_add_lock(r, TAPPED_PARKS, json_text_of(blocker, "object"),
		      json_number_of(blocker, "owner"));
	cJSON_ArrayForEach(at, owned)
	{
		const cJSON *locks = cJSON_GetObjectItemCaseSensitive(at,
								      "locks");

		cJSON_ArrayForEach(lock, locks)
		{
			const char *text = cJSON_GetStringValue(lock);

			json_add_lock(r, TAPPED_OWNS, text ? text : "", 0);
		}
	}
	r->dump.tap.peer_id = json_number_of(thread, "carrier");
}

static bool json_read_thread(struct json_dump *r)
{
	struct dump_header h = { 0 };
	struct line value;
	const char *state;
	cJSON *thread;

	if (!json_skip_value(r, &value))
		return false;
	thread = json_dump_parse(value);
	if (!cJSON_IsObject(thread)) {
		thread_dump_odd(&r->dump, DUMP_BAD_THREAD, json_dump_line(r));
		cJSON_Delete(thread);
		return true;
	}
	state = json_text_of(thread, "state");
	h.state = dump_state(state, strlen(state));
	h.name = json_text_of(thread, "name");
	h.name_len = strlen(h.name);
	h.java_id = json_number_of(thread, "tid");
	h.is_virtual = cJSON_IsTrue(
		cJSON_GetObjectItemCaseSensitive(thread, "virtual"));
	thread_dump_begin(&r->dump, &h);
	if (r->dump.profile->thread_tap)
		json_add_locks(r, thread);
	json_add_frames(r, cJSON_GetObjectItemCaseSensitive(thread, "stack"));
	thread_dump_end(&r->dump);
	profile_progress(r->dump.profile, (uint64_t)(r->in.at - r->base),
			 (uint64_t)(r->in.end - r->base));
	cJSON_Delete(thread);
	return true;
}

/* Adds a frame {"className":…,"methodName":…,"fileName":…,"lineNumber":7}. */
static void json_add_element(struct json_dump *r, const cJSON *element)
{
	const cJSON *line = cJSON_GetObjectItemCaseSensitive(element,
							     "lineNumber");
	const char *file = json_text_of(element, "fileName");
	struct text frame = { 0 };

	text_printf(&frame, "%s.%s(", json_text_of(element, "className"),
		    json_text_of(element, "methodName"));
	/* StackTraceElement.isNativeMethod() */
	if (cJSON_IsNumber(line) && line->valueint == -2)
		text_puts(&frame, "Native Method");
	else
		text_puts(&frame, *file ? file : "Unknown Source");
	if (*file && cJSON_IsNumber(line) && line->valueint > 0)
		text_printf(&frame, ":%d", line->valueint);
	text_putc(&frame, ')');
	if (!thread_dump_frame(&r->dump, DUMP_FRAME_JAVA, frame.bytes,
			       frame.len))
		thread_dump_odd(&r->dump, DUMP_BAD_FRAME, json_dump_line(r));
	text_release(&frame);
}

/* Adds the locks of "lockedMonitors" or "lockedSynchronizers". */
static void json_add_owned(struct json_dump *r, enum tapped_lock_kind kind,
			   const cJSON *locks)
{
	struct text object = { 0 };
	const cJSON *lock;

	cJSON_ArrayForEach(lock, locks)
	{
		const cJSON *hash = cJSON_GetObjectItemCaseSensitive(
			lock, "identityHashCode");

		if (!cJSON_IsNumber(hash))
			continue;
		text_clear(&object);
		text_printf(&object, "%s@%x", json_text_of(lock, "className"),
			    (unsigned)hash->valueint);
		json_add_lock(r, kind, object.bytes, 0);
	}
	text_release(&object);
}

/* Only the leaf tells LockSupport.park() from Object.wait(). */
static void json_add_info_locks(struct json_dump *r, const cJSON *thread,
				const cJSON *leaf)
{
	enum tapped_lock_kind kind = TAPPED_WAITS;

	if (r->dump.state == STATE_BLOCKED)
		kind = TAPPED_ENTERS;
	else if (strcmp(json_text_of(leaf, "methodName"), "park") == 0)
		kind = TAPPED_PARKS;
	json_add_lock(r, kind, json_text_of(thread, "lockName"),
		      json_number_of(thread, "lockOwnerId"));
	json_add_owned(
		r, TAPPED_OWNS,
		cJSON_GetObjectItemCaseSensitive(thread, "lockedMonitors"));
	json_add_owned(r, TAPPED_OWNS_SYNCHRONIZER,
		       cJSON_GetObjectItemCaseSensitive(thread,
							"lockedSynchronizers"));
}

/* Reads a thread of ThreadInfo. */
static bool json_read_info(struct json_dump *r)
{
	struct dump_header h = { 0 };
	const cJSON *stack, *element;
	struct line value;
	const char *state;
	cJSON *thread;

	if (!json_skip_value(r, &value))
		return false;
	thread = json_dump_parse(value);
	state = json_text_of(thread, "threadState");
	h.state = dump_state(state, strlen(state));
	h.name = json_text_of(thread, "threadName");
	h.name_len = strlen(h.name);
	h.java_id = json_number_of(thread, "threadId");
	h.is_daemon = cJSON_IsTrue(
		cJSON_GetObjectItemCaseSensitive(thread, "daemon"));
	if (!h.state && !h.name_len) {
		thread_dump_odd(&r->dump, DUMP_BAD_THREAD, json_dump_line(r));
		cJSON_Delete(thread);
		return true;
	}
	stack = cJSON_GetObjectItemCaseSensitive(thread, "stackTrace");
	thread_dump_begin(&r->dump, &h);
	if (r->dump.profile->thread_tap)
		json_add_info_locks(r, thread, cJSON_GetArrayItem(stack, 0));
	cJSON_ArrayForEach(element, stack) json_add_element(r, element);
	thread_dump_end(&r->dump);
	profile_progress(r->dump.profile, (uint64_t)(r->in.at - r->base),
			 (uint64_t)(r->in.end - r->base));
	cJSON_Delete(thread);
	return true;
}

static bool json_read_infos(struct json_dump *r)
{
	thread_dump_new(&r->dump);
	r->dump.time_ns = 0;
	return json_read_array(r, json_read_info);
}

static bool json_read_threads(struct json_dump *r)
{
	return json_read_array(r, json_read_thread);
}

static bool json_read_container(struct json_dump *r)
{
	static const struct member members[] = {
		{ "threads", json_read_threads },
	};

	return json_read_object(r, members, 1);
}

static bool json_read_containers(struct json_dump *r)
{
	return json_read_array(r, json_read_container);
}

static bool json_read_time(struct json_dump *r)
{
	struct line value;

	if (!json_skip_value(r, &value))
		return false;
	value = line_trimmed(value);
	if (value.len > 2) /* without its quotes */
		thread_dump_time(value.text + 1, value.len - 2,
				 &r->dump.time_ns);
	return true;
}

static bool json_read_dump(struct json_dump *r)
{
	static const struct member members[] = {
		{ "time", json_read_time },
		{ "threadContainers", json_read_containers },
	};

	thread_dump_new(&r->dump);
	r->dump.time_ns = 0;
	return json_read_object(r, members, 2);
}

/* Returns the next character that is not white space; NUL at the end. */
static char json_dump_next(struct json_dump *r)
{
	while (r->in.at < r->in.end && strchr(" \t\r\n", *r->in.at) &&
	       *r->in.at)
		r->in.at++;
	return r->in.at < r->in.end ? *r->in.at : '\0';
}

/* Reads one document, or several in a row. */
static void json_read_documents(struct json_dump *r)
{
	static const struct member members[] = {
		{ "threadDump", json_read_dump },
		{ "threads", json_read_infos },
	};
	char first = json_dump_next(r);

	do {
		if (!(first == '[' ? json_read_infos(r)
				   : json_read_object(r, members, 2))) {
			thread_dump_cut(&r->dump, false, json_dump_line(r));
			return;
		}
		first = json_dump_next(r);
	} while (first == '{' || first == '[');
	if (r->in.at < r->in.end)
		thread_dump_odd(&r->dump, DUMP_LINE_OUTSIDE, json_dump_line(r));
}

static bool json_dump_sniff(const uint8_t *head, size_t len)
{
	static const char info[] = "\"threadName\"";
	struct json_reader in = json_reader_over((const char *)head, len);
	bool has_infos = memmem(head, len, info, sizeof(info) - 1);
	struct line key;

	if (json_enter_array(&in))
		return has_infos && json_next_element(&in) &&
		       json_enter_object(&in);
	in = json_reader_over((const char *)head, len);
	if (!json_enter_object(&in) || !json_next_member(&in, &key))
		return false;
	return line_is(key, "threadDump") ||
	       (has_infos && line_is(key, "threads") && json_enter_array(&in));
}

static int json_read(const uint8_t *bytes, size_t len, struct profile *p,
		     struct error *err)
{
	const char *text = (const char *)bytes;
	struct json_dump r = {
		.in = json_reader_over(text, len),
		.base = text,
		.counted = text,
		.line = 1,
	};
	int ret = 0;

	if (!json_dump_sniff(bytes, len))
		return fail(err, ERROR_INPUT,
			    "not JSON that begins with \"threadDump\" or "
			    "with a list of threads");
	cJSON_InitHooks(
		&(cJSON_Hooks){ .malloc_fn = xmalloc, .free_fn = free });
	thread_dump_init(&r.dump, p);
	json_read_documents(&r);
	thread_dump_finish(&r.dump);
	if (!r.dump.threads)
		ret = fail(err, ERROR_INPUT, "a thread dump without threads");
	thread_dump_release(&r.dump);
	return ret;
}

const struct reader dump_json_reader = {
	.name = "jstack-json",
	.summary = "thread dumps of dump_to_file and Spring Boot as JSON",
	.sniff = json_dump_sniff,
	.read = json_read,
};
