// SPDX-License-Identifier: Apache-2.0
// Compiled alone: needs the libraries of VisualVM.

import java.lang.reflect.Method;
import java.util.List;
import org.graalvm.visualvm.application.Application;
import org.graalvm.visualvm.application.jvm.HeapHistogram;
import org.graalvm.visualvm.application.jvm.Jvm;
import org.graalvm.visualvm.application.jvm.JvmFactory;
import org.graalvm.visualvm.core.datasource.DataSource;
import org.graalvm.visualvm.core.datasupport.Stateful;
import org.graalvm.visualvm.core.ui.DataSourceView;
import org.graalvm.visualvm.core.ui.DataSourceViewsManager;
import org.graalvm.visualvm.core.ui.DataSourceWindowManager;
import org.graalvm.visualvm.jmx.JmxApplicationsSupport;
import org.graalvm.visualvm.tools.jmx.JmxModel;
import org.graalvm.visualvm.tools.jmx.JmxModelFactory;

/**
 * Uses VisualVM as a person would, inside its JVM (VisualVmAgent): adds a JMX
 * connection, reads the data of the tabs, takes a thread dump.
 */
public class VisualVmClient {
	private static Application opened;
	private static String mainClass = "Target";

	private static void expect(boolean holds, String what) {
		if (!holds)
			throw new IllegalStateException(what);
	}

	/** Waits until VisualVM has connected. */
	private static void await(Application application) throws Exception {
		for (int i = 0; i < 3000; i++) {
			if (application.getState() == Stateful.STATE_AVAILABLE)
				return;
			Thread.sleep(100);
		}
		expect(false, "it does not connect");
	}

	private static String look(Application application) throws Exception {
		JmxModel model = JmxModelFactory.getJmxModelFor(application);
		expect(model.getConnectionState()
			== JmxModel.ConnectionState.CONNECTED,
			"it is " + model.getConnectionState());
		// The window has the application's data only while it is open;
		// an earlier application would be drawn again every second.
		if (opened != null)
			DataSourceWindowManager.sharedInstance()
				.closeDataSource(opened);
		DataSourceWindowManager.sharedInstance()
			.openDataSource(application);
		opened = application;
		Jvm jvm = JvmFactory.getJVMFor(application);
		expect(jvm.isBasicInfoSupported()
			&& mainClass.equals(jvm.getMainClass()),
			"its main class is " + jvm.getMainClass());
		expect(jvm.isMonitoringSupported()
			&& jvm.isMemoryMonitoringSupported()
			&& jvm.isThreadMonitoringSupported()
			&& jvm.isCpuMonitoringSupported(), "no monitoring");
		expect(jvm.getSystemProperties().size() > 20,
			"no system properties");
		expect(jvm.getMonitoredData().getThreadsLive() > 3,
			"no threads");
		String dump = jvm.takeThreadDump();
		expect(dump != null && dump.contains("\"main\""),
			"no thread dump: " + dump);
		HeapHistogram heap = jvm.takeHeapHistogram();
		expect(heap != null && heap.getTotalInstances() > 1000,
			"no histogram");
		return "pid " + application.getPid() + ", thread dump of "
			+ dump.length() + " characters, "
			+ heap.getTotalInstances() + " objects";
	}

	/** Shows a tab of the application that was added last. */
	private static void show(String tab) throws Exception {
		// VisualVM offers no public way to find a tab.
		Method views = DataSourceViewsManager.class.getDeclaredMethod(
			"getViews", DataSource.class);
		views.setAccessible(true);
		for (Object view : (Iterable<?>) views.invoke(
				DataSourceViewsManager.sharedInstance(), opened))
			if (((DataSourceView) view).getName().equals(tab))
				DataSourceWindowManager.sharedInstance()
					.selectView((DataSourceView) view);
	}

	/**
	 * The words are those of JConsoleClient; main=CLASS sets the expected
	 * main class, tab=NAME shows a tab.  Returns false if one failed.
	 */
	public static boolean run(List<String> words, Appendable out)
			throws Exception {
		String[] user = { "", "" };
		boolean well = true;
		for (String word : words) {
			if (word.startsWith("user=")) {
				user = word.substring(5).split(":", 2);
				continue;
			}
			if (word.startsWith("main=")) {
				mainClass = word.substring(5);
				continue;
			}
			if (word.startsWith("tab=")) {
				show(word.substring(4));
				continue;
			}
			out.append("at " + word + "\n");
			try {
				Application application = JmxApplicationsSupport
					.getInstance()
					.createJmxApplicationInteractive(
						"service:jmx:rmi:///jndi/rmi://"
						+ word + "/jmxrmi", word,
						user[0], user[1], false, false);
				await(application);
				out.append("visualvm: " + look(application)
					+ "\n");
			} catch (Exception e) {
				out.append("visualvm: FAILED: " + e + " <- "
					+ e.getCause() + "\n");
				well = false;
			}
			user = new String[] { "", "" };
		}
		return well;
	}
}
