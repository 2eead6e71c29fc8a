// SPDX-License-Identifier: Apache-2.0
// Compiled alone: needs the libraries of Jolokia.

import com.sun.net.httpserver.BasicAuthenticator;
import com.sun.net.httpserver.HttpContext;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.KeyStore;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executors;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManagerFactory;
import org.jolokia.backend.BackendManager;
import org.jolokia.config.Configuration;
import org.jolokia.http.HttpRequestHandler;
import org.jolokia.restrictor.RestrictorFactory;
import org.jolokia.util.LogHandler;
import org.json.simple.JSONAware;

/**
 * The Jolokia agent of Debian's libjolokia-core-java, served by the JDK's HTTP
 * server: JolokiaServer PROGRAM ARGUMENT… serves the MBeans of a program's JVM.
 *
 * <p>System properties: serve.port, serve.path (/jolokia); serve.user and
 * serve.password for Basic authentication, serve.bearer for a token;
 * serve.keystore (PKCS #12, with serve.storepass) for HTTPS; serve.truststore
 * requires client certificates.  agent.NAME=VALUE is the agent's option NAME.
 * serve.agents=A,B serves two agents, with serve.A.port, agent.A.NAME and so
 * on.
 */
public class JolokiaServer {
	private static final LogHandler LOG = new LogHandler() {
		public void debug(String message) { }
		public void info(String message) { }
		public void error(String message, Throwable thrown) { }
	};

	/** "" or, with serve.agents, the agent's name and a dot. */
	private final String prefix;

	private JolokiaServer(String prefix) {
		this.prefix = prefix;
	}

	private String option(String name, String otherwise) {
		return System.getProperty("serve." + prefix + name, otherwise);
	}

	private KeyStore store(String file) throws Exception {
		KeyStore store = KeyStore.getInstance("PKCS12");

		try (InputStream in = new FileInputStream(file)) {
			store.load(in, option("storepass", "").toCharArray());
		}
		return store;
	}

	private SSLContext tls() throws Exception {
		KeyManagerFactory keys = KeyManagerFactory.getInstance(
			"SunX509");
		TrustManagerFactory trust = null;
		SSLContext context = SSLContext.getInstance("TLS");

		keys.init(store(option("keystore", null)),
			option("storepass", "").toCharArray());
		if (option("truststore", null) != null) {
			trust = TrustManagerFactory.getInstance("PKIX");
			trust.init(store(option("truststore", null)));
		}
		context.init(keys.getKeyManagers(),
			trust == null ? null : trust.getTrustManagers(), null);
		return context;
	}

	private HttpServer server() throws Exception {
		InetSocketAddress address = new InetSocketAddress(
			InetAddress.getByName("127.0.0.1"),
			Integer.parseInt(option("port", "0")));
		HttpsServer server;

		if (option("keystore", null) == null)
			return HttpServer.create(address, 100);
		server = HttpsServer.create(address, 100);
		server.setHttpsConfigurator(new HttpsConfigurator(tls()) {
			public void configure(HttpsParameters parameters) {
				SSLParameters wanted = getSSLContext()
					.getDefaultSSLParameters();

				wanted.setNeedClientAuth(
					option("truststore", null) != null);
				parameters.setSSLParameters(wanted);
			}
		});
		return server;
	}

	private HttpRequestHandler agent() {
		Map<String, String> options = new HashMap<>();
		Configuration configuration = new Configuration();
		String first = "agent." + prefix;

		options.put("agentId", "sjkc-test");
		options.put("agentType", "test");
		// The MBeans of each agent need their own names.
		if (!prefix.isEmpty())
			options.put("mbeanQualifier",
				"qualifier=" + prefix.replace(".", ""));
		for (String name : System.getProperties()
			.stringPropertyNames()) {
			if (name.startsWith(first))
				options.put(name.substring(first.length()),
					System.getProperty(name));
		}
		configuration.updateGlobalConfiguration(options);
		return new HttpRequestHandler(configuration,
			new BackendManager(configuration, LOG,
				RestrictorFactory.createRestrictor(
					configuration, LOG)), LOG);
	}

	private static Map<String, String[]> query(String text) {
		Map<String, String[]> map = new HashMap<>();

		for (String pair : (text == null ? "" : text).split("&")) {
			String[] parts = pair.split("=", 2);

			if (!parts[0].isEmpty())
				map.put(parts[0], new String[] {
					parts.length > 1 ? parts[1] : "" });
		}
		return map;
	}

	private static JSONAware reply(HttpRequestHandler agent, String path,
		HttpExchange x) {
		String uri = x.getRequestURI().toString();

		try {
			agent.checkAccess(
				x.getRemoteAddress().getHostString(),
				x.getRemoteAddress().getAddress()
					.getHostAddress(),
				x.getRequestHeaders().getFirst("Origin"));
			if (x.getRequestMethod().equals("POST"))
				return agent.handlePostRequest(uri,
					x.getRequestBody(), "utf-8",
					query(x.getRequestURI().getQuery()));
			return agent.handleGetRequest(uri,
				x.getRequestURI().getPath().substring(
					path.length()),
				query(x.getRequestURI().getQuery()));
		} catch (Throwable thrown) {
			return agent.handleThrowable(thrown);
		}
	}

	private void serve(HttpRequestHandler agent, String path,
		HttpExchange x) throws IOException {
		String token = option("bearer", null);
		byte[] body;

		if (token != null && !("Bearer " + token).equals(
			x.getRequestHeaders().getFirst("Authorization"))) {
			x.getResponseHeaders().set("WWW-Authenticate",
				"Bearer realm=\"test\"");
			x.sendResponseHeaders(401, -1);
			x.close();
			return;
		}
		body = reply(agent, path, x).toJSONString()
			.getBytes(StandardCharsets.UTF_8);
		x.getResponseHeaders().set("Content-Type",
			"text/plain; charset=utf-8");
		x.getResponseHeaders().set("Cache-Control", "no-cache");
		x.sendResponseHeaders(200, body.length);
		x.getResponseBody().write(body);
		x.close();
	}

	private void start() throws Exception {
		String path = option("path", "/jolokia");
		HttpServer server = server();
		HttpRequestHandler agent = agent();
		HttpContext context = server.createContext(path,
			x -> serve(agent, path, x));

		if (option("user", null) != null)
			context.setAuthenticator(
				new BasicAuthenticator("jolokia") {
				public boolean checkCredentials(String user,
					String password) {
					return user.equals(option("user", null))
						&& password.equals(
						option("password", ""));
				}
			});
		server.setExecutor(Executors.newFixedThreadPool(5, task -> {
			Thread thread = new Thread(task, "jolokia");

			thread.setDaemon(true);
			return thread;
		}));
		server.start();
	}

	public static void main(String[] arguments) throws Exception {
		String names = System.getProperty("serve.agents", "");

		for (String name : names.split(","))
			new JolokiaServer(name.isEmpty() ? "" : name + ".")
				.start();
		Class.forName(arguments[0]).getMethod("main", String[].class)
			.invoke(null, (Object)Arrays.copyOfRange(arguments, 1,
				arguments.length));
	}
}
