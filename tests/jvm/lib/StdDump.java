import java.io.DataInputStream;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.zip.InflaterInputStream;

/**
 * Prints the events of .std files, versions 2 and 4: a decoder that shares no
 * code with sjkc and reads as a Java program does, with DataInputStream.
 */
public class StdDump {
	private static final long EPOCH = 1391255854894L;
	private static final String[] STATES = {
		"null", "NEW", "RUNNABLE", "BLOCKED", "WAITING", "TIMED_WAITING",
		"TERMINATED",
	};
	private static final String[] STRINGS = {
		null, "(stored-parts)", "jvm.event", "thread.javaId",
		"thread.javaName", "thread.javaState", "java.cpu-time.ms",
		"java.cpu-time.user.ms", "java.allocated.bytes", "java.wait-count",
		"java.wait-time.ms", "java.blocked-count", "java.blocked-time.ms",
		"jvm.gc.name", "jvm.gc.memory-spaces", "jvm.gc.count",
		"jvm.gc.total-time",
	};
	private static final String[] DYNAMIC = {
		null, "", "counters", "tags", "thread-details", "thread-stack",
		"timestamp", "jvm.thread-snapshot", "jvm.event.gc", "jvm.event.stw",
	};

	private final DataInputStream in;
	private final boolean isV4;
	private final List<String> strings = new ArrayList<>();
	private final List<String> frames = new ArrayList<>();
	private final List<String> columns = new ArrayList<>();
	private final Map<Integer, String> dynamic = new HashMap<>();
	/* Sets of pairs, as text "key\0tag". */
	private final Map<Integer, TreeSet<String>> tags = new HashMap<>();
	private final Map<Integer, TreeSet<String>> counters = new HashMap<>();

	private StdDump(InputStream file) throws IOException {
		byte[] magic = new byte[12];
		new DataInputStream(file).readFully(magic);
		String name = new String(magic, "US-ASCII");
		isV4 = name.equals("EVENTDUMP_1 ");
		if (!isV4 && !name.equals("TRACEDUMP_2 "))
			throw new IOException("magic " + name);
		in = new DataInputStream(new InflaterInputStream(file));
		strings.add(null);
		frames.add(null);
		tags.put(0, new TreeSet<>());
		counters.put(0, new TreeSet<>());
		for (int i = 1; isV4 && i < STRINGS.length; i++)
			strings.add(STRINGS[i]);
		for (int i = 1; isV4 && i < DYNAMIC.length; i++)
			dynamic.put(i, DYNAMIC[i]);
	}

	/** Groups of seven bits, the lowest first; the last byte has eight. */
	private long number(int bytes) throws IOException {
		long value = 0;
		for (int i = 0; ; i++) {
			long b = in.readUnsignedByte();
			if (i == bytes - 1)
				return value | b << 7 * i;
			value |= (b & 0x7f) << 7 * i;
			if (b < 0x80)
				return value;
		}
	}

	private int vint() throws IOException {
		return (int)number(4);
	}

	private static void check(boolean is, String what) throws IOException {
		if (!is)
			throw new IOException(what);
	}

	private <T> T at(List<T> list, int id) throws IOException {
		check(id < list.size(), "id " + id + " of " + list.size());
		return list.get(id);
	}

	private void frame() throws IOException {
		String pack = at(strings, vint()), type = at(strings, vint());
		String method = at(strings, vint()), file = at(strings, vint());
		int line = vint() - 2;
		String place = line == -2 ? "Native Method"
			: file == null ? "Unknown Source"
			: line > 0 ? file + ":" + line : file;
		frames.add((pack == null ? "" : pack + ".") +
			(type == null ? "" : type + ".") + method + "(" + place + ")");
	}

	private void set(Map<Integer, TreeSet<String>> sets) throws IOException {
		int id = vint();
		TreeSet<String> base = sets.get(vint());
		check(base != null, "no base");
		TreeSet<String> made = new TreeSet<>(base), added = new TreeSet<>();
		for (int op; (op = in.readUnsignedByte()) != 0; ) {
			check(op <= 5, "operation " + op);
			String key = at(strings, vint()), tag = "";
			if (op == 1 || op == 3 || op == 5)
				tag = dynamic.get(vint());
			String pair = key + "\0" + tag;
			if (op == 3 || op == 4)
				made.removeIf(p -> p.startsWith(key + "\0"));
			if (op == 5)
				made.remove(pair);
			if (op <= 3)
				added.add(pair);
		}
		made.addAll(added);
		sets.put(id, made);
	}

	private void stack(StringBuilder out) throws IOException {
		for (int depth = vint(); depth > 0; depth--)
			out.append('\n').append(at(frames, vint()));
	}

	private String eventOfV2() throws IOException {
		StringBuilder out = new StringBuilder();
		Map<String, Object> data = new TreeMap<>();
		data.put("thread.javaId", number(9));
		int name = vint();
		if (name != 0)
			data.put("thread.javaName", dynamic.get(name));
		out.append(number(9) + EPOCH);
		int state = vint();
		if (state != 0)
			data.put("thread.javaState", STATES[state]);
		byte[] mask = new byte[(columns.size() + 7) / 8];
		in.readFully(mask);
		for (int i = 0; i < columns.size(); i++) {
			if ((mask[i / 8] >> i % 8 & 1) != 0)
				data.put(columns.get(i), number(9));
		}
		out.append(data.toString().replace("\n", "\\n"));
		stack(out);
		return out.toString();
	}

	private String eventOfV4() throws IOException {
		StringBuilder out = new StringBuilder();
		TreeSet<String> set = tags.get(vint());
		check(set != null, "no tags");
		Map<String, Object> data = new TreeMap<>();
		for (String pair : set) {
			int cut = pair.indexOf('\0');
			if (!pair.startsWith("(stored-parts)"))
				data.put(pair.substring(0, cut), pair.substring(cut + 1));
		}
		if (set.contains("(stored-parts)\0timestamp"))
			out.append(number(9) + EPOCH);
		if (set.contains("(stored-parts)\0counters")) {
			TreeSet<String> keys = counters.get(vint());
			check(keys != null, "no counters");
			for (String key : keys)
				data.put(key.substring(0, key.indexOf('\0')), number(9));
		}
		out.append(data.toString().replace("\n", "\\n"));
		if (set.contains("(stored-parts)\0thread-stack"))
			stack(out);
		return out.toString();
	}

	private int print() throws IOException {
		for (int count = 0; ; ) {
			int tag = in.read();
			if (tag < 0)
				return count;
			switch (tag) {
			case 1: strings.add(in.readUTF()); break;
			case 2: frame(); break;
			case 3:
				System.out.println((isV4 ? eventOfV4() : eventOfV2()) + "\n");
				count++;
				break;
			case 4: dynamic.put(vint(), in.readUTF()); break;
			case 5:
				if (isV4)
					set(counters);
				else
					columns.add(in.readUTF());
				break;
			case 6: set(tags); break;
			default: throw new IOException("record " + tag);
			}
		}
	}

	public static void main(String[] args) throws IOException {
		for (String name : args) {
			try (FileInputStream file = new FileInputStream(name)) {
				int count = new StdDump(file).print();
				System.err.println(name + ": " + count + " events");
			}
		}
	}
}
