// SPDX-License-Identifier: Apache-2.0

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.management.Attribute;
import javax.management.AttributeChangeNotificationFilter;
import javax.management.AttributeList;
import javax.management.InstanceNotFoundException;
import javax.management.JMX;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanServerConnection;
import javax.management.Notification;
import javax.management.NotificationFilter;
import javax.management.NotificationFilterSupport;
import javax.management.NotificationListener;
import javax.management.ObjectName;
import javax.management.Query;
import javax.management.QueryExp;
import javax.management.ReflectionException;
import javax.management.openmbean.CompositeData;
import javax.management.relation.MBeanServerNotificationFilter;
import javax.management.remote.JMXConnectionNotification;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;
import javax.rmi.ssl.SslRMIClientSocketFactory;

/**
 * The JDK's own JMX client, for tests of port forwards and proxies.
 *
 * <pre>
 * java [-Djavax.net.ssl.…] JmxClient [user=USER:PASSWORD] [registry=tls]
 *      HOST:PORT|URL MODE [N] [MODE [N]]… [-- …]
 *   attributes     reads all attributes; prints their number and a hash
 *   operations     overloads, setAttribute, threadPrint, errors
 *   recording      options and settings of a JFR recording, which are maps
 *   notifications  of two kinds of MBeans, caused by the client
 *   filters        each filter of the JDK, and queries
 *   blocking [S]   a notification after S seconds (default: 62) without one
 *   held           a call of Target's MBean "door", which does not return
 *   loop N         N calls on one connection; prints their duration
 *   churn N        N connections
 *   denied         expects that operations fail; prints the exception
 *   shut           expects that it cannot connect
 * </pre>
 *
 * "--" precedes the next JVM.  With several JVMs, a line "at HOST:PORT"
 * precedes the output of each.  They are used one after another, or, with
 * -Dat.once=true, at the same time.  JMX_USER and JMX_PASSWORD also set the
 * credentials. -Dclient.seconds=N limits the time of the program (default:
 * 600).  Each mode prints one line, "MODE: …".  The exit status is 0 on
 * success, 1 if a mode failed, 2 for a usage error, 3 if the time was over.
 */
public class JmxClient {
	private static final ObjectName RUNTIME = name("java.lang:type=Runtime");
	private static final ObjectName MEMORY = name("java.lang:type=Memory");
	private static final ObjectName THREADS = name("java.lang:type=Threading");
	private static final ObjectName COMMANDS =
		name("com.sun.management:type=DiagnosticCommand");
	private static final ObjectName DELEGATE =
		name("JMImplementation:type=MBeanServerDelegate");
	private static final String[] NONE = {};

	private static int number;

	private final String where;
	private final JMXServiceURL url;
	private final List<Map.Entry<String, Integer>> runs;
	private final Map<String, Object> environment = new HashMap<>();
	private final StringBuilder said = new StringBuilder();
	private final ObjectName timer;
	private MBeanServerConnection server;
	private volatile String broken;

	private interface Mode {
		String run(int count) throws Exception;
	}

	private JmxClient(List<String> words) throws Exception {
		String user = System.getenv("JMX_USER");
		String password = System.getenv("JMX_PASSWORD");
		int at = 0;
		for (; at < words.size() && words.get(at).matches("\\w+=.*"); at++) {
			String value = words.get(at).replaceFirst("^\\w+=", "");
			if (words.get(at).startsWith("user=")) {
				user = value.replaceFirst(":.*", "");
				password = value.replaceFirst("^[^:]*:", "");
			} else if (words.get(at).equals("registry=tls")) {
				environment.put("com.sun.jndi.rmi.factory.socket",
					new SslRMIClientSocketFactory());
			} else {
				usage("what is " + words.get(at));
			}
		}
		if (words.size() < at + 2)
			usage("HOST:PORT|URL MODE [N]…");
		where = words.get(at);
		url = new JMXServiceURL(where.startsWith("service:") ? where
			: "service:jmx:rmi:///jndi/rmi://" + where + "/jmxrmi");
		runs = modes(words.subList(at + 1, words.size()));
		timer = name("sjkc.test:type=Timer,id="
			+ ProcessHandle.current().pid() + "-" + number++);
		if (user != null)
			environment.put(JMXConnector.CREDENTIALS,
				new String[] { user, password });
	}

	private static ObjectName name(String text) {
		try {
			return new ObjectName(text);
		} catch (Exception e) {
			throw new IllegalArgumentException(e);
		}
	}

	private static void expect(boolean holds, String what) {
		if (!holds)
			throw new IllegalStateException(what);
	}

	private JMXConnector connect() throws Exception {
		JMXConnector connector =
			JMXConnectorFactory.connect(url, environment);
		connector.addConnectionNotificationListener((n, h) -> {
			if (n.getType().equals(JMXConnectionNotification.FAILED)
			    || n.getType().equals(
				    JMXConnectionNotification.NOTIFS_LOST))
				broken = n.getType() + ": " + n.getMessage();
		}, null, null);
		return connector;
	}

	/** The hash is the same for any connection to the same JVM. */
	private String attributes(int unused) throws Exception {
		MessageDigest hash = MessageDigest.getInstance("SHA-256");
		Map<String, ObjectName> beans = new TreeMap<>();
		int read = 0;
		int refused = 0;
		for (ObjectName bean : server.queryNames(null, null))
			beans.put(bean.getCanonicalName(), bean);
		expect(beans.size() == server.getMBeanCount(), "MBeans are lost");
		for (ObjectName bean : beans.values()) {
			MBeanAttributeInfo[] infos =
				server.getMBeanInfo(bean).getAttributes();
			Arrays.sort(infos, (a, b) ->
				a.getName().compareTo(b.getName()));
			for (MBeanAttributeInfo info : infos) {
				if (!info.isReadable())
					continue;
				String outcome = attribute(bean, info.getName());
				if (outcome.isEmpty())
					read++;
				else
					refused++;
				hash.update((bean + " " + info.getName() + " "
					+ info.getType() + " " + outcome + "\n")
					.getBytes(StandardCharsets.UTF_8));
			}
		}
		expect(read > 100, "only " + read + " attributes");
		return beans.size() + " MBeans, " + read + " attributes, "
			+ refused + " refused, hash "
			+ HexFormat.of().formatHex(hash.digest(), 0, 8) + ", "
			+ server.getAttribute(RUNTIME, "Name") + " since "
			+ server.getAttribute(RUNTIME, "StartTime");
	}

	/** Returns "", or the class of the exception that reading throws. */
	private String attribute(ObjectName bean, String attribute)
			throws Exception {
		try {
			server.getAttribute(bean, attribute);
			return "";
		} catch (javax.management.JMException | RuntimeException e) {
			return e.getClass().getName();
		}
	}

	private String operations(int unused) throws Exception {
		long[] ids = (long[]) server.getAttribute(THREADS, "AllThreadIds");
		CompositeData one = (CompositeData) server.invoke(THREADS,
			"getThreadInfo", new Object[] { ids[0] },
			new String[] { "long" });
		CompositeData deep = (CompositeData) server.invoke(THREADS,
			"getThreadInfo", new Object[] { ids[0], 5 },
			new String[] { "long", "int" });
		CompositeData[] all = (CompositeData[]) server.invoke(THREADS,
			"getThreadInfo", new Object[] { ids },
			new String[] { "[J" });
		expect(one.get("threadId").equals(ids[0])
			&& deep.get("threadId").equals(ids[0]), "another thread");
		expect(all.length == ids.length, "threads are lost");
		expect(((CompositeData[]) server.invoke(THREADS, "dumpAllThreads",
			new Object[] { true, true },
			new String[] { "boolean", "boolean" })).length > 3,
			"no threads in the dump");

		setAttributes();
		errors();

		String dump = (String) server.invoke(COMMANDS, "threadPrint",
			new Object[] { NONE },
			new String[] { String[].class.getName() });
		expect(dump.contains("Full thread dump")
			&& dump.contains("\"main\""), "no thread dump: " + dump);
		return ids.length + " threads, dump of " + dump.length()
			+ " characters";
	}

	/** Methods of jdk.management.jfr.FlightRecorderMXBean. */
	public interface FlightRecorder {
		long newRecording();

		void setPredefinedConfiguration(long id, String name);

		Map<String, String> getRecordingOptions(long id);

		void setRecordingOptions(long id, Map<String, String> options);

		Map<String, String> getRecordingSettings(long id);

		void setRecordingSettings(long id, Map<String, String> settings);

		void closeRecording(long id);
	}

	private String recording(int unused) throws Exception {
		FlightRecorder jfr = JMX.newMXBeanProxy(server,
			name("jdk.management.jfr:type=FlightRecorder"),
			FlightRecorder.class);
		long id = jfr.newRecording();
		jfr.setRecordingOptions(id, Map.of("name", "one",
			"maxAge", "5 s"));
		Map<String, String> options = jfr.getRecordingOptions(id);
		expect(options.get("name").equals("one")
			&& options.get("maxAge").equals("5 s"),
			"other options: " + options);
		jfr.setRecordingOptions(id, Map.of());
		jfr.setPredefinedConfiguration(id, "profile");
		Map<String, String> settings = jfr.getRecordingSettings(id);
		jfr.setRecordingSettings(id, settings);
		expect(settings.size() > 100
			&& jfr.getRecordingSettings(id).equals(settings),
			"other settings: " + settings);
		jfr.closeRecording(id);
		return settings.size() + " settings";
	}

	/** Restores the attribute that it changes. */
	private void setAttributes() throws Exception {
		boolean was = (Boolean) server.getAttribute(MEMORY, "Verbose");
		server.setAttribute(MEMORY, new Attribute("Verbose", !was));
		expect(server.getAttribute(MEMORY, "Verbose").equals(!was),
			"Verbose is not set");
		AttributeList set = server.setAttributes(MEMORY,
			new AttributeList(List.of(new Attribute("Verbose", was))));
		expect(set.size() == 1
			&& server.getAttribute(MEMORY, "Verbose").equals(was),
			"Verbose is not put back");
	}

	/** Exceptions arrive unchanged, and the connection stays usable. */
	private void errors() throws Exception {
		try {
			server.getAttribute(name("no:type=such"), "Any");
			expect(false, "an MBean that is none");
		} catch (InstanceNotFoundException e) {
			expect(e.getMessage().equals("no:type=such"), e + "");
		}
		try {
			server.invoke(THREADS, "getThreadInfo", null, null);
			expect(false, "an overload that is none");
		} catch (ReflectionException e) {
			expect(e.getCause() instanceof NoSuchMethodException,
				e + "");
		}
	}

	/** Waits for a notification of this type and ignores others. */
	private static Notification await(BlockingQueue<Notification> queue,
			String type) throws Exception {
		for (;;) {
			Notification n = queue.poll(300, TimeUnit.SECONDS);
			expect(n != null, "no notification " + type);
			if (n.getType().equals(type))
				return n;
		}
	}

	/** Registers and unregisters an MBean, which causes notifications. */
	private void provoke() throws Exception {
		server.createMBean("javax.management.timer.Timer", timer);
		server.unregisterMBean(timer);
	}

	private String notifications(int unused) throws Exception {
		BlockingQueue<Notification> queue = new LinkedBlockingQueue<>();
		NotificationListener listener = (n, h) -> queue.add(n);
		List<ObjectName> collectors = new ArrayList<>(server.queryNames(
			name("java.lang:type=GarbageCollector,*"), null));
		server.addNotificationListener(DELEGATE, listener, null, null);
		provoke();
		await(queue, "JMX.mbean.registered");
		await(queue, "JMX.mbean.unregistered");
		for (ObjectName collector : collectors)
			server.addNotificationListener(collector, listener,
				null, null);
		server.invoke(MEMORY, "gc", null, null);
		Notification gc = await(queue,
			"com.sun.management.gc.notification");
		expect(gc.getUserData() instanceof CompositeData,
			"a notification without what it is about");
		for (ObjectName collector : collectors)
			server.removeNotificationListener(collector, listener);
		server.removeNotificationListener(DELEGATE, listener);
		queue.clear();
		provoke();
		expect(queue.poll(1, TimeUnit.SECONDS) == null,
			"a notification after the listener went");
		return "three, and none after";
	}

	/** Readers may use them. */
	private String filters(int unused) throws Exception {
		NotificationFilterSupport types = new NotificationFilterSupport();
		AttributeChangeNotificationFilter names =
			new AttributeChangeNotificationFilter();
		MBeanServerNotificationFilter beans =
			new MBeanServerNotificationFilter();
		types.enableType("any");
		names.enableAttribute("Any");
		beans.enableObjectName(timer);
		for (NotificationFilter filter : List.of(types, names, beans)) {
			NotificationListener listener = (n, h) -> { };
			server.addNotificationListener(DELEGATE, listener, filter,
				null);
			server.removeNotificationListener(DELEGATE, listener);
		}
		QueryExp named = Query.match(Query.attr("Name"),
			Query.value("*"));
		QueryExp started = Query.gt(Query.times(Query.value(2),
			Query.attr("StartTime")), Query.value(1.5));
		expect(server.queryNames(name("java.lang:*"),
			Query.and(named, Query.or(started, Query.not(named))))
			.equals(java.util.Set.of(RUNTIME)), "other MBeans");
		return "three, and a query";
	}

	/**
	 * The JVM replies to a fetch of notifications after 60 s at the latest.
	 */
	private String blocking(int seconds) throws Exception {
		BlockingQueue<Notification> queue = new LinkedBlockingQueue<>();
		NotificationListener listener = (n, h) -> queue.add(n);
		// Other clients cause notifications meanwhile, which the
		// filter must exclude.
		MBeanServerNotificationFilter own =
			new MBeanServerNotificationFilter();
		own.enableObjectName(timer);
		server.addNotificationListener(DELEGATE, listener, own, null);
		expect(queue.poll(seconds, TimeUnit.SECONDS) == null,
			"a notification that nobody provoked");
		provoke();
		await(queue, "JMX.mbean.registered");
		server.removeNotificationListener(DELEGATE, listener);
		return "after " + seconds + " s";
	}

	private String held(int unused) throws Exception {
		server.invoke(name("sjkc.test:type=Door"), "enter", null, null);
		return "no more";
	}

	private String denied(int unused) {
		String done;
		try {
			done = operations(1);
		} catch (Exception e) {
			return causes(e);
		}
		throw new IllegalStateException("no exception, but " + done);
	}

	private String loop(int count) throws Exception {
		long[] took = new long[count];
		for (int i = 0; i < count; i++) {
			long began = System.nanoTime();
			server.getAttribute(RUNTIME, "Uptime");
			took[i] = System.nanoTime() - began;
		}
		Arrays.sort(took);
		return count + " calls, median " + took[count / 2] / 1000
			+ " us, 99 % " + took[count - 1 - count / 100] / 1000
			+ " us, most " + took[count - 1] / 1000 + " us";
	}

	private String churn(int count) throws Exception {
		long began = System.nanoTime();
		for (int i = 0; i < count; i++) {
			JMXConnector connector = connect();
			connector.getMBeanServerConnection()
				.getAttribute(RUNTIME, "Uptime");
			connector.close();
		}
		return count + " connections, each "
			+ (System.nanoTime() - began) / count / 1000 + " us";
	}

	private static void usage(String why) {
		System.err.println("JmxClient: " + why);
		System.exit(2);
	}

	/**
	 * Parses modes and their counts; all are checked before the first one
	 * runs.
	 */
	private static List<Map.Entry<String, Integer>> modes(
			List<String> words) {
		Map<String, Integer> usual = new HashMap<>(Map.of(
			"blocking", 62, "loop", 1000, "churn", 10));
		for (String mode : List.of("attributes", "operations",
				"recording", "notifications", "filters", "held",
				"denied", "shut"))
			usual.put(mode, 1);
		List<Map.Entry<String, Integer>> runs = new ArrayList<>();
		for (int i = 0; i < words.size(); i++) {
			String mode = words.get(i);
			Integer count = usual.get(mode);
			if (count == null)
				usage("no mode " + mode);
			if (i + 1 < words.size()
			    && words.get(i + 1).matches("\\d+"))
				count = Integer.valueOf(words.get(++i));
			runs.add(Map.entry(mode, Math.max(count, 1)));
		}
		return runs;
	}

	private Mode mode(String name) {
		return switch (name) {
		case "attributes" -> this::attributes;
		case "operations" -> this::operations;
		case "recording" -> this::recording;
		case "notifications" -> this::notifications;
		case "filters" -> this::filters;
		case "blocking" -> this::blocking;
		case "held" -> this::held;
		case "denied" -> this::denied;
		case "loop" -> this::loop;
		default -> this::churn;
		};
	}

	/** Prints a line; with several JVMs, keeps it for print(). */
	private synchronized void say(String line) {
		if (number == 1)
			System.out.println(line);
		else
			said.append(line).append('\n');
	}

	private synchronized void print() {
		if (number > 1)
			System.out.print("at " + where + "\n" + said);
	}

	/**
	 * Prints "shut: …" with the exception; fails if the client can connect.
	 */
	private boolean isShut() {
		try {
			connect().close();
			say("shut: FAILED: it is open");
			return false;
		} catch (Exception e) {
			say("shut: " + causes(e));
			return true;
		}
	}

	private static String causes(Throwable e) {
		StringBuilder text = new StringBuilder(e.toString());
		for (Throwable t = e.getCause(); t != null; t = t.getCause())
			text.append(" <- ").append(t);
		return text.toString().replaceAll("\\s+", " ");
	}

	private boolean isWell() {
		String now = "connect";
		long began = System.nanoTime();
		if (runs.get(0).getKey().equals("shut"))
			return isShut();
		try (JMXConnector connector = connect()) {
			server = connector.getMBeanServerConnection();
			say("connect: " + (System.nanoTime() - began) / 1_000_000
				+ " ms");
			for (Map.Entry<String, Integer> one : runs) {
				now = one.getKey();
				say(now + ": " + mode(now).run(one.getValue()));
			}
			now = "close";
		} catch (Exception e) {
			say(now + ": FAILED: " + causes(e));
			return false;
		}
		if (broken != null)
			say("connection: FAILED: " + broken);
		return broken == null;
	}

	/** Ends the program in time, because the JDK's client has no timeout. */
	private static void endInTime() {
		Thread guard = new Thread(() -> {
			try {
				Thread.sleep(1000L * Integer.getInteger(
					"client.seconds", 600));
			} catch (InterruptedException e) {
				return;
			}
			System.out.println("time: FAILED: it is over");
			System.out.flush();
			Runtime.getRuntime().halt(3);
		}, "guard");
		guard.setDaemon(true);
		guard.start();
	}

	private static List<JmxClient> clients(String[] words) throws Exception {
		List<JmxClient> clients = new ArrayList<>();
		List<String> all = Arrays.asList(words);
		int from = 0;
		for (int i = 0; i <= words.length; i++)
			if (i == words.length || words[i].equals("--")) {
				clients.add(new JmxClient(all.subList(from, i)));
				from = i + 1;
			}
		return clients;
	}

	public static void main(String[] words) throws Exception {
		endInTime();
		List<JmxClient> clients = clients(words);
		ExecutorService threads = Executors.newFixedThreadPool(
			Boolean.getBoolean("at.once") ? clients.size() : 1);
		List<Future<Boolean>> results = new ArrayList<>();
		for (JmxClient client : clients)
			results.add(threads.submit(client::isWell));
		boolean well = true;
		for (int i = 0; i < clients.size(); i++) {
			well &= results.get(i).get();
			clients.get(i).print();
		}
		System.out.flush();
		System.exit(well ? 0 : 1);
	}
}
