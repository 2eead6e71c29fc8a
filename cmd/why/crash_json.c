/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/why/crash.h"
#include "core/base/json.h"

#include <inttypes.h>

static void json_add_amount(struct json *j, const char *key, uint64_t amount)
{
	if (amount == HS_ERR_ABSENT)
		json_add_null(j, key);
	else
		json_add_uint(j, key, amount);
}

static void json_add_hex(struct json *j, const char *key, bool is_known,
			 uint64_t address)
{
	struct text hex = { 0 };

	text_printf(&hex, "0x%" PRIx64, address);
	json_add_text(j, key, is_known ? hex.bytes : NULL);
	text_release(&hex);
}

static void json_frame(struct json *j, const struct hs_err_frame *f)
{
	json_open_object(j);
	json_add_string(j, "kind", &f->kind, 1);
	json_add_text(j, "text", f->text);
	json_add_text(j, "library", f->library);
	json_add_hex(j, "offset", f->kind == 'C' || f->kind == 'V', f->offset);
	json_add_text(j, "symbol", f->symbol);
	json_add_text(j, "method", f->method);
	json_add_text(j, "path", f->path);
	json_add_bool(j, "deleted", f->is_deleted);
	json_close_object(j);
}

static void json_add_stack(struct json *j, const char *key,
			   const struct hs_err_stack *s)
{
	json_add_object(j, key);
	json_add_array(j, "frames");
	for (size_t i = 0; i < s->count; i++)
		json_frame(j, &s->frames[i]);
	json_close_array(j);
	json_add_uint(j, "omitted", s->omitted);
	json_close_object(j);
}

static void json_add_cause(struct json *j, const struct hs_err *e)
{
	static const char *const kinds[] = {
		[HS_ERR_UNKNOWN] = "unknown",
		[HS_ERR_SIGNAL] = "signal",
		[HS_ERR_INTERNAL] = "internal error",
		[HS_ERR_NO_MEMORY] = "out of memory",
	};

	json_add_text(j, "kind", kinds[e->kind]);
	json_add_text(j, "signal", e->signal);
	json_add_text(j, "code", e->code);
	json_add_hex(j, "address", e->has_address, e->address);
	json_add_text(j, "mapped_file", e->mapped_file);
	json_add_bool(j, "sent_by_kill", e->sent_by_kill);
	json_add_id(j, "sender_pid", (int64_t)e->sender);
	json_add_text(j, "source", e->source);
	json_add_text(j, "message", e->message);
	json_add_id(j, "pid", (int64_t)e->pid);
	json_key(j, "problematic_frame");
	if (e->frame.kind)
		json_frame(j, &e->frame);
	else
		json_null(j);
}

static void json_add_thread(struct json *j, const struct hs_err *e)
{
	json_add_object(j, "thread");
	json_add_id(j, "tid", (int64_t)e->tid);
	json_add_text(j, "name", e->thread);
	json_add_text(j, "kind", e->thread_kind);
	json_add_text(j, "state", e->thread_state);
	json_add_hex(j, "stack_low", e->stack_low != 0, e->stack_low);
	json_add_hex(j, "stack_high", e->stack_high != 0, e->stack_high);
	json_add_hex(j, "stack_pointer", e->stack_pointer != 0,
		     e->stack_pointer);
	json_close_object(j);
	json_add_text(j, "compiler", e->compiler);
	json_add_text(j, "compiled_method", e->compiled);
	json_add_text(j, "vm_operation", e->operation);
	json_add_text(j, "stack_library", e->stack_library);
	json_add_stack(j, "native_stack", &e->native);
	json_add_stack(j, "java_stack", &e->java);
}

static void json_add_limits(struct json *j, const char *key,
			    const struct hs_err_limit *limits, size_t count)
{
	json_add_object(j, key);
	for (size_t i = 0; i < count; i++) {
		json_foreign_key(j, limits[i].name);
		json_text(j, limits[i].value);
	}
	json_close_object(j);
}

static void json_add_memory(struct json *j, const struct hs_err *e)
{
	json_add_array(j, "heap");
	for (size_t i = 0; i < e->space_count; i++) {
		json_open_object(j);
		json_add_text(j, "name", e->spaces[i].name);
		json_add_amount(j, "used_bytes", e->spaces[i].used);
		json_add_amount(j, "committed_bytes", e->spaces[i].committed);
		json_close_object(j);
	}
	json_close_array(j);
	json_add_amount(j, "memory_bytes", e->memory);
	json_add_amount(j, "memory_free_bytes", e->memory_free);
	json_add_amount(j, "swap_bytes", e->swap);
	json_add_amount(j, "swap_free_bytes", e->swap_free);
	json_add_amount(j, "container_memory_bytes", e->container_memory);
	json_add_amount(j, "container_usage_bytes", e->container_usage);
	json_add_amount(j, "mappings", e->mappings);
	json_add_amount(j, "max_mappings", e->max_mappings);
	json_add_limits(j, "limits", e->limits, e->limit_count);
	json_add_limits(j, "container", e->container, e->container_count);
}

static void json_add_jvm(struct json *j, const struct hs_err *e)
{
	json_add_text(j, "jre", e->jre);
	json_add_text(j, "vm", e->vm);
	json_add_text(j, "command", e->command);
	if (e->elapsed >= 0)
		json_add_double(j, "uptime_s", e->elapsed);
	else
		json_add_null(j, "uptime_s");
	json_add_bool(j, "core_written", e->has_core);
	json_add_text(j, "core", e->core);
}

static void json_add_events(struct json *j, const struct hs_err *e)
{
	json_add_array(j, "events");
	for (size_t i = 0; i < e->event_count; i++) {
		json_open_object(j);
		json_add_double(j, "time_s", e->events[i].seconds);
		json_add_text(j, "kind", e->events[i].kind);
		json_add_text(j, "text", e->events[i].text);
		json_close_object(j);
	}
	json_close_array(j);
	json_add_object(j, "lost");
	json_add_bool(j, "head_only", e->is_header);
	json_add_bool(j, "truncated", e->is_truncated);
	json_add_uint(j, "failed_parts", e->failed_steps);
	json_add_uint(j, "cut_strings", e->cut_strings);
	json_close_object(j);
}

void crash_write_json(struct text *out, const struct crash *c)
{
	struct json j = json_document(out, "sjkc.hs_err/1");
	struct text sentence = { 0 };

	json_add_text(&j, "source_file", c->path);
	json_add_text(&j, "rule", crash_rule_name(c));
	crash_add_cause(&sentence, c);
	json_add_text(&j, "cause", sentence.bytes);
	text_clear(&sentence);
	crash_add_next(&sentence, c);
	json_add_text(&j, "next_step", sentence.bytes);
	json_add_cause(&j, c->e);
	json_add_thread(&j, c->e);
	json_add_jvm(&j, c->e);
	json_add_memory(&j, c->e);
	json_add_events(&j, c->e);
	json_end_document(&j);
	text_release(&sentence);
}
