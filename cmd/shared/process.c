/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/shared/process.h"

#include "core/attach/attach.h"
#include "core/base/clock.h"
#include "core/jvm/java_command.h"
#include "core/jvm/main_name.h"
#include "core/jvm/properties.h"

#include <inttypes.h>
#include <string.h>

#define ASK_TIMEOUT_NS (3 * CLOCK_NS_PER_S) /* for each of many JVMs */

int process_init(struct process *p, const struct jvm *jvm, struct error *err)
{
	*p = (struct process){ .jvm = jvm };
	if (jvm_info(jvm, &p->info, err))
		return -1;
	main_name_of(jvm, &p->info, &p->main);
	return 0;
}

void process_release(struct process *p)
{
	jvm_info_release(&p->info);
	text_release(&p->main);
	text_release(&p->properties);
	attach_close(p->attach);
}

/* Sends a request by attach; after a failure, it sends no more. */
static bool process_ask(struct process *p, const char *operation,
			const char *arg, struct text *reply)
{
	const struct attach_request request = {
		.operation = operation,
		.args = { arg },
	};
	struct error err;

	if (!p->may_ask || p->refused.kind)
		return false;
	if (!p->attach)
		p->attach = attach_open(p->jvm, ASK_TIMEOUT_NS, &err);
	if (p->attach && attach_call(p->attach, &request, reply, &err) == 0)
		return true;
	/* An error for an unknown flag does not stop further requests. */
	if (!p->attach || !arg)
		p->refused = err;
	return false;
}

void process_word(const struct process *p, char *const *words, size_t i,
		  struct text *out)
{
	if (p->show_secrets)
		text_puts(out, words[i]);
	else
		secrets_add_arg(out, i ? words[i - 1] : NULL, words[i]);
}

void process_args(const struct process *p, struct text *out)
{
	char *const *words = p->info.args;

	for (size_t i = 0; words && words[i]; i++) {
		if (i)
			text_putc(out, ' ');
		process_word(p, words, i, out);
	}
}

void process_description(const struct process *p, struct text *out)
{
	char *const *words = p->info.args;

	text_add(out, p->main.bytes, p->main.len);
	for (size_t i = 0; words && words[i]; i++)
		text_printf(out, " %s", words[i]);
}

static bool process_offer_known(process_property_fn *is, void *self,
				const char *name, const char *value)
{
	return value && is(self, name, strlen(name), value);
}

/* The last -D of a name wins, so this offers the options from the end. */
static bool process_offer_options(const struct jvm_info *info,
				  process_property_fn *is, void *self)
{
	size_t count = 0;

	while (info->vm_args && info->vm_args[count])
		count++;
	while (count--) {
		const char *arg = info->vm_args[count];
		const char *end = strchrnul(arg, '=');

		if (strncmp(arg, "-D", 2) == 0 &&
		    is(self, arg + 2, (size_t)(end - arg) - 2,
		       *end ? end + 1 : ""))
			return true;
	}
	return false;
}

static bool process_offer_properties(struct process *p, process_property_fn *is,
				     void *self)
{
	struct properties reply;
	bool found = false;

	if (!p->has_properties)
		p->has_properties = process_ask(p, "properties", NULL,
						&p->properties);
	if (!p->has_properties)
		return false;
	properties_init(&reply, p->properties.bytes, p->properties.len);
	while (!found && properties_next(&reply))
		found = is(self, reply.key.bytes, reply.key.len,
			   reply.value.bytes);
	properties_release(&reply);
	return found;
}

bool process_has_property(struct process *p, process_property_fn *is,
			  void *self)
{
	const struct jvm_info *info = &p->info;
	struct text command = { 0 };
	bool found;

	process_description(p, &command);
	found = process_offer_options(info, is, self) ||
		process_offer_known(is, self, "java.version", info->version) ||
		process_offer_known(is, self, "java.vm.name", info->vm_name) ||
		process_offer_known(is, self, "java.vm.vendor",
				    info->vm_vendor) ||
		process_offer_known(is, self, "java.home", info->java_home) ||
		process_offer_known(is, self, "sun.java.command",
				    command.bytes) ||
		process_offer_properties(p, is, self);
	text_release(&command);
	return found;
}

struct property_search {
	const char *name;
	struct text *value;
};

static bool property_search_matches(void *self, const char *name, size_t len,
				    const char *value)
{
	struct property_search *w = self;

	if (strlen(w->name) != len || memcmp(w->name, name, len) != 0)
		return false;
	text_puts(w->value, value);
	return true;
}

bool process_property(struct process *p, const char *name, struct text *out)
{
	struct text value = { 0 };
	struct property_search w = { .name = name, .value = &value };
	bool found = process_has_property(p, property_search_matches, &w);

	if (found && p->show_secrets)
		text_puts(out, value.bytes);
	else if (found)
		secrets_add_value(out, name, value.bytes);
	text_release(&value);
	return found;
}

/* True for -XX:+Name, -XX:-Name and -XX:Name=value. */
static bool process_is_flag(const char *arg, const char *name)
{
	size_t len = strlen(name);

	if (strncmp(arg, "-XX:", 4) != 0)
		return false;
	arg += 4;
	if (*arg == '+' || *arg == '-')
		return strcmp(arg + 1, name) == 0;
	return strncmp(arg, name, len) == 0 && arg[len] == '=';
}

static const char *process_flag_option(const struct process *p,
				       const char *name)
{
	const char *last = NULL;

	for (size_t i = 0; p->info.vm_args && p->info.vm_args[i]; i++) {
		if (process_is_flag(p->info.vm_args[i], name))
			last = p->info.vm_args[i];
	}
	return last;
}

bool process_flag(struct process *p, const char *name, struct text *out)
{
	const char *option = process_flag_option(p, name);
	struct text reply = { 0 };
	/* For an unknown flag, JDK 17 replies a text and status 0. */
	bool found = process_ask(p, "printflag", name, &reply) &&
		     reply.len > 4 && memcmp(reply.bytes, "-XX:", 4) == 0;

	while (reply.len && reply.bytes[reply.len - 1] == '\n')
		reply.len--;
	if (found)
		text_add(out, reply.bytes, reply.len);
	else if (option)
		text_puts(out, option);
	text_release(&reply);
	return found || option;
}

void process_add_uptime(struct text *out, int64_t ns)
{
	int64_t s = ns > 0 ? ns / CLOCK_NS_PER_S : 0;

	if (s >= 86400)
		text_printf(out, "%" PRId64 " d %" PRId64 " h", s / 86400,
			    s % 86400 / 3600);
	else if (s >= 3600)
		text_printf(out, "%" PRId64 " h %" PRId64 " min", s / 3600,
			    s % 3600 / 60);
	else if (s >= 60)
		text_printf(out, "%" PRId64 " min %" PRId64 " s", s / 60,
			    s % 60);
	else
		text_printf(out, "%" PRId64 " s", s);
}
