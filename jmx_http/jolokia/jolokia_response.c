/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/jolokia/jolokia_response.h"

#include "core/base/safe_text.h"
#include "jmx_http/jolokia/jolokia_json.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

const char *const jolokia_paths[] = {
	"/jolokia",         "/actuator/jolokia", "/hawtio/jolokia",
	"/console/jolokia", "/jolokia/",         NULL,
};

bool jolokia_add_other_slash(struct text *out, const char *url)
{
	struct http_url parts;
	size_t len = strlen(url);

	if (http_url_parse(&parts, url, error_unused()) ||
	    strlen(parts.path) < 2 || strpbrk(parts.path, "?#"))
		return false;
	text_add(out, url, url[len - 1] == '/' ? len - 1 : len);
	text_puts(out, url[len - 1] == '/' ? "" : "/");
	return true;
}

#define SAID_MAX 300 /* bytes of a server's own message */

/* Responses that are not Jolokia's */

static bool response_is_json(const struct http_response *r)
{
	size_t at = strspn(r->body.bytes, " \t\r\n");

	return r->body.bytes[at] == '{' || r->body.bytes[at] == '[';
}

static bool response_is_html(const struct http_response *r)
{
	return strncasecmp(r->type.bytes, "text/html", 9) == 0 ||
	       r->body.bytes[strspn(r->body.bytes, " \t\r\n")] == '<';
}

static int response_fail_login(const struct http_response *r, const char *user,
			       bool has_token, struct error *err)
{
	struct text scheme = { 0 };

	safe_text(&scheme, r->authenticate.bytes, r->authenticate.len);
	text_puts(&scheme, "");
	if (user)
		fail(err, ERROR_PERMISSION,
		     "the server rejected the user '%s' or the password (%s)",
		     user, scheme.len ? scheme.bytes : "HTTP 401");
	else if (has_token)
		fail(err, ERROR_PERMISSION,
		     "the server rejected the token (%s); put a valid token "
		     "into the file of --bearer-file",
		     scheme.len ? scheme.bytes : "HTTP 401");
	else
		fail(err, ERROR_PERMISSION,
		     "the server requires a login (%s); use --user and "
		     "--password-file, or --bearer-file",
		     scheme.len ? scheme.bytes : "HTTP 401");
	err->sys = EACCES;
	text_release(&scheme);
	return -1;
}

int jolokia_fail_redirect(const struct http_response *r, bool is_loop,
			  struct error *err)
{
	struct text to = { 0 };

	safe_text(&to, r->location.bytes, r->location.len);
	text_puts(&to, "");
	fail(err, ERROR_REFUSED,
	     is_loop ? "the server redirects in a loop, to %s, perhaps a login "
		       "page"
		     : "the server redirects to %s, perhaps a login page; if "
		       "a Jolokia agent is there, give that URL",
	     to.len ? to.bytes : "nowhere");
	text_release(&to);
	return -1;
}

/* Errors of agents have a class, and those of mxprx begin with its name. */
static bool response_is_jolokia(const cJSON *json)
{
	const cJSON *error = jolokia_json_member(json, "error");

	return cJSON_IsArray(json) || jolokia_json_member(json, "value") ||
	       jolokia_json_member(json, "error_type") ||
	       (cJSON_IsString(error) &&
		strncmp(error->valuestring, "mxprx: ", 7) == 0);
}

/* Appends one line of at most SAID_MAX bytes, without the leading status. */
static void response_add_said(struct text *out, int status, const char *said,
			      size_t len)
{
	char number[16];
	int digits = snprintf(number, sizeof(number), "%d ", status);

	if (len > (size_t)digits && memcmp(said, number, (size_t)digits) == 0) {
		said += digits;
		len -= (size_t)digits;
	}
	safe_text(out, said, len < SAID_MAX ? len : SAID_MAX);
}

/*
 * Appends the message of a server in front of the agent: of a Status of
 * Kubernetes, of other JSON (RFC 9457, Spring), the title of a page, or the
 * first line of a text.
 */
static void response_add_message(struct text *out,
				 const struct http_response *r,
				 const cJSON *json)
{
	static const char *const keys[] = { "message", "detail", "title",
					    "error" };
	const cJSON *kind = jolokia_json_member(json, "kind");
	const char *said = r->body.bytes + strspn(r->body.bytes, " \t\r\n");
	const char *title = strcasestr(said, "<title>");

	if (cJSON_IsString(kind) && strcmp(kind->valuestring, "Status") == 0)
		text_puts(out, "Kubernetes: ");
	for (size_t i = 0; json && i < sizeof(keys) / sizeof(*keys); i++) {
		const cJSON *one = jolokia_json_member(json, keys[i]);

		if (!cJSON_IsString(one) || !*one->valuestring)
			continue;
		response_add_said(out, r->status, one->valuestring,
				  strlen(one->valuestring));
		return;
	}
	if (json)
		return;
	if (response_is_html(r) && !title)
		return;
	if (title)
		said = title + strlen("<title>");
	response_add_said(out, r->status, said, strcspn(said, "<\r\n"));
}

/* Fails with a status that tells more than the body, or that no body tells. */
static int response_fail_status(const struct http_response *r,
				const char *message, struct error *err)
{
	bool is_kubernetes = strncmp(message, "Kubernetes: ", 12) == 0;

	if (r->status == 404 && !is_kubernetes)
		return fail(err, ERROR_NO_TARGET,
			    "HTTP 404: no Jolokia agent at this path; usual "
			    "paths are %s, %s, %s and %s",
			    jolokia_paths[0], jolokia_paths[1],
			    jolokia_paths[2], jolokia_paths[3]);
	if (*message)
		return fail(err,
			    r->status == 403 ? ERROR_PERMISSION
			    : r->status == 404 || r->status == 410
				    ? ERROR_NO_TARGET
				    : ERROR_REFUSED,
			    "HTTP %d: %s", r->status, message);
	if (r->status == 403)
		return fail(
			err, ERROR_PERMISSION,
			"HTTP 403: the server denies access to this URL, "
			"by its own rules or by the Jolokia agent's policy");
	/* Not ERROR_NO_TARGET: a proxy in front of an agent may reject POST. */
	if (r->status == 405)
		return fail(err, ERROR_REFUSED,
			    "HTTP 405: the server rejects POST; perhaps no "
			    "Jolokia agent is at this path");
	return fail(err, ERROR_REFUSED, "the server returned HTTP %d",
		    r->status);
}

static int response_check_status(const struct http_response *r,
				 struct error *err)
{
	cJSON *json = response_is_json(r)
			      ? jolokia_json_parse(r->body.bytes, r->body.len,
						   error_unused())
			      : NULL;
	struct text message = { 0 };
	int status = 0;

	text_puts(&message, "");
	if (!response_is_jolokia(json)) {
		response_add_message(&message, r, json);
		status = response_fail_status(r, message.bytes, err);
	}
	cJSON_Delete(json);
	text_release(&message);
	return status;
}

/* Only another path of the same server may receive the login. */
static bool response_leads_within(const struct http_response *r,
				  const char *url)
{
	struct http_url a, b;

	return r->status >= 300 && r->status < 400 && r->status != 304 &&
	       !http_url_parse(&a, url, error_unused()) &&
	       !http_url_parse(&b, r->location.bytes, error_unused()) &&
	       a.is_tls == b.is_tls && a.port == b.port &&
	       strcasecmp(a.host, b.host) == 0;
}

int jolokia_send(struct http_client *http, struct text *url,
		 const struct text *body, bool is_once, int64_t timeout_ns,
		 struct http_response *r, bool *is_loop, struct error *err)
{
	for (int i = 0;; i++) {
		if (http_client_send(http, url->bytes, body, is_once,
				     timeout_ns, r, err))
			return -1;
		*is_loop = response_leads_within(r, url->bytes);
		if (!*is_loop || i == JOLOKIA_REDIRECTS_MAX)
			return 0;
		text_clear(url);
		text_puts(url, r->location.bytes);
	}
}

int jolokia_check_response(const struct http_response *r, const char *user,
			   bool has_token, struct error *err)
{
	if (r->status == 401)
		return response_fail_login(r, user, has_token, err);
	if (r->status == 407)
		return fail(err, ERROR_PERMISSION,
			    "the HTTP proxy requires a login; use "
			    "--http-proxy with its user name and password in "
			    "the environment variable http_proxy");
	if (r->status >= 300 && r->status < 400)
		return jolokia_fail_redirect(r, false, err);
	if (r->status >= 400)
		return response_check_status(r, err);
	if (response_is_json(r))
		return 0;
	return fail(err, ERROR_NO_TARGET,
		    "HTTP, but not Jolokia: the response is %s",
		    !r->body.len          ? "empty"
		    : response_is_html(r) ? "an HTML page"
					  : "not JSON");
}
