// SPDX-License-Identifier: Apache-2.0

import com.sun.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.lang.reflect.Array;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import javax.management.Attribute;
import javax.management.AttributeList;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanInfo;
import javax.management.MBeanNotificationInfo;
import javax.management.MBeanOperationInfo;
import javax.management.MBeanParameterInfo;
import javax.management.MBeanServerConnection;
import javax.management.NotificationListener;
import javax.management.ObjectName;
import javax.management.Query;
import javax.management.openmbean.CompositeData;
import javax.management.openmbean.TabularData;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/**
 * Reads each attribute of each MBean of a JVM, and calls each method of an
 * MBeanServerConnection, directly and through a bridge:
 * CompareJmx DIRECT-HOST:PORT BRIDGE-HOST:PORT.  The JVM runs Beans.
 *
 * <p>Prints a line for each attribute and each call, separated by tabs: "equal",
 * "changing" if the value changes by itself but has the same classes, or
 * "differs"; the MBean, or "call"; the attribute or the call; and the values if
 * they differ.
 */
public class CompareJmx {
	private static final int SHOWN = 400;
	private static final String STRING = "java.lang.String";
	private static final String TIMER = "javax.management.timer.Timer";
	private static final ObjectName OPERATIONS = name("Operations");
	private static final ObjectName SETTABLE = name("Settable");

	private final MBeanServerConnection direct;
	private final MBeanServerConnection bridged;

	private static ObjectName name(String type) {
		try {
			return new ObjectName("sjkc.test:type=" + type);
		} catch (Exception e) {
			throw new IllegalArgumentException(type, e);
		}
	}

	private CompareJmx(String direct, String bridged) throws Exception {
		this.direct = connect(direct);
		this.bridged = connect(bridged);
	}

	private static MBeanServerConnection connect(String address)
			throws Exception {
		JMXConnector connector = JMXConnectorFactory.connect(
			new JMXServiceURL("service:jmx:rmi:///jndi/rmi://"
				+ address + "/jmxrmi"));
		return connector.getMBeanServerConnection();
	}

	/** A value with the classes of its parts; without values, only those. */
	private static String show(Object v, boolean values) {
		if (v == null)
			return "null";
		if (v instanceof CompositeData)
			return composite((CompositeData) v, values);
		if (v instanceof TabularData)
			return "table " + ((TabularData) v).getTabularType()
				.getTypeName() + ((TabularData) v)
				.getTabularType().getIndexNames()
				+ all(new TreeSet<>(texts(
					((TabularData) v).values(), values)),
					values);
		if (v.getClass().isArray()) {
			List<Object> list = new ArrayList<>();
			for (int i = 0; i < Array.getLength(v); i++)
				list.add(Array.get(v, i));
			return v.getClass().getName() + all(texts(list, values),
				values);
		}
		if (v instanceof Collection)
			return (v instanceof List ? "list" : "set")
				+ all(texts((Collection<?>) v, values), values);
		if (v instanceof Map) {
			Map<String, String> map = new TreeMap<>();
			((Map<?, ?>) v).forEach((key, value) -> map.put(
				show(key, values), show(value, values)));
			return "map" + (values ? map.toString() : "");
		}
		if (v instanceof ObjectName)
			v = ((ObjectName) v).getCanonicalName();
		return v.getClass().getName() + (values ? " " + v : "");
	}

	private static List<String> texts(Collection<?> parts, boolean values) {
		List<String> texts = new ArrayList<>();
		for (Object part : parts)
			texts.add(show(part, values));
		return texts;
	}

	/** Without values, the number of parts does not matter. */
	private static String all(Collection<String> texts, boolean values) {
		if (values)
			return texts.toString();
		texts.remove("null");
		return new TreeSet<>(texts).toString();
	}

	private static String composite(CompositeData v, boolean values) {
		Map<String, String> items = new TreeMap<>();
		for (String key : v.getCompositeType().keySet()) {
			String type = v.getCompositeType().getType(key)
				.getTypeName();
			items.put(key, values ? type + " "
				+ show(v.get(key), true) : type);
		}
		return "composite " + v.getCompositeType().getTypeName() + items;
	}

	private interface Call {
		Object on(MBeanServerConnection server) throws Exception;
	}

	private static String outcome(Call call, MBeanServerConnection server,
			boolean values) {
		try {
			return show(call.on(server), values);
		} catch (Exception | StackOverflowError e) {
			return "throws " + e.getClass().getName() + " <- "
				+ (e.getCause() == null ? null
					: e.getCause().getClass().getName());
		}
	}

	private void compare(String what, String name, Call call) {
		String before = outcome(call, direct, true);
		String through = outcome(call, bridged, true);
		String after = outcome(call, direct, true);
		String result = "equal";
		if (!before.equals(through) && !after.equals(through)) {
			String classes = outcome(call, direct, false);
			String own = outcome(call, bridged, false);
			result = before.equals(after) || !classes.equals(own)
				? "differs" : "changing";
			if (!classes.equals(own)) {
				before = classes;
				through = own;
			}
		}
		System.out.print(result + "\t" + escape(what) + "\t"
			+ escape(name));
		if (result.equals("differs"))
			System.out.print("\t" + escape(before) + "\t"
				+ escape(through));
		System.out.println();
	}

	private static String escape(String text) {
		String safe = text.replaceAll("\\p{Cntrl}", "?");
		return safe.length() > SHOWN ? safe.substring(0, SHOWN) : safe;
	}

	private void compareAttributes() throws Exception {
		Map<String, ObjectName> beans = new TreeMap<>();
		for (ObjectName bean : direct.queryNames(null, null))
			beans.put(bean.getCanonicalName(), bean);
		for (ObjectName bean : beans.values()) {
			for (MBeanAttributeInfo info
					: direct.getMBeanInfo(bean).getAttributes())
				if (info.isReadable())
					compare(bean.toString(), info.getName(),
						s -> s.getAttribute(bean,
							info.getName()));
			compare("call", "getMBeanInfo " + bean,
				s -> features(s.getMBeanInfo(bean)));
			compare("call", "getObjectInstance " + bean,
				s -> s.getObjectInstance(bean).toString());
			compare("call", "isInstanceOf Object " + bean,
				s -> s.isInstanceOf(bean, "java.lang.Object"));
			compare("call", "isInstanceOf String " + bean,
				s -> s.isInstanceOf(bean, "java.lang.String"));
			compare("call", "isInstanceOf NotificationEmitter "
				+ bean, s -> s.isInstanceOf(bean,
				"javax.management.NotificationEmitter"));
		}
	}

	/** Without descriptions, constructors, impacts and descriptors. */
	private static List<String> features(MBeanInfo info) {
		List<String> features = new ArrayList<>();
		features.add(info.getClassName());
		for (MBeanAttributeInfo a : info.getAttributes())
			features.add(a.getName() + " " + a.getType() + " "
				+ a.isReadable() + a.isWritable() + a.isIs());
		for (MBeanOperationInfo o : info.getOperations()) {
			StringBuilder text = new StringBuilder(
				o.getReturnType() + " " + o.getName());
			for (MBeanParameterInfo p : o.getSignature())
				text.append(" ").append(p.getType());
			features.add(text.toString());
		}
		for (MBeanNotificationInfo n : info.getNotifications())
			features.add(n.getName() + " "
				+ List.of(n.getNotifTypes()));
		features.sort(null);
		return features;
	}

	private void invoke(String operation, Object[] arguments,
			String... signature) {
		compare("call", "invoke " + operation + " "
			+ List.of(signature), s -> s.invoke(OPERATIONS,
				operation, arguments, signature));
	}

	private void invokeAll() {
		invoke("sum", new Object[] { 3, 4 }, "int", "int");
		invoke("sum", new Object[] { 0.5, 4.0 }, "double", "double");
		invoke("sum", new Object[] { "a", null }, STRING, STRING);
		invoke("sum", new Object[] { 3, 4 }, "long", "long");
		invoke("sum", new Object[] { 3 }, "int", "int");
		invoke("type", new Object[] { 1L << 60 }, "long");
		invoke("type", new Object[] { new int[] { 1, 2 } }, "[I");
		invoke("texts", new Object[] { new String[] { "a", null } },
			"[Ljava.lang.String;");
		invoke("mean", new Object[] { new double[] { 1, 2 } }, "[D");
		invoke("nameOf", new Object[] { OPERATIONS },
			"javax.management.ObjectName");
		invoke("nothing", null);
		invoke("nil", new Object[0]);
		invoke("fail", new Object[] { "why" }, STRING);
		invoke("none", new Object[0]);
	}

	private void setAll() {
		Object[][] values = {
			{ "Flag", true }, { "Byte", (byte) -3 }, { "Char", 'x' },
			{ "Short", (short) 7 }, { "Int", 1 << 30 },
			{ "Long", 1L << 62 }, { "Float", 0.5f },
			{ "Double", 1e300 }, { "Boxed", 5 }, { "String", "é" },
			{ "Name", OPERATIONS }, { "Ints", new int[] { 1, 2 } },
			{ "BigInteger", BigInteger.ONE.shiftLeft(100) },
			{ "BigDecimal", new BigDecimal("0.1") },
			{ "Date", new Date(1234567890000L) },
			{ "Doubles", new double[] { 0.25 } },
			{ "Strings", new String[] { "a", "" } },
			{ "Refusing", 1 }, { "Unknown", 1 }, { "Int", "text" },
		};
		for (Object[] value : values) {
			Attribute attribute = new Attribute((String) value[0],
				value[1]);
			compare("call", "setAttribute " + value[0] + " "
				+ value[1].getClass(), s -> {
					s.setAttribute(SETTABLE, attribute);
					return direct.getAttribute(SETTABLE,
						attribute.getName());
				});
		}
		compare("call", "setAttributes", s -> s.setAttributes(SETTABLE,
			new AttributeList(List.of(new Attribute("Int", 9),
				new Attribute("Refusing", 1),
				new Attribute("Unknown", 1)))));
	}

	/** Both servers have the MBeans of the other calls. */
	private void callAll() throws Exception {
		ObjectName none = new ObjectName("no:type=such");
		compare("call", "queryNames", s -> s.queryNames(
			new ObjectName("java.lang:*"), null));
		compare("call", "queryMBeans", s -> s.queryMBeans(null, null)
			.stream().map(Object::toString)
			.collect(Collectors.toSet()));
		compare("call", "queryNames QueryExp", s -> s.queryNames(null,
			Query.isInstanceOf(Query.value("x"))));
		compare("call", "isRegistered",
			s -> s.isRegistered(OPERATIONS));
		compare("call", "isRegistered none", s -> s.isRegistered(none));
		compare("call", "getMBeanCount", s -> s.getMBeanCount());
		compare("call", "getDefaultDomain", s -> s.getDefaultDomain());
		compare("call", "getDomains", s -> new TreeSet<>(
			List.of(s.getDomains())));
		compare("call", "getAttribute none",
			s -> s.getAttribute(none, "Int"));
		compare("call", "getAttribute Unknown",
			s -> s.getAttribute(SETTABLE, "Unknown"));
		compare("call", "getAttributes", s -> s.getAttributes(SETTABLE,
			new String[] { "Int", "Unknown", "Flag" }));
		compare("call", "getMBeanInfo none", s -> s.getMBeanInfo(none));
		compare("call", "getObjectInstance none",
			s -> s.getObjectInstance(none).toString());
		compare("call", "isInstanceOf none",
			s -> s.isInstanceOf(none, "java.lang.Object"));
		compare("call", "createMBean", s -> s.createMBean(TIMER, none));
		compare("call", "createMBean arguments", s -> s.createMBean(
			TIMER, none, new Object[0], new String[0]));
		compare("call", "createMBean loader",
			s -> s.createMBean(TIMER, none, OPERATIONS));
		compare("call", "createMBean loader arguments",
			s -> s.createMBean(TIMER, none, OPERATIONS,
				new Object[0], new String[0]));
		compare("call", "unregisterMBean", s -> {
			s.unregisterMBean(none);
			return null;
		});
		listenAll(none);
	}

	private void listenAll(ObjectName none) throws Exception {
		ObjectName delegate = new ObjectName(
			"JMImplementation:type=MBeanServerDelegate");
		NotificationListener listener = (n, h) -> { };
		compare("call", "addNotificationListener", s -> {
			s.addNotificationListener(delegate, listener, null,
				null);
			s.removeNotificationListener(delegate, listener);
			return null;
		});
		compare("call", "addNotificationListener none", s -> {
			s.addNotificationListener(none, listener, null, null);
			return null;
		});
		compare("call", "addNotificationListener MBean", s -> {
			s.addNotificationListener(delegate, none, null, null);
			return null;
		});
		compare("call", "removeNotificationListener MBean", s -> {
			s.removeNotificationListener(delegate, none);
			return null;
		});
		compare("call", "removeNotificationListener MBean filter", s -> {
			s.removeNotificationListener(delegate, none, null,
				null);
			return null;
		});
	}

	/** The proxies of the JDK check composites strictly. */
	private void proxyAll() throws Exception {
		for (GarbageCollectorMXBean gc : ManagementFactory
				.getPlatformMXBeans(bridged,
					GarbageCollectorMXBean.class))
			System.out.println("equal\tproxy\tgc\t" + (gc
				.getLastGcInfo() == null ? 0
				: gc.getLastGcInfo().getMemoryUsageAfterGc()
					.size()));
		for (ThreadInfo thread : ManagementFactory.getPlatformMXBean(
				bridged, ThreadMXBean.class)
				.dumpAllThreads(true, true))
			System.out.println("equal\tproxy\tthread\t"
				+ thread.getThreadName());
	}

	public static void main(String[] words) throws Exception {
		CompareJmx both = new CompareJmx(words[0], words[1]);
		both.compareAttributes();
		both.invokeAll();
		both.setAll();
		both.callAll();
		both.proxyAll();
		System.exit(0);
	}
}
