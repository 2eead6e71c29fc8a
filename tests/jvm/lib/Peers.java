// SPDX-License-Identifier: Apache-2.0
import java.io.RandomAccessFile;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.Selector;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;

/**
 * Threads that wait in system calls, each for another peer: "Peers FIFO SILENT",
 * where SILENT is an address that does not reply. Prints "NAME LOCAL REMOTE" for
 * the socket of each thread, and "-" for an address that does not exist.
 */
public class Peers {
	private static final Object LOCK = new Object();

	private interface Body {
		void run() throws Exception;
	}

	private static void start(String name, Body body) {
		Thread thread = new Thread(() -> {
			try {
				body.run();
			} catch (Exception e) {
				e.printStackTrace();
			}
			System.out.println("ended: " + name);
		}, name);
		thread.setDaemon(true);
		thread.start();
	}

	private static String text(InetAddress address, int port) {
		String host = address.getHostAddress();
		return (host.contains(":") ? "[" + host + "]" : host) + ":" +
			port;
	}

	private static String local(Socket s) {
		return text(s.getLocalAddress(), s.getLocalPort());
	}

	private static String remote(Socket s) {
		return text(s.getInetAddress(), s.getPort());
	}

	/** The two ends of a connection, each read by a thread. */
	private static void connect(String suffix, String host) throws Exception {
		ServerSocket listener =
			new ServerSocket(0, 5, InetAddress.getByName(host));
		Socket client = new Socket(listener.getInetAddress(),
			listener.getLocalPort());
		Socket server = listener.accept();

		start("client" + suffix, () -> client.getInputStream().read());
		start("server" + suffix, () -> server.getInputStream().read());
		System.out.println("client" + suffix + " " + local(client) +
			" " + remote(client));
		System.out.println("server" + suffix + " " + local(server) +
			" " + remote(server));
		start("acceptor" + suffix, () -> listener.accept());
		System.out.println("acceptor" + suffix + " " +
			text(listener.getInetAddress(),
				listener.getLocalPort()) + " -");
	}

	/** Threads of a pool that wait for a server, with a limit of time. */
	private static void connectPool() throws Exception {
		ServerSocket listener = new ServerSocket(0, 5,
			InetAddress.getByName("127.0.0.1"));

		for (int i = 0; i < 3; i++) {
			Socket client = new Socket(listener.getInetAddress(),
				listener.getLocalPort());

			listener.accept();
			client.setSoTimeout(3_000_000);
			start("pool-" + i,
				() -> client.getInputStream().read());
			System.out.println("pool-" + i + " " + local(client) +
				" " + remote(client));
		}
	}

	private static void connectSilent(String name, String host, int limit)
			throws Exception {
		Socket socket = new Socket();

		socket.bind(new InetSocketAddress(0));
		start(name, () -> socket.connect(
			new InetSocketAddress(host, 4444), limit));
		System.out.println(name + " *:" + socket.getLocalPort() + " " +
			host + ":4444");
	}

	public static void main(String[] args) throws Exception {
		Selector selector = Selector.open();
		ServerSocketChannel channel = ServerSocketChannel.open();
		RandomAccessFile fifo = new RandomAccessFile(args[0], "rw");

		connect("4", "127.0.0.1");
		connect("6", "::1");
		connectPool();
		connectSilent("silent", args[1], 0);
		connectSilent("silent-limit", args[1], 3_000_000);
		channel.bind(new InetSocketAddress(0));
		channel.configureBlocking(false);
		channel.register(selector, SelectionKey.OP_ACCEPT);
		start("selector", () -> selector.select());
		System.out.println("selector port " +
			channel.socket().getLocalPort());
		start("fifo", () -> {
			synchronized (LOCK) {
				start("blocked", () -> {
					synchronized (LOCK) {
						LOCK.notify();
					}
				});
				fifo.read();
			}
		});
		System.out.println("READY");
		Thread.sleep(600_000);
	}
}
