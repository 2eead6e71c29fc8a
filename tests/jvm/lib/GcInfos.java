// SPDX-License-Identifier: Apache-2.0

import com.sun.management.GarbageCollectorMXBean;
import com.sun.management.GcInfo;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.ToLongFunction;
import javax.management.MBeanServerConnection;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/**
 * Causes full collections in a JVM and reads what the JVM knows of each, with
 * the JDK's own client: GcInfos HOST:PORT NUMBER.
 *
 * <p>Prints a line for each collection: the name of the collector, the id, the
 * duration and the end in ms, and the bytes that were used before and after and
 * committed after it, each a sum over the pools whose type is HEAP.
 */
public class GcInfos {
	private static long sum(Map<String, MemoryUsage> pools, Set<String> heap,
			ToLongFunction<MemoryUsage> value) {
		return pools.entrySet().stream()
			.filter(pool -> heap.contains(pool.getKey()))
			.mapToLong(pool -> value.applyAsLong(pool.getValue()))
			.sum();
	}

	private static void print(String collector, GcInfo info,
			Set<String> heap) {
		System.out.println(collector.replace(' ', '_')
			+ " " + info.getId()
			+ " " + info.getDuration()
			+ " " + info.getEndTime()
			+ " " + sum(info.getMemoryUsageBeforeGc(), heap,
				MemoryUsage::getUsed)
			+ " " + sum(info.getMemoryUsageAfterGc(), heap,
				MemoryUsage::getUsed)
			+ " " + sum(info.getMemoryUsageAfterGc(), heap,
				MemoryUsage::getCommitted));
	}

	/** The collectors of full collections, of Serial and of G1. */
	private static final Set<String> FULL =
		Set.of("MarkSweepCompact", "G1 Old Generation");

	/**
	 * The collector is the one whose number grows, among those of full
	 * collections: there may be a young collection at the same time.
	 */
	private static void collect(MBeanServerConnection jvm, Set<String> heap)
			throws Exception {
		var collectors = ManagementFactory.getPlatformMXBeans(jvm,
			GarbageCollectorMXBean.class);
		var before = new long[collectors.size()];
		for (int i = 0; i < before.length; i++)
			before[i] = collectors.get(i).getCollectionCount();
		ManagementFactory.getPlatformMXBeans(jvm,
			java.lang.management.MemoryMXBean.class).get(0).gc();
		for (int i = 0; i < before.length; i++) {
			GarbageCollectorMXBean c = collectors.get(i);
			if (FULL.contains(c.getName())
			    && c.getCollectionCount() > before[i])
				print(c.getName(), c.getLastGcInfo(), heap);
		}
	}

	public static void main(String[] words) throws Exception {
		JMXServiceURL url = new JMXServiceURL(
			"service:jmx:rmi:///jndi/rmi://" + words[0] + "/jmxrmi");
		try (JMXConnector connector = JMXConnectorFactory.connect(url)) {
			MBeanServerConnection jvm =
				connector.getMBeanServerConnection();
			Set<String> heap = new HashSet<>();
			for (MemoryPoolMXBean pool : ManagementFactory
				.getPlatformMXBeans(jvm, MemoryPoolMXBean.class))
				if (pool.getType() == MemoryType.HEAP)
					heap.add(pool.getName());
			for (int i = 0; i < Integer.parseInt(words[1]); i++)
				collect(jvm, heap);
		}
	}
}
