/* SPDX-License-Identifier: Apache-2.0 */
#include "core/push/push_attributes.h"

#include "core/base/ascii.h"
#include "core/base/protobuf.h"
#include "core/base/safe_text.h"
#include "core/formats/otlp_fields.h"

#include <string.h>

void push_attribute(struct text *resource, const char *key, const char *value,
		    size_t len)
{
	struct text any = { 0 }, both = { 0 }, valid = { 0 };

	/* Receivers refuse a request with a string that is not UTF-8. */
	safe_text_puts(&valid, key);
	protobuf_bytes(&both, KEY_VALUE_KEY, valid.bytes, valid.len);
	text_clear(&valid);
	safe_text(&valid, value, len);
	protobuf_bytes(&any, VALUE_STRING, valid.bytes, valid.len);
	protobuf_message(&both, KEY_VALUE_VALUE, &any);
	/* Resource.attributes is field 1. */
	protobuf_message(resource, 1, &both);
	text_release(&any);
	text_release(&both);
	text_release(&valid);
}

static bool attributes_is_separator(char c)
{
	return c == '.' || c == '_' || c == '-';
}

/* A key with another separator is the same label in most backends. */
static bool attributes_is_key(const char *key, const char *other)
{
	while (*key && (*key == *other || (attributes_is_separator(*key) &&
					   attributes_is_separator(*other)))) {
		key++;
		other++;
	}
	return !*key && !*other;
}

/* Ids that are new whenever a JVM starts. */
static bool attributes_is_id(const char *key)
{
	static const char *const ids[] = { "container.id", "k8s.pod.uid",
					   "k8s.pod.name", "process.pid",
					   "service.instance.id" };

	for (size_t i = 0; i < sizeof(ids) / sizeof(*ids); i++)
		if (attributes_is_key(key, ids[i]))
			return true;
	return false;
}

/* Backends refuse a whole request for one key that they cannot read. */
static bool attributes_is_valid_key(const struct text *key)
{
	static const char valid[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_.-";

	return key->len && key->len <= PUSH_KEY_MAX &&
	       strspn(key->bytes, valid) == key->len;
}

/* Returns the index of a key, or the number of keys. */
static size_t attributes_find(const struct push_attributes *a, const char *key)
{
	size_t at = 0, count = a->own_count + a->given_count;

	while (at < count && !attributes_is_key(a->keys[at].bytes, key))
		at++;
	return at;
}

void push_attributes_put(struct push_attributes *a, const char *key,
			 const char *value)
{
	if (!value || !*value || a->own_count == PUSH_OWN_MAX ||
	    a->given_count || (a->omits_ids && attributes_is_id(key)))
		return;
	push_attribute(&a->own, key, value, strnlen(value, PUSH_VALUE_MAX));
	text_puts(&a->keys[a->own_count++], key);
}

static void attributes_take(struct push_attributes *a, const struct text *key,
			    const struct text *value, bool repeats)
{
	size_t at = attributes_find(a, key->bytes);
	size_t count = a->own_count + a->given_count;

	if (!key->len || !value->len ||
	    attributes_is_key(key->bytes, "service.name") ||
	    at < a->own_count || (at < count && repeats) ||
	    (a->omits_ids && attributes_is_id(key->bytes)))
		return;
	if (at < count || a->given_count == PUSH_GIVEN_MAX ||
	    value->len > PUSH_VALUE_MAX || !attributes_is_valid_key(key)) {
		a->omitted++;
		return;
	}
	push_attribute(&a->given, key->bytes, value->bytes, value->len);
	text_puts(&a->keys[count], key->bytes);
	a->given_count++;
}

const char *push_attributes_next(const char *list, struct text *key,
				 struct text *value)
{
	size_t len = strcspn(list, ","), blanks = 0;
	const char *equals = memchr(list, '=', len);

	text_clear(key);
	text_clear(value);
	text_puts(key, "");
	text_puts(value, "");
	if (equals) {
		size_t key_len = (size_t)(equals - list);
		size_t value_len = len - key_len - 1;

		while (blanks < key_len && is_blank(list[blanks]))
			blanks++;
		while (key_len > blanks && is_blank(list[key_len - 1]))
			key_len--;
		while (value_len && is_blank(*++equals))
			value_len--;
		while (value_len && is_blank(equals[value_len - 1]))
			value_len--;
		text_add(key, list + blanks, key_len - blanks);
		text_percent_decoded(value, equals, value_len);
	}
	return list + len + (list[len] == ',');
}

void push_attributes_add_list(struct push_attributes *a, const char *list,
			      bool repeats)
{
	struct text key = { 0 }, value = { 0 };

	while (*list) {
		list = push_attributes_next(list, &key, &value);
		attributes_take(a, &key, &value, repeats);
	}
	text_release(&key);
	text_release(&value);
}

void push_attributes_release(struct push_attributes *a)
{
	text_release(&a->own);
	text_release(&a->given);
	for (size_t i = 0; i < a->own_count + a->given_count; i++)
		text_release(&a->keys[i]);
	*a = (struct push_attributes){ 0 };
}
