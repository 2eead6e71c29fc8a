// SPDX-License-Identifier: Apache-2.0

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Array;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import javax.management.Attribute;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.openmbean.CompositeData;
import javax.management.openmbean.TabularData;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/**
 * Measures the JDK's own JMX client in a warm JVM.  For each line of stdin, it
 * prints a line "WALL-MS CPU-MS".  "first" connects, reads one attribute, and
 * closes.  "dump" connects, writes all attributes of the MBeans that match the
 * pattern to the file as JSON, and closes.  Arguments: host:port, the pattern,
 * and the file.
 */
public class JmxPeer {
	private static void text(Writer out, String text) throws Exception {
		out.write('"');
		for (int i = 0; i < text.length(); i++) {
			char c = text.charAt(i);
			if (c == '"' || c == '\\')
				out.write('\\');
			if (c < ' ')
				out.write(String.format("\\u%04x", (int) c));
			else
				out.write(c);
		}
		out.write('"');
	}

	private static void list(Writer out, Iterable<?> values)
		throws Exception {
		String before = "[";
		for (Object one : values) {
			out.write(before);
			value(out, one);
			before = ",";
		}
		out.write(before.equals("[") ? "[]" : "]");
	}

	private static void value(Writer out, Object v) throws Exception {
		if (v == null || v instanceof Number || v instanceof Boolean) {
			out.write(String.valueOf(v));
		} else if (v.getClass().isArray()) {
			List<Object> values = new ArrayList<>();
			for (int i = 0; i < Array.getLength(v); i++)
				values.add(Array.get(v, i));
			list(out, values);
		} else if (v instanceof CompositeData) {
			CompositeData data = (CompositeData) v;
			String before = "{";
			for (String key : data.getCompositeType().keySet()) {
				out.write(before);
				text(out, key);
				out.write(':');
				value(out, data.get(key));
				before = ",";
			}
			out.write('}');
		} else if (v instanceof TabularData) {
			list(out, ((TabularData) v).values());
		} else if (v instanceof Collection) {
			list(out, (Collection<?>) v);
		} else if (v instanceof Map) {
			list(out, ((Map<?, ?>) v).entrySet());
		} else {
			text(out, v.toString());
		}
	}

	private static void bean(Writer out, MBeanServerConnection server,
		ObjectName name) throws Exception {
		List<String> names = new ArrayList<>();
		for (MBeanAttributeInfo one :
			server.getMBeanInfo(name).getAttributes())
			if (one.isReadable())
				names.add(one.getName());
		out.write("{\"name\":");
		text(out, name.toString());
		for (Attribute one : server.getAttributes(name,
			names.toArray(new String[0])).asList()) {
			out.write(",\n");
			text(out, one.getName());
			out.write(':');
			value(out, one.getValue());
		}
		out.write("}\n");
	}

	private static void dump(MBeanServerConnection server, String pattern,
		String file) throws Exception {
		try (Writer out = new OutputStreamWriter(
			Files.newOutputStream(Paths.get(file)),
			StandardCharsets.UTF_8)) {
			for (ObjectName name :
				server.queryNames(new ObjectName(pattern), null))
				bean(out, server, name);
		}
	}

	public static void main(String[] arguments) throws Exception {
		JMXServiceURL url = new JMXServiceURL(
			"service:jmx:rmi:///jndi/rmi://" + arguments[0] + "/jmxrmi");
		com.sun.management.OperatingSystemMXBean system =
			(com.sun.management.OperatingSystemMXBean)
				ManagementFactory.getOperatingSystemMXBean();
		BufferedReader in = new BufferedReader(
			new InputStreamReader(System.in));
		for (String deed; (deed = in.readLine()) != null;) {
			long wall = System.nanoTime();
			long cpu = system.getProcessCpuTime();
			try (JMXConnector c = JMXConnectorFactory.connect(url)) {
				MBeanServerConnection server =
					c.getMBeanServerConnection();
				if (deed.equals("dump"))
					dump(server, arguments[1], arguments[2]);
				else
					server.getAttribute(new ObjectName(
						"java.lang:type=Runtime"), "Uptime");
			}
			System.out.printf("%.3f %.3f%n",
				(System.nanoTime() - wall) / 1e6,
				(system.getProcessCpuTime() - cpu) / 1e6);
			System.out.flush();
		}
	}
}
