/* SPDX-License-Identifier: Apache-2.0 */
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;
import javax.management.ObjectName;

/**
 * Has controls of terminals in the names of threads, of a class, its method and its MBean. The word
 * PAINT follows each of them.
 */
public class Painted {
	/** A control that a JVM allows in names of classes and methods. */
	private static final String[] CONTROLS = {
		"\u001b[31m", "\u001b]52;c;", "\u001b]8;;x\u001b\\", "\u001bc", "\r", "\b", "\u202e",
		"\u2066", "\u009b31m", "\u0007",
	};

	/** Has a name of the same length when it is loaded. */
	public static class Zxxxxxxxxxxxx implements Runnable {
		public static double sum;

		public void run() {
			while (true) {
				yxxxxxxxxxxxx();
				LockSupport.parkNanos(20_000_000);
			}
		}

		private void yxxxxxxxxxxxx() {
			for (int i = 0; i < 1 << 20; i++)
				sum += Math.sqrt(i + sum);
		}
	}

	public interface ColorMBean {
		String getColor();

		String paint(String what);
	}

	public static class Color implements ColorMBean {
		public String getColor() {
			return String.join("PAINT", CONTROLS) + "PAINT";
		}

		public String paint(String what) {
			throw new IllegalStateException(getColor());
		}
	}

	/** Loads a class under another name of the same length. */
	private static class Painter extends ClassLoader {
		private byte[] bytes;

		private void rename(String from, String to) {
			byte[] old = from.getBytes(StandardCharsets.UTF_8);
			byte[] name = to.getBytes(StandardCharsets.UTF_8);
			for (int i = 0; i + old.length <= bytes.length; i++)
				if (Arrays.equals(Arrays.copyOfRange(bytes, i, i + old.length), old))
					System.arraycopy(name, 0, bytes, i, old.length);
		}

		Object make() throws Exception {
			ByteArrayOutputStream all = new ByteArrayOutputStream();
			String name = Zxxxxxxxxxxxx.class.getName();
			try (InputStream in = Painted.class.getResourceAsStream(name + ".class")) {
				for (int c = in.read(); c >= 0; c = in.read())
					all.write(c);
			}
			bytes = all.toByteArray();
			/* ESC c resets a terminal; U+009B begins a sequence. */
			rename("Zxxxxxxxxxxxx", "\u001bcPAINT\u202e\u0007xx");
			rename("yxxxxxxxxxxxx", "\u009b31mPAINT\b\ry");
			return defineClass(null, bytes, 0, bytes.length).getDeclaredConstructor().newInstance();
		}
	}

	private static void start(String name, Runnable body) {
		Thread thread = new Thread(body, name);
		thread.setDaemon(true);
		thread.start();
	}

	private static void block(Object lock) {
		synchronized (lock) {
			park();
		}
	}

	private static void park() {
		while (true)
			LockSupport.park();
	}

	public static void main(String[] args) throws Exception {
		Runnable painted = (Runnable) new Painter().make();
		start("\u001b[31mPAINT-runs", painted);
		for (String control : CONTROLS) {
			start(control + "PAINT", () -> block(painted));
			start("a" + control + "PAINT", Painted::park);
		}
		ManagementFactory.getPlatformMBeanServer().registerMBean(new Color(),
			new ObjectName("x:name=" + ObjectName.quote(String.join("PAINT", CONTROLS) + "PAINT")));
		Thread.sleep(500);
		System.out.println("READY");
		park();
	}
}
