/* SPDX-License-Identifier: Apache-2.0 */
/* mx --call: chooses an operation by its name and arguments, and calls it. */
#include "cmd/jmx/mx.h"

#include "core/base/alloc.h"
#include "core/base/nearest.h"
#include "core/base/safe_text.h"
#include "core/base/units.h"
#include "jmx_http/value/argument.h"
#include "jmx_http/value/java_type.h"

#include <stdlib.h>
#include <string.h>

/* Choosing the operation */

#define LISTED_MAX 8 /* maximum number of names in an error */

/* The operation that the user asks for. */
struct wanted {
	const char *name;
	size_t len;
	const char *types; /* the text after "("; NULL: any types */
	const struct option_list *arguments;
};

static struct wanted operation_wanted_of(const char *text,
					 const struct option_list *arguments)
{
	struct wanted w = { .name = text,
			    .len = strcspn(text, "("),
			    .arguments = arguments };
	size_t len = strlen(text);

	if (len > w.len && text[len - 1] == ')')
		w.types = text + w.len + 1;
	else
		w.len = len;
	return w;
}

/* Like SJK, sjkc ignores case, but prefers an exact match. */
static bool operation_has_name(const struct jmx_feature *f,
			       const struct wanted *w, bool any_case)
{
	return strlen(f->name) == w->len &&
	       (any_case ? strncasecmp(f->name, w->name, w->len)
			 : strncmp(f->name, w->name, w->len)) == 0;
}

/* types is the end of a signature: "int, long[])". */
static bool operation_has_types(const struct jmx_feature *f, const char *types)
{
	for (size_t i = 0; i < f->parameter_count; i++) {
		size_t len = strcspn(types, ",)"), shown;

		while (len && *types == ' ') {
			types++;
			len--;
		}
		for (shown = len; shown && types[shown - 1] == ' '; shown--)
			;
		if (!java_type_is(f->parameters[i].type, types, shown))
			return false;
		types += len;
		if (*types != (i + 1 < f->parameter_count ? ',' : ')'))
			return false;
		types++;
	}
	types += strspn(types, " ");
	return f->parameter_count ? !*types : strcmp(types, ")") == 0;
}

/* Appends "sum(int, int)"; the text is foreign. */
static void mx_operation_signature(struct text *out,
				   const struct jmx_feature *f)
{
	text_printf(out, "%s(", f->name);
	for (size_t i = 0; i < f->parameter_count; i++) {
		text_puts(out, i ? ", " : "");
		java_type_add(out, f->parameters[i].type);
	}
	text_putc(out, ')');
}

/* Operations that may be meant, by their index in info. */
struct candidates {
	const struct jmx_info *info;
	size_t *at;
	size_t count;
};

static const struct jmx_feature *operation_candidate(const struct candidates *c,
						     size_t i)
{
	return &c->info->operations[c->at[i]];
}

static void operation_find_named(struct candidates *c, const struct wanted *w,
				 bool any_case)
{
	for (size_t i = 0; i < c->info->operation_count; i++) {
		if (operation_has_name(&c->info->operations[i], w, any_case))
			c->at[c->count++] = i;
	}
}

/* Appends the names if they are few, or how to list them. */
static void operation_list_names(const struct jmx_info *info, struct text *out)
{
	text_puts(out, "; ");
	if (!info->operation_count) {
		text_puts(out, "the MBean has no operations");
	} else if (info->operation_count > LISTED_MAX) {
		text_puts(out, "--info lists them");
	} else {
		for (size_t i = 0; i < info->operation_count; i++) {
			text_puts(out, i ? ", " : "operations: ");
			text_puts(out, info->operations[i].name);
		}
	}
}

static int operation_no_name(const struct candidates *c, const struct wanted *w,
			     struct error *err)
{
	struct nearest nearest = nearest_to(w->name, w->len);
	struct text hint = { 0 };

	for (size_t i = 0; i < c->info->operation_count; i++)
		nearest_offer(&nearest, c->info->operations[i].name);
	if (!nearest_suggest(&nearest, &hint))
		operation_list_names(c->info, &hint);
	fail(err, ERROR_NO_TARGET, "there is no operation '%.*s'%s",
	     (int)w->len, w->name, hint.bytes);
	text_release(&hint);
	return -1;
}

/* Fails and lists the candidates. */
static int operation_list(const struct candidates *c, const char *why,
			  struct error *err)
{
	struct text text = { 0 };

	for (size_t i = 0; i < c->count; i++) {
		text_puts(&text, i ? ", " : "");
		mx_operation_signature(&text, operation_candidate(c, i));
	}
	misuse(err, "%s; candidates: %s", why, text.bytes);
	text_release(&text);
	return -1;
}

/* Keeps candidates with the given number of arguments and types. */
static int operation_keep_shape(struct candidates *c, const struct wanted *w,
				struct error *err)
{
	const struct candidates all = *c;
	size_t kept = 0;
	char why[96];

	for (size_t i = 0; i < c->count; i++) {
		const struct jmx_feature *f = operation_candidate(c, i);

		if (f->parameter_count == w->arguments->count &&
		    (!w->types || operation_has_types(f, w->types)))
			kept++;
	}
	if (kept == 0) {
		snprintf(why, sizeof(why), "no overload %stakes %zu argument%s",
			 w->types ? "of these types " : "", w->arguments->count,
			 units_plural(w->arguments->count));
		return operation_list(&all, why, err);
	}
	kept = 0;
	for (size_t i = 0; i < all.count; i++) {
		const struct jmx_feature *f = operation_candidate(&all, i);

		if (f->parameter_count == w->arguments->count &&
		    (!w->types || operation_has_types(f, w->types)))
			c->at[kept++] = all.at[i];
	}
	c->count = kept;
	return 0;
}

static bool operation_parse_all(const struct jmx_feature *f,
				const struct wanted *w,
				const struct value **values, struct arena *a,
				struct error *err)
{
	for (size_t i = 0; i < f->parameter_count; i++) {
		values[i] = argument_parse(f->parameters[i].type,
					   w->arguments->values[i], a, err);
		if (!values[i])
			return false;
	}
	return true;
}

/* Keeps candidates whose parameters accept the arguments. */
static int operation_keep_fitting(struct candidates *c, const struct wanted *w,
				  struct arena *a, struct error *err)
{
	const struct value **values = xcalloc(w->arguments->count + 1,
					      sizeof(*values));
	const size_t count = c->count;
	struct error why;
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		size_t at = c->at[i];

		if (!operation_parse_all(operation_candidate(c, i), w, values,
					 a, &why))
			continue;
		/* Move the others to the end: an error lists them. */
		c->at[i] = c->at[kept];
		c->at[kept++] = at;
	}
	free(values);
	if (kept == 0 && count == 1)
		return misuse(err, "%s", why.text);
	if (kept == 0)
		return operation_list(c, "no overload accepts these arguments",
				      err);
	c->count = kept;
	return 0;
}

/*
 * Returns -1 when a is a closer match for some argument and no worse for any
 * other, 1 when b is, 0 when neither is.
 */
static int operation_compare(const struct jmx_feature *a,
			     const struct jmx_feature *b,
			     const struct wanted *w)
{
	bool a_nearer = false, b_nearer = false;

	for (size_t i = 0; i < w->arguments->count; i++) {
		const char *text = w->arguments->values[i];
		unsigned da = argument_distance(a->parameters[i].type, text);
		unsigned db = argument_distance(b->parameters[i].type, text);

		a_nearer |= da < db;
		b_nearer |= db < da;
	}
	return a_nearer == b_nearer ? 0 : a_nearer ? -1 : 1;
}

/* Returns the candidate that is a closer match than every other. */
static const struct jmx_feature *
operation_nearest_of(const struct candidates *c, const struct wanted *w,
		     struct error *err)
{
	for (size_t i = 0; i < c->count; i++) {
		size_t farther = 0;

		for (size_t k = 0; k < c->count; k++)
			farther += k != i &&
				   operation_compare(operation_candidate(c, i),
						     operation_candidate(c, k),
						     w) < 0;
		if (farther + 1 == c->count)
			return operation_candidate(c, i);
	}
	operation_list(c,
		       "several overloads accept these arguments; name the "
		       "types",
		       err);
	return NULL;
}

static const struct jmx_feature *operation_choose(struct candidates *c,
						  const struct wanted *w,
						  struct arena *a,
						  struct error *err)
{
	operation_find_named(c, w, false);
	if (!c->count)
		operation_find_named(c, w, true);
	if (!c->count) {
		operation_no_name(c, w, err);
		return NULL;
	}
	if (operation_keep_shape(c, w, err) ||
	    operation_keep_fitting(c, w, a, err))
		return NULL;
	return operation_nearest_of(c, w, err);
}

static const char *operation_keep(struct arena *a, const char *text)
{
	return arena_copy(a, text, strlen(text));
}

int mx_operation_choose(struct mx_operation *op, const struct jmx_info *info,
			const char *wanted, const struct option_list *arguments,
			struct arena *a, struct error *err)
{
	const struct wanted w = operation_wanted_of(wanted, arguments);
	struct candidates c = {
		.info = info,
		.at = xcalloc(info->operation_count + 1, sizeof(*c.at)),
	};
	const struct jmx_feature *f = operation_choose(&c, &w, a, err);
	size_t count = arguments->count;

	free(c.at);
	if (!f)
		return -1;
	*op = (struct mx_operation){
		.name = operation_keep(a, f->name),
		.returns = operation_keep(a, f->type),
		.signature = arena_alloc(a, count * sizeof(*op->signature)),
		.arguments = arena_alloc(a, count * sizeof(*op->arguments)),
		.count = count,
	};
	for (size_t i = 0; i < count; i++)
		op->signature[i] = operation_keep(a, f->parameters[i].type);
	return operation_parse_all(f, &w, op->arguments, a, err) ? 0 : -1;
}

/* Calling it */

/* One call of an operation of one MBean. */
struct call {
	struct mx *mx;
	const char *object;
	struct arena a;
	struct mx_operation operation;
	bool is_chosen;
	struct text *text;
	struct json *json; /* the array of --json-array, or NULL */
};

static int call_choose_operation(void *self, size_t index,
				 const struct jmx_reply *reply,
				 struct error *err)
{
	struct call *c = self;
	const struct mx_options *o = c->mx->opt;

	(void)index;
	if (reply->failure) {
		mx_failed(c->mx, reply->kind, "%s: %s", c->object,
			  reply->failure);
		return 0;
	}
	if (mx_operation_choose(&c->operation, reply->info, o->operation,
				&o->arguments, &c->a, err))
		return fail_in(err, "%s", c->object);
	c->is_chosen = true;
	return 0;
}

static void call_put_json(struct call *c, const struct jmx_reply *reply)
{
	struct value error = { .kind = VALUE_ERROR, .type = "" };
	const struct value *v = reply->value ? reply->value : &value_null;
	struct json one = json_into(c->text), *j = c->json ? c->json : &one;

	if (reply->failure) {
		error.text.at = reply->failure;
		error.text.len = strlen(reply->failure);
		v = &error;
	}
	if (c->mx->opt->add_name) {
		json_open_object(j);
		json_add_text(j, "MBean", c->object);
		json_key(j, "Value");
	}
	value_json(j, v);
	if (c->mx->opt->add_name)
		json_close_object(j);
	text_putc(c->text, '\n');
}

static void call_put_text(struct call *c, const struct jmx_reply *reply)
{
	bool is_void = strcmp(c->operation.returns, "void") == 0;

	if (!c->mx->opt->quiet) {
		safe_text_puts(c->text, c->object);
		text_putc(c->text, '\n');
	}
	if (is_void || !reply->value)
		return;
	value_print(c->text, reply->value, 0, c->mx->opt->width);
	text_putc(c->text, '\n');
}

static int call_take_value(void *self, size_t index,
			   const struct jmx_reply *reply, struct error *err)
{
	struct call *c = self;

	(void)index;
	if (c->mx->opt->json || c->json)
		call_put_json(c, reply);
	else if (!reply->failure)
		call_put_text(c, reply);
	if (reply->failure)
		mx_failed(c->mx, reply->kind, "%s: %s: %s", c->object,
			  c->operation.name, reply->failure);
	return mx_flush(c->mx, c->text, err);
}

static int call_one(struct call *c, struct error *err)
{
	struct jmx_request request = {
		.verb = JMX_INFO,
		.object = c->object,
	};

	c->mx->had++;
	if (jmx_run(c->mx->jmx, &request, 1, call_choose_operation, c, err))
		return -1;
	if (!c->is_chosen)
		return 0;
	request.verb = JMX_INVOKE;
	request.names = &c->operation.name;
	request.name_count = 1;
	request.arguments = c->operation.arguments;
	request.signature = c->operation.signature;
	request.argument_count = c->operation.count;
	return jmx_run(c->mx->jmx, &request, 1, call_take_value, c, err);
}

int mx_call(struct mx *m, struct error *err)
{
	struct text text = { 0 };
	struct json json = json_into(&text);
	bool array = m->opt->json_array;
	int ret = 0;

	if (array)
		json_open_array(&json);
	for (size_t i = 0; ret == 0 && i < m->count; i++) {
		struct call c = {
			.mx = m,
			.object = m->names[i],
			.text = &text,
			.json = array ? &json : NULL,
		};

		ret = call_one(&c, err);
		arena_release(&c.a);
	}
	if (array) {
		json_close_array(&json);
		text_putc(&text, '\n');
		if (mx_flush(m, &text, ret ? error_unused() : err))
			ret = -1;
	}
	text_release(&text);
	return ret;
}
