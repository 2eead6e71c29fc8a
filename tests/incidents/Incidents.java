// SPDX-License-Identifier: Apache-2.0
import java.io.ByteArrayOutputStream;
import java.io.FileInputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.reflect.Method;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.FileHandler;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import java.util.regex.Pattern;
import java.util.zip.Deflater;

/**
 * Services with a fault, and healthy ones, for tests of why:
 *
 *     java Incidents NAME [ARGUMENT]
 *
 * Each is a nested class with a method serve(int), which a pool of threads calls
 * some times per second, or a main of its own.  It prints READY first.
 */
public class Incidents {
	interface Service {
		void serve(int number) throws Exception;
	}

	static volatile int sink;

	/** Uses a CPU for some microseconds. */
	static void work(int us) {
		long end = System.nanoTime() + us * 1000L;
		int x = 1;
		while (System.nanoTime() < end)
			for (int i = 0; i < 100; i++)
				x = x * 31 + i;
		sink = x;
	}

	static void run(String pool, int threads, int perSecond, Service service)
			throws Exception {
		AtomicInteger number = new AtomicInteger();
		ThreadPoolExecutor workers = new ThreadPoolExecutor(threads, threads, 1,
				TimeUnit.MINUTES, new LinkedBlockingQueue<>(20000),
				r -> new Thread(r, pool + "-" + number.incrementAndGet()),
				new ThreadPoolExecutor.DiscardPolicy());
		long begin = System.nanoTime();
		System.out.println("READY");
		for (int i = 0;; i++) {
			long wait = begin + i * 1_000_000_000L / perSecond - System.nanoTime();
			int n = i;
			if (wait > 1_000_000)
				Thread.sleep(wait / 1_000_000);
			workers.execute(() -> {
				try {
					service.serve(n);
				} catch (Exception e) {
					sink++;
				}
			});
		}
	}

	// ---- the CPU ----

	static class Regex {
		/** A reference to a group, so the JDK does not remember failed positions. */
		static final Pattern MAIL = Pattern.compile("^(([a-z0-9.]+)+)@acme\\.com(\\2)?$");

		static boolean isMail(String text) {
			return MAIL.matcher(text).matches();
		}

		static void serve(int n) {
			if (n % 2 == 0)
				sink += isMail(n % 12 == 0 ? "buyer.with.a.long.name.x"
						: "a@acme.com") ? 1 : 0;
			else
				work(100);
		}
	}

	static class Exceptions {
		static int parse(String text) {
			try {
				return Integer.parseInt(text);
			} catch (NumberFormatException e) {
				return -1;
			}
		}

		static void serve(int n) {
			for (int i = 0; i < 1500; i++)
				sink += parse(i % 20 == 0 ? "7" : "seven");
		}
	}

	/** Burns 1 ms for each request; a limit or a neighbor makes it slow. */
	static class Price {
		static void serve(int n) {
			work(1000);
		}
	}

	// ---- locks and waits ----

	static class Deadlock {
		static final Object[] accounts = new Object[500];

		static void transfer(Object from, Object to, boolean slow) throws Exception {
			synchronized (from) {
				if (slow)
					Thread.sleep(50);
				synchronized (to) {
					sink++;
				}
			}
		}

		static void serve(int n) throws Exception {
			int from = n % 499, to = from + 1;
			if (n > 200 && n % 500 == 7) {
				from = 1;
				to = 0;
			} else if (n > 200 && n % 500 == 8) {
				from = 0;
				to = 1;
			}
			transfer(accounts[from], accounts[to], from < 2);
		}
	}

	static class PriceCache {
		final Map<Integer, String> prices = new HashMap<>();

		synchronized String get(int key) {
			return prices.computeIfAbsent(key, this::load);
		}

		String load(int key) {
			work(9000);
			return "price " + key;
		}
	}

	static class Convoy {
		static final PriceCache cache = new PriceCache();

		static void serve(int n) {
			cache.get(n);
		}
	}

	/** A server that needs 3 s for each reply. */
	static int slowServer() throws Exception {
		ServerSocket server = new ServerSocket(0, 500, InetAddress.getByName("127.0.0.1"));
		Thread accepting = new Thread(() -> {
			while (true) {
				try {
					Socket client = server.accept();
					Thread replying = new Thread(() -> {
						try {
							Thread.sleep(3000);
							client.getOutputStream().write('x');
							client.close();
						} catch (Exception e) {
							sink++;
						}
					});
					replying.setDaemon(true);
					replying.start();
				} catch (Exception e) {
					return;
				}
			}
		}, "slow-server");
		accepting.setDaemon(true);
		accepting.start();
		return server.getLocalPort();
	}

	static class Downstream {
		static int port;

		static int fetchInventory() throws Exception {
			try (Socket s = new Socket("127.0.0.1", port)) {
				return s.getInputStream().read();
			}
		}

		static void serve(int n) throws Exception {
			if (n % 2 == 0)
				fetchInventory();
			else
				work(300);
		}
	}

	/** A pool of connections, of which an error path returns none. */
	static class ConnectionPool {
		static final Semaphore permits = new Semaphore(10);

		static void borrow() throws Exception {
			if (!permits.tryAcquire(30, TimeUnit.SECONDS))
				throw new Exception("no connection");
		}

		static void serve(int n) throws Exception {
			borrow();
			work(200);
			if (n % 10 != 3)
				permits.release();
		}
	}

	static class Journal {
		static final FileChannel file = open();

		static FileChannel open() {
			try {
				return FileChannel.open(Path.of(argument, "journal"),
						StandardOpenOption.CREATE, StandardOpenOption.WRITE);
			} catch (Exception e) {
				throw new IllegalStateException(e);
			}
		}

		static synchronized void append(int n) throws Exception {
			file.write(ByteBuffer.allocate(1 << 20), 0);
			file.force(true);
		}

		static void serve(int n) throws Exception {
			append(n);
		}
	}

	static class Names {
		static void serve(int n) throws Exception {
			if (n % 2 == 0)
				InetAddress.getByName("payments-" + n + ".acme.example");
			else
				work(200);
		}
	}

	static class Audit {
		static final Logger logger = Logger.getLogger("audit");

		static void open() throws Exception {
			FileHandler handler = new FileHandler(argument + "/audit.log");
			handler.setFormatter(new SimpleFormatter());
			logger.addHandler(handler);
			logger.setUseParentHandlers(false);
		}

		static void serve(int n) {
			for (int i = 0; i < 40; i++)
				logger.info("request " + n + " step " + i);
		}
	}

	static class LegacyHandle {
		final byte[] page = new byte[200];

		@Override
		@SuppressWarnings({"deprecation", "removal"})
		protected void finalize() throws Exception {
			Thread.sleep(5);
		}
	}

	static class Handles {
		static volatile byte[] page;

		static void serve(int n) {
			for (int i = 0; i < 4; i++)
				sink += new LegacyHandle().page.length;
			page = new byte[60000];
		}
	}

	/** Two carriers, and requests of which some use them for seconds. */
	static class Virtual {
		static void thumbnail() {
			long end = System.nanoTime() + 2_000_000_000L;
			int x = 1;
			while (System.nanoTime() < end)
				for (int i = 0; i < 1000; i++)
					x = x * 31 + i;
			sink = x;
		}

		static void main() throws Exception {
			Method make = java.util.concurrent.Executors.class
					.getMethod("newVirtualThreadPerTaskExecutor");
			ExecutorService executor = (ExecutorService) make.invoke(null);
			System.out.println("READY");
			for (int i = 0;; i++) {
				int n = i;
				executor.submit(() -> {
					if (n % 60 == 0)
						thumbnail();
					else
						Thread.sleep(20);
					return 0;
				});
				Thread.sleep(10);
			}
		}
	}

	// ---- stops ----

	static class Search {
		static final Map<Integer, byte[]> cache = new HashMap<>();
		static volatile byte[][] found;

		static void serve(int n) {
			byte[][] results = new byte[40][];
			for (int i = 0; i < results.length; i++)
				results[i] = new byte[5000];
			sink += cache.get(n % cache.size())[0];
			found = results;
		}
	}

	static class Large {
		static volatile byte[] report;

		static void serve(int n) {
			if (n % 3 == 0)
				report = new byte[3 * 1024 * 1024 / 2];
			else
				work(100);
		}
	}

	static class Checksum {
		static volatile byte[] page;

		static int sum() {
			int sum = 0;
			for (int i = 1; i < 400_000_000; i++)
				sum += (sum ^ i) * 31 / i;
			return sum;
		}

		static void serve(int n) {
			page = new byte[30_000];
		}
	}

	// ---- growth ----

	static class Session {
		final String user;
		final byte[] cart = new byte[1500];

		Session(String user) {
			this.user = user;
		}
	}

	static class Sessions {
		static final Map<String, Session> all = new ConcurrentHashMap<>();
		static volatile byte[] page;

		static void serve(int n) {
			all.put(UUID.randomUUID().toString(), new Session("user" + n));
			page = new byte[60000];
		}
	}

	/** A class of which each loader defines its own copy. */
	public static class Script {
		public static int run(int n) {
			int x = n;
			for (int i = 0; i < 300; i++) {
				x = x * 31 + i;
				if ((x & 7) == 3)
					x ^= Integer.rotateLeft(x, 5);
				x += Integer.bitCount(x ^ i);
			}
			return x;
		}
	}

	static class ScriptLoader extends ClassLoader {
		static byte[] code;

		static byte[] read() throws Exception {
			ByteArrayOutputStream out = new ByteArrayOutputStream();
			try (InputStream in = Incidents.class
					.getResourceAsStream("Incidents$Script.class")) {
				for (int b; (b = in.read()) >= 0;)
					out.write(b);
			}
			return out.toByteArray();
		}

		Class<?> load() {
			return defineClass("Incidents$Script", code, 0, code.length);
		}
	}

	static class Scripts {
		static final List<Object> audit = Collections.synchronizedList(new ArrayList<>());

		static void serve(int n) throws Exception {
			Class<?> script = new ScriptLoader().load();
			sink += (Integer) script.getMethod("run", int.class).invoke(null, n);
			audit.add(script);
		}
	}

	/** More hot code than the code cache can keep. */
	static class HotScripts {
		static final List<java.util.function.IntUnaryOperator> all = new ArrayList<>();

		static java.util.function.IntUnaryOperator load() throws Exception {
			Method run = new ScriptLoader().load().getMethod("run", int.class);
			java.lang.invoke.MethodHandle handle = java.lang.invoke.MethodHandles
					.lookup().unreflect(run);
			return n -> {
				try {
					return (int) handle.invokeExact(n);
				} catch (Throwable e) {
					throw new IllegalStateException(e);
				}
			};
		}

		static void serve(int n) {
			for (int i = 0; i < 400; i++)
				sink += all.get((n * 7 + i) % all.size()).applyAsInt(i);
		}
	}

	static class Direct {
		static final List<ByteBuffer> frames = Collections.synchronizedList(new ArrayList<>());

		static void serve(int n) {
			ByteBuffer buffer = ByteBuffer.allocateDirect(64 * 1024);
			for (int i = 0; i < buffer.capacity(); i += 4096)
				buffer.put(i, (byte) 1);
			if (n % 4 == 0)
				frames.add(buffer);
		}
	}

	static class Codecs {
		static final List<Object> all = Collections.synchronizedList(new ArrayList<>());
		static final byte[] page = new byte[20000];

		static void serve(int n) {
			Deflater deflater = new Deflater(6);
			byte[] out = new byte[4000];
			deflater.setInput(page);
			deflater.finish();
			while (!deflater.finished())
				sink += deflater.deflate(out);
			if (n % 5 == 0)
				all.add(deflater);
			else
				deflater.end();
		}
	}

	static class Templates {
		static final List<Object> open = Collections.synchronizedList(new ArrayList<>());

		static void serve(int n) throws Exception {
			FileInputStream in = new FileInputStream("/etc/hostname");
			sink += in.read();
			open.add(in);
		}
	}

	// ---- healthy services ----

	static class Pages {
		static final Map<Integer, String> cache = new ConcurrentHashMap<>();
		static final Object lock = new Object();

		static void serve(int n) throws Exception {
			StringBuilder page = new StringBuilder();
			for (int i = 0; i < 200; i++)
				page.append(cache.computeIfAbsent((n + i) % 2000, k -> "item" + k));
			synchronized (lock) {
				sink += page.length();
			}
			Thread.sleep(5);
		}
	}

	/** A thread for each of 200 clients, which are silent most of the time. */
	static class Blocking {
		static void answer(Socket client) throws Exception {
			InputStream in = client.getInputStream();
			OutputStream out = client.getOutputStream();
			for (int b; (b = in.read()) >= 0;) {
				work(200);
				out.write(b);
			}
		}

		static void main() throws Exception {
			ServerSocket server = new ServerSocket(0, 500,
					InetAddress.getByName("127.0.0.1"));
			List<Socket> clients = new ArrayList<>();
			for (int i = 0; i < 200; i++) {
				clients.add(new Socket("127.0.0.1", server.getLocalPort()));
				Socket accepted = server.accept();
				new Thread(() -> {
					try {
						answer(accepted);
					} catch (Exception e) {
						sink++;
					}
				}, "connection-" + i).start();
			}
			System.out.println("READY");
			for (int i = 0;; i++) {
				Socket client = clients.get(i % 200);
				client.getOutputStream().write(i);
				sink += client.getInputStream().read();
				Thread.sleep(10);
			}
		}
	}

	static class EventLoops {
		static void loop(Selector selector) throws Exception {
			ByteBuffer buffer = ByteBuffer.allocate(64);
			while (true) {
				selector.select();
				for (SelectionKey key : selector.selectedKeys()) {
					java.nio.channels.SocketChannel channel =
							(java.nio.channels.SocketChannel) key.channel();
					buffer.clear();
					channel.read(buffer);
					work(100);
					buffer.flip();
					channel.write(buffer);
				}
				selector.selectedKeys().clear();
			}
		}

		static void main() throws Exception {
			ServerSocketChannel server = ServerSocketChannel.open();
			List<Socket> clients = new ArrayList<>();
			server.bind(new InetSocketAddress("127.0.0.1", 0));
			for (int i = 0; i < 4; i++) {
				Selector selector = Selector.open();
				for (int c = 0; c < 25; c++) {
					Socket client = new Socket();
					client.connect(server.getLocalAddress());
					clients.add(client);
					java.nio.channels.SocketChannel accepted = server.accept();
					accepted.configureBlocking(false);
					accepted.register(selector, SelectionKey.OP_READ);
				}
				new Thread(() -> {
					try {
						loop(selector);
					} catch (Exception e) {
						e.printStackTrace();
					}
				}, "event-loop-" + i).start();
			}
			System.out.println("READY");
			for (int i = 0;; i++) {
				Socket client = clients.get(i % clients.size());
				client.getOutputStream().write(i);
				sink += client.getInputStream().read();
				Thread.sleep(5);
			}
		}
	}

	static class Batch {
		static void main() throws Exception {
			Map<Integer, String> rows = new HashMap<>();
			System.out.println("READY");
			for (int i = 0;; i++) {
				rows.put(i % 10000, "row " + i);
				if (i % 10000 == 0)
					sink += rows.hashCode();
			}
		}
	}

	static class Consumers {
		static final LinkedBlockingQueue<Integer> topic = new LinkedBlockingQueue<>();

		static void consume() throws Exception {
			while (true) {
				Integer message = topic.poll(100, TimeUnit.MILLISECONDS);
				if (message != null)
					work(500);
			}
		}

		static void main() throws Exception {
			for (int i = 0; i < 12; i++)
				new Thread(() -> {
					try {
						consume();
					} catch (Exception e) {
						sink++;
					}
				}, "consumer-" + i).start();
			System.out.println("READY");
			for (int i = 0;; i++) {
				topic.add(i);
				Thread.sleep(5);
			}
		}
	}

	/** A large cache that is full: it replaces its oldest entries. */
	static class LargeCache {
		static final Map<Integer, byte[]> images = new LinkedHashMap<>() {
			@Override
			protected boolean removeEldestEntry(Map.Entry<Integer, byte[]> eldest) {
				return size() > 80000;
			}
		};

		static volatile byte[] page;

		static synchronized byte[] load(int n) {
			return images.computeIfAbsent(n, k -> new byte[1000]);
		}

		static void serve(int n) {
			sink += load(n).length;
			page = new byte[20000];
		}
	}

	static String argument;

	static void prepare(String name) throws Exception {
		switch (name) {
		case "deadlock":
			for (int i = 0; i < Deadlock.accounts.length; i++)
				Deadlock.accounts[i] = new Object();
			break;
		case "downstream":
			Downstream.port = slowServer();
			break;
		case "thrash":
			for (int i = 0; i < 5200; i++)
				Search.cache.put(i, new byte[10000]);
			break;
		case "logging":
			Audit.open();
			break;
		case "loaders":
		case "codecache":
			ScriptLoader.code = ScriptLoader.read();
			for (int i = 0; name.equals("codecache") && i < 2500; i++)
				HotScripts.all.add(HotScripts.load());
			break;
		case "cache":
			for (int i = 0; i < 80000; i++)
				LargeCache.load(i);
			break;
		default:
		}
	}

	static void runChecksum() throws Exception {
		Thread t = new Thread(() -> {
			while (true) {
				sink += Checksum.sum();
				try {
					Thread.sleep(500);
				} catch (InterruptedException e) {
					return;
				}
			}
		}, "audit-checksum");
		t.setDaemon(true);
		t.start();
		run("http-worker", 8, 400, Checksum::serve);
	}

	public static void main(String[] arguments) throws Exception {
		String name = arguments[0];
		argument = arguments.length > 1 ? arguments[1] : "";
		prepare(name);
		switch (name) {
		case "regex": run("http-worker", 8, 100, Regex::serve); break;
		case "exceptions": run("http-worker", 8, 250, Exceptions::serve); break;
		case "price": run("http-worker", 8, 250, Price::serve); break;
		case "deadlock": run("http-worker", 200, 200, Deadlock::serve); break;
		case "convoy": run("http-worker", 60, 150, Convoy::serve); break;
		case "downstream": run("http-worker", 20, 50, Downstream::serve); break;
		case "permits": run("http-worker", 50, 100, ConnectionPool::serve); break;
		case "fsync": run("http-worker", 16, 4000, Journal::serve); break;
		case "dns": run("http-worker", 10, 20, Names::serve); break;
		case "logging": run("http-worker", 40, 6000, Audit::serve); break;
		case "finalizer": run("http-worker", 4, 300, Handles::serve); break;
		case "virtual": Virtual.main(); break;
		case "thrash": run("search-worker", 8, 800, Search::serve); break;
		case "humongous": run("export-worker", 4, 300, Large::serve); break;
		case "safepoint": runChecksum(); break;
		case "leak": run("http-worker", 8, 1500, Sessions::serve); break;
		case "loaders": run("http-worker", 4, 100, Scripts::serve); break;
		case "codecache": run("http-worker", 4, 200, HotScripts::serve); break;
		case "direct": run("upload-worker", 4, 200, Direct::serve); break;
		case "deflater": run("gzip-worker", 4, 100, Codecs::serve); break;
		case "descriptors": run("http-worker", 4, 100, Templates::serve); break;
		case "pages": run("http-worker", 20, Integer.parseInt(argument), Pages::serve); break;
		case "blocking": Blocking.main(); break;
		case "loops": EventLoops.main(); break;
		case "batch": Batch.main(); break;
		case "consumers": Consumers.main(); break;
		case "cache": run("http-worker", 8, 500, LargeCache::serve); break;
		default: throw new IllegalArgumentException(name);
		}
	}
}
