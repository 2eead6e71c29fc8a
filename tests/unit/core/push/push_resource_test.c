/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/prof/prof_options.h"
#include "core/base/protobuf.h"
#include "core/push/push_attributes.h"
#include "core/push/push_resource.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* Appends "key=value;" of each attribute. */
static void print_attributes(struct text *out, const struct text *resource)
{
	struct cursor c = cursor_over(resource->bytes, resource->len);
	struct protobuf_field attribute, pair, value;

	while (protobuf_next(&c, &attribute))
		while (protobuf_next(&attribute.bytes, &pair))
			if (pair.number == 1) {
				text_add(out, pair.bytes.at,
					 cursor_left(&pair.bytes));
				text_puts(out, "=");
			} else if (protobuf_next(&pair.bytes, &value)) {
				text_add(out, value.bytes.at,
					 cursor_left(&value.bytes));
				text_puts(out, ";");
			}
}

static void expect_given(struct push_attributes *a, const char *expected,
			 uint64_t omitted)
{
	struct text printed = { 0 };

	text_puts(&printed, "");
	print_attributes(&printed, &a->given);
	assert_string_equal(printed.bytes, expected);
	assert_int_equal(a->omitted, omitted);
	text_release(&printed);
	push_attributes_release(a);
}

static void expect_list(const char *list, const char *expected,
			uint64_t omitted)
{
	struct push_attributes a = { 0 };

	push_attributes_add_list(&a, list, false);
	expect_given(&a, expected, omitted);
}

static void pairs_are_decoded_and_trimmed(void **state)
{
	(void)state;
	expect_list("", "", 0);
	expect_list("team=blue%20one", "team=blue one;", 0);
	expect_list(" team = blue , a.b-c_9=x=y,", "team=blue;a.b-c_9=x=y;", 0);
	expect_list("none,=empty,empty=", "", 0);
}

static void known_attributes_replace_those_of_the_list(void **state)
{
	static const char list[] = "service.name=a,service_name=b,host.name=c,"
				   "process_pid=1,k8s.pod.name=d,"
				   "container_id=e,k8s.deployment.name=f,"
				   "service.instance.id=g";
	struct push_attributes a = { 0 };

	(void)state;
	push_attributes_put(&a, "host.name", "h");
	push_attributes_put(&a, "process.pid", "4711");
	push_attributes_put(&a, "k8s.pod.name", "");
	push_attributes_add_list(&a, list, false);
	expect_given(&a,
		     "k8s.pod.name=d;container_id=e;k8s.deployment.name=f;"
		     "service.instance.id=g;",
		     0);
	/* Ids, also those of the list, are left out. */
	a.omits_ids = true;
	push_attributes_put(&a, "process.pid", "4711");
	assert_int_equal(a.own_count, 0);
	push_attributes_add_list(&a, list, false);
	expect_given(&a, "host.name=c;k8s.deployment.name=f;", 0);
	/* A second list may repeat the first. */
	push_attributes_add_list(&a, "a=1,b=2", false);
	push_attributes_add_list(&a, "b=3,c=4", true);
	expect_given(&a, "a=1;b=2;c=4;", 0);
}

static void workload_of(const char *pod, const char *wanted)
{
	assert_int_equal(push_workload_len(pod), strlen(wanted));
	assert_memory_equal(pod, wanted, strlen(wanted));
}

static void workload_is_found_in_the_name_of_a_pod(void **state)
{
	(void)state;
	workload_of("shop-6fb6545c44-vr28t", "shop");
	workload_of("pair-75496f4f78-x2x9k", "pair");
	workload_of("web-0", "web");
	workload_of("web-shop-12", "web-shop");
	workload_of("sjkc-d28gh", "sjkc");
	workload_of("backup-28394820-zk4x7", "backup");
	/* Words, dates and names without a part are kept. */
	workload_of("jmx-same", "jmx-same");
	workload_of("shop-cache", "shop-cache");
	workload_of("shop-20261128", "shop-20261128");
	workload_of("secure", "secure");
	workload_of("-0", "-0");
	workload_of("0", "0");
	workload_of("", "");
}

static void invalid_and_repeated_keys_are_omitted(void **state)
{
	char list[2048] = "";
	struct text pairs = { 0 };

	(void)state;
	expect_list("a\xff=1,b c=2,d=3,e\x01=4", "d=3;", 3);
	expect_list("a.b=1,a_b=2,a.b=3,a.c=4", "a.b=1;a.c=4;", 2);
	memset(list, 'k', 129);
	memcpy(list + 129, "=1", 3);
	expect_list(list, "", 1);
	memcpy(list, "v=", 2);
	memset(list + 2, 'x', 1025);
	list[2 + 1025] = '\0';
	expect_list(list, "", 1);
	for (int i = 0; i < 20; i++)
		text_printf(&pairs, "key%d=1,", i);
	expect_list(pairs.bytes,
		    "key0=1;key1=1;key2=1;key3=1;key4=1;key5=1;key6=1;key7=1;"
		    "key8=1;key9=1;key10=1;key11=1;key12=1;key13=1;key14=1;"
		    "key15=1;",
		    4);
	text_release(&pairs);
}

/* ---- the published context ---- */

struct published {
	char signature[8];
	uint32_t version, size;
	uint64_t published, payload;
	char bytes[64];
};

/* Returns the context of this process, or NULL. */
static const char *read_context(struct text *out)
{
	struct error err;
	struct jvm jvm;
	bool ok;

	text_clear(out);
	assert_int_equal(jvm_open(&jvm, getpid(), &err), 0);
	ok = push_context_read(&jvm, out);
	jvm_close(&jvm);
	return ok ? out->bytes : NULL;
}

static void published_context_is_read_if_it_is_whole(void **state)
{
	static const char payload[] = "\x0a\x23"
				      "\x0a\x16\x0a\x0cservice.name"
				      "\x12\x06\x0a\x04s,h="
				      "\x0a\x09\x0a\x01n\x12\x04\x0a\x02"
				      "a ";
	int fd = memfd_create("OTEL_CTX", 0);
	struct published *p;
	struct text out = { 0 };

	(void)state;
	assert_null(read_context(&out));
	assert_int_equal(ftruncate(fd, sizeof(*p)), 0);
	p = mmap(NULL, sizeof(*p), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_true(p != MAP_FAILED);
	assert_null(read_context(&out));
	*p = (struct published){
		.version = 2,
		.size = sizeof(payload) - 1,
		.published = 1,
		.payload = (uint64_t)(uintptr_t)p->bytes,
	};
	memcpy(p->signature, "OTEL_CTX", 8);
	memcpy(p->bytes, payload, sizeof(payload));
	if (!read_context(&out)) {
		print_message("this process cannot be read\n");
		skip();
	}
	assert_string_equal(out.bytes, "service.name=s%2Ch%3D,n=a%20");
	p->published = 0;
	assert_null(read_context(&out));
	p->published = 2;
	p->version = 1;
	assert_null(read_context(&out));
	p->version = 2;
	p->size = 1 << 20;
	assert_null(read_context(&out));
	p->size = sizeof(payload) - 1;
	p->payload = 8;
	assert_null(read_context(&out));
	p->payload = (uint64_t)(uintptr_t)p->bytes;
	memset(p->bytes, 0xff, sizeof(p->bytes));
	assert_null(read_context(&out));
	munmap(p, sizeof(*p));
	close(fd);
	text_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pairs_are_decoded_and_trimmed),
		cmocka_unit_test(known_attributes_replace_those_of_the_list),
		cmocka_unit_test(workload_is_found_in_the_name_of_a_pod),
		cmocka_unit_test(invalid_and_repeated_keys_are_omitted),
		cmocka_unit_test(published_context_is_read_if_it_is_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
