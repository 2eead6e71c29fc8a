/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/process.h"

#include "cmd/main_name.h"
#include "core/attach/attach.h"
#include "core/base/clock.h"
#include "core/jvm/java_command.h"
#include "core/jvm/properties.h"

#include <inttypes.h>
#include <string.h>

#define ASK_TIMEOUT_NS (3 * CLOCK_NS_PER_S) /* there may be many */

int process_init(struct process *p, const struct jvm *jvm, struct error *err)
{
	*p = (struct process){ .jvm = jvm };
	if (jvm_info(jvm, &p->about, err))
		return -1;
	main_name_of(jvm, &p->about, &p->main);
	return 0;
}

void process_release(struct process *p)
{
	jvm_info_release(&p->about);
	text_release(&p->main);
	text_release(&p->properties);
	attach_close(p->attach);
}

/* Has the JVM answer; once it could not be asked it is left alone. */
static bool ask(struct process *p, const char *operation, const char *arg,
		struct text *reply)
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
	/* A flag that it does not have is no refusal. */
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
	char *const *words = p->about.args;

	for (size_t i = 0; words && words[i]; i++) {
		if (i)
			text_putc(out, ' ');
		process_word(p, words, i, out);
	}
}

void process_description(const struct process *p, struct text *out)
{
	char *const *words = p->about.args;

	text_add(out, p->main.bytes, p->main.len);
	for (size_t i = 0; words && words[i]; i++)
		text_printf(out, " %s", words[i]);
}

static bool known_is(process_property_fn *is, void *self, const char *name,
		     const char *value)
{
	return value && is(self, name, strlen(name), value);
}

/* The last -D of a name counts, so these are offered from behind. */
static bool option_is(const struct jvm_info *about, process_property_fn *is,
		      void *self)
{
	size_t count = 0;

	while (about->vm_args && about->vm_args[count])
		count++;
	while (count--) {
		const char *arg = about->vm_args[count];
		const char *end = strchrnul(arg, '=');

		if (strncmp(arg, "-D", 2) == 0 &&
		    is(self, arg + 2, (size_t)(end - arg) - 2,
		       *end ? end + 1 : ""))
			return true;
	}
	return false;
}

static bool told_is(struct process *p, process_property_fn *is, void *self)
{
	struct properties told;
	bool found = false;

	if (!p->has_properties)
		p->has_properties = ask(p, "properties", NULL, &p->properties);
	if (!p->has_properties)
		return false;
	properties_init(&told, p->properties.bytes, p->properties.len);
	while (!found && properties_next(&told))
		found = is(self, told.key.bytes, told.key.len,
			   told.value.bytes);
	properties_release(&told);
	return found;
}

bool process_has_property(struct process *p, process_property_fn *is,
			  void *self)
{
	const struct jvm_info *about = &p->about;
	struct text command = { 0 };
	bool found;

	process_description(p, &command);
	found = option_is(about, is, self) ||
		known_is(is, self, "java.version", about->version) ||
		known_is(is, self, "java.vm.name", about->vm_name) ||
		known_is(is, self, "java.vm.vendor", about->vm_vendor) ||
		known_is(is, self, "java.home", about->java_home) ||
		known_is(is, self, "sun.java.command", command.bytes) ||
		told_is(p, is, self);
	text_release(&command);
	return found;
}

struct wanted {
	const char *name;
	struct text *value;
};

static bool is_wanted(void *self, const char *name, size_t len,
		      const char *value)
{
	struct wanted *w = self;

	if (strlen(w->name) != len || memcmp(w->name, name, len) != 0)
		return false;
	text_puts(w->value, value);
	return true;
}

bool process_property(struct process *p, const char *name, struct text *out)
{
	struct text value = { 0 };
	struct wanted w = { .name = name, .value = &value };
	bool found = process_has_property(p, is_wanted, &w);

	if (found && p->show_secrets)
		text_puts(out, value.bytes);
	else if (found)
		secrets_add_value(out, name, value.bytes);
	text_release(&value);
	return found;
}

/* True for -XX:+Name, -XX:-Name and -XX:Name=value. */
static bool is_flag(const char *arg, const char *name)
{
	size_t len = strlen(name);

	if (strncmp(arg, "-XX:", 4) != 0)
		return false;
	arg += 4;
	if (*arg == '+' || *arg == '-')
		return strcmp(arg + 1, name) == 0;
	return strncmp(arg, name, len) == 0 && arg[len] == '=';
}

static const char *given_flag(const struct process *p, const char *name)
{
	const char *last = NULL;

	for (size_t i = 0; p->about.vm_args && p->about.vm_args[i]; i++) {
		if (is_flag(p->about.vm_args[i], name))
			last = p->about.vm_args[i];
	}
	return last;
}

bool process_flag(struct process *p, const char *name, struct text *out)
{
	const char *given = given_flag(p, name);
	struct text told = { 0 };
	/* JDK 17 says that there is none, and that all is well. */
	bool found = ask(p, "printflag", name, &told) && told.len > 4 &&
		     memcmp(told.bytes, "-XX:", 4) == 0;

	while (told.len && told.bytes[told.len - 1] == '\n')
		told.len--;
	if (found)
		text_add(out, told.bytes, told.len);
	else if (given)
		text_puts(out, given);
	text_release(&told);
	return found || given;
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
