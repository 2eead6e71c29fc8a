// SPDX-License-Identifier: Apache-2.0
// Compiled alone: needs internal packages of JConsole.

import com.sun.tools.jconsole.JConsoleContext;
import java.lang.management.MemoryUsage;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.lang.reflect.Method;
import java.util.Map;
import javax.management.MBeanInfo;
import javax.management.ObjectName;
import sun.tools.jconsole.MemoryPoolProxy;
import sun.tools.jconsole.ProxyClient;

/**
 * Connects as JConsole does, with JConsole's own class and without windows.
 *
 * <pre>
 * java --add-exports jdk.jconsole/sun.tools.jconsole=ALL-UNNAMED
 *      --add-opens jdk.jconsole/sun.tools.jconsole=ALL-UNNAMED
 *      JConsoleClient [user=USER:PASSWORD] [secure] HOST:PORT…
 * </pre>
 *
 * It reads what the tabs Overview, Memory, Threads, VM Summary and MBeans show.
 * "secure" rejects a stub without TLS, as JConsole does at its first attempt.
 * Options apply to the next JVM.  For each JVM it prints "at HOST:PORT" and
 * "jconsole: …".
 */
public class JConsoleClient {
	private static void expect(boolean holds, String what) {
		if (!holds)
			throw new IllegalStateException(what);
	}

	/** Connects as JConsole's dialog does, which is in the same package. */
	private static void connect(ProxyClient client, boolean secure)
			throws Exception {
		Method connect = ProxyClient.class.getDeclaredMethod("connect",
			boolean.class);
		connect.setAccessible(true);
		connect.invoke(client, secure);
		expect(client.getConnectionState()
			== JConsoleContext.ConnectionState.CONNECTED,
			"JConsole is " + client.getConnectionState());
	}

	private static String tabs(ProxyClient client) throws Exception {
		MemoryUsage heap = client.getMemoryMXBean().getHeapMemoryUsage();
		expect(heap.getUsed() > 0, "no heap");
		int pools = 0;
		for (MemoryPoolProxy pool : client.getMemoryPoolProxies()) {
			expect(pool.getStat().getPoolName() != null, "no pool");
			pools++;
		}
		ThreadMXBean threads = client.getThreadMXBean();
		long[] ids = threads.getAllThreadIds();
		int named = 0;
		for (ThreadInfo thread : threads.getThreadInfo(ids, 50))
			named += thread != null && thread.getThreadName() != null
				? 1 : 0;
		expect(named > 3, "only " + named + " threads");
		expect(client.getSunOperatingSystemMXBean()
			.getProcessCpuTime() > 0, "no CPU time");
		expect(client.getRuntimeMXBean().getVmName() != null, "no name");
		int beans = 0;
		for (String domain : client.getDomains())
			for (Map.Entry<ObjectName, MBeanInfo> bean
					: client.getMBeans(domain).entrySet()) {
				client.getAttributes(bean.getKey(),
					new String[] { "Name" });
				beans++;
			}
		return client.getRuntimeMXBean().getName() + ", " + pools
			+ " pools, " + named + " threads, " + beans + " MBeans";
	}

	private static boolean isWell(String where, String[] user,
			boolean secure) {
		System.out.println("at " + where);
		try {
			int colon = where.lastIndexOf(':');
			ProxyClient client = ProxyClient.getProxyClient(
				where.substring(0, colon).replaceAll("[\\[\\]]", ""),
				Integer.parseInt(where.substring(colon + 1)),
				user[0], user[1]);
			connect(client, secure);
			System.out.println("jconsole: " + tabs(client));
			client.disconnect();
			return true;
		} catch (Exception e) {
			System.out.println("jconsole: FAILED: " + e + " <- "
				+ e.getCause());
			return false;
		}
	}

	public static void main(String[] words) {
		String[] user = { null, null };
		boolean secure = false;
		boolean well = true;
		for (String word : words) {
			if (word.startsWith("user=")) {
				user = word.substring(5).split(":", 2);
			} else if (word.equals("secure")) {
				secure = true;
			} else {
				well &= isWell(word, user, secure);
				user = new String[] { null, null };
				secure = false;
			}
		}
		System.exit(well ? 0 : 1);
	}
}
