// SPDX-License-Identifier: Apache-2.0

import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.MonthDay;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.Period;
import java.time.Year;
import java.time.YearMonth;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import javax.management.Attribute;
import javax.management.AttributeList;
import javax.management.ImmutableDescriptor;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanInfo;
import javax.management.MBeanNotificationInfo;
import javax.management.MBeanOperationInfo;
import javax.management.MBeanParameterInfo;
import javax.management.ObjectInstance;
import javax.management.ObjectName;
import javax.management.openmbean.CompositeData;
import javax.management.openmbean.CompositeDataSupport;
import javax.management.openmbean.CompositeType;
import javax.management.openmbean.OpenMBeanAttributeInfoSupport;
import javax.management.openmbean.OpenType;
import javax.management.openmbean.SimpleType;
import javax.management.openmbean.TabularDataSupport;
import javax.management.openmbean.TabularType;

/**
 * Writes a stream of names and values, always the same.  The argument is the
 * length of the longest string.  tests/data/rmi/types17.stream was written by
 * JDK 17 with the argument 100.
 */
public class Values {
	static class Base implements Serializable {
		private static final long serialVersionUID = 1;
		int shared = 1;
		private int x = 5;
	}

	static class Point extends Base {
		private static final long serialVersionUID = 1;
		int x = 3, y = -4;
		char letter = 'ß';
		String label = "here";
		Point next;
	}

	enum Colour { RED, GREEN { } }

	private static ObjectOutputStream out;
	private static int longest = 70000; /* too long for TC_STRING */

	private static void put(String name, Object value) throws Exception {
		out.writeObject(name);
		out.writeObject(value);
	}

	private static void numbers() throws Exception {
		put("null", null);
		put("boolean", true);
		put("byte", (byte)-128);
		put("char", 'ß');
		put("half", '\ud83d');
		put("short", Short.MIN_VALUE);
		put("int", Integer.MIN_VALUE);
		put("long", Long.MIN_VALUE);
		put("float", 0.1f);
		put("double", 0.1);
		put("tenth", 1e-7);
		put("nan", Double.NaN);
		put("infinite", Double.NEGATIVE_INFINITY);
		put("big", BigInteger.ONE.shiftLeft(200).negate());
		put("zero", BigInteger.ZERO);
		put("billion", BigInteger.TEN.pow(18));
		for (String text : new String[] { "0", "0.00", "1E+3",
			"-1.50", "0.000001", "1E-7", "-123456789.0123456789",
			"12.34E+5", "0E-8", "-0.07" })
			put("decimal " + text, new BigDecimal(text));
		put("atomic", new AtomicLong(7));
		put("atomicInteger", new AtomicInteger(8));
		put("reference", new AtomicReference<>("held"));
	}

	private static void texts() throws Exception {
		char[] many = new char[longest];

		Arrays.fill(many, 'x');
		put("string", "a \"quote\"");
		put("astral", "\ud83d\ude00 ä");
		put("halfPair", "<\ud83d>");
		put("nul", "a\0b");
		put("long", new String(many));
		put("name", new ObjectName("a.b:type=C,name=\"x,y\""));
		put("enum", Colour.RED);
		put("enumBody", Colour.GREEN);
		put("class", String.class);
		put("classOfInts", int[].class);
		put("classOfInt", int.class);
		put("uuid", new UUID(0x0123456789abcdefL, -2));
		put("file", new java.io.File("/tmp/x"));
		put("uri", java.net.URI.create("http://example.org/?a=b"));
		put("throwable", new IllegalStateException("kept",
			new RuntimeException("cause")));
	}

	private static void times() throws Exception {
		LocalDateTime at = LocalDateTime.of(2026, 11, 21, 20, 19, 7);

		put("date", new Date(1234567890123L));
		put("timeBefore", new Date(-1));
		put("firstDate", new Date(Long.MIN_VALUE));
		put("lastDate", new Date(Long.MAX_VALUE));
		put("instant", Instant.ofEpochSecond(1234567890, 5000));
		put("before", Instant.ofEpochSecond(-1, 500000000));
		put("duration", Duration.ofMillis(90061001));
		put("negative", Duration.ofMillis(-1500));
		put("day", LocalDate.of(-5, 2, 3));
		put("hour", LocalTime.of(20, 0));
		put("second", LocalTime.of(20, 19, 7));
		put("nano", LocalTime.of(20, 19, 7, 120000000));
		put("local", at);
		put("offset", OffsetDateTime.of(at, ZoneOffset.ofHours(-3)));
		put("offsetTime", OffsetTime.of(LocalTime.of(1, 2),
			ZoneOffset.ofHoursMinutes(5, 30)));
		put("zoned", ZonedDateTime.of(at, ZoneId.of("Europe/Paris")));
		put("utc", ZonedDateTime.of(at, ZoneOffset.UTC));
		put("zone", ZoneId.of("Europe/Paris"));
		put("odd", ZoneOffset.ofTotalSeconds(-3723));
		put("year", Year.of(2026));
		put("month", YearMonth.of(12026, 3));
		put("birthday", MonthDay.of(2, 29));
		put("period", Period.of(1, 0, -3));
		put("noPeriod", Period.ZERO);
	}

	private static <T extends Collection<Object>> T fill(T c) {
		c.add("a");
		c.add("b");
		return c;
	}

	private static <T extends Map<Object, Object>> T fill(T map) {
		map.put("a", 1);
		map.put("b", 2);
		return map;
	}

	private static void lists() throws Exception {
		put("arrayList", fill(new ArrayList<>()));
		put("linkedList", fill(new LinkedList<>()));
		put("asList", Arrays.asList("a", null));
		put("deque", fill(new ArrayDeque<>()));
		put("queue", fill(new PriorityQueue<>()));
		put("vector", fill(new Vector<>()));
		put("stack", fill(new Stack<>()));
		put("hashSet", fill(new HashSet<>()));
		put("linkedSet", fill(new LinkedHashSet<>()));
		put("treeSet", fill(new TreeSet<>()));
		put("reverse", fill(new TreeSet<>(Collections.reverseOrder())));
		put("enumSet", EnumSet.of(Colour.RED));
		put("of", List.of("a", "b"));
		put("setOf", Set.of("a"));
		put("copyOnWrite", fill(new CopyOnWriteArrayList<>()));
		put("copySet", fill(new CopyOnWriteArraySet<>()));
		put("linkedQueue", fill(new ConcurrentLinkedQueue<>()));
		put("linkedDeque", fill(new ConcurrentLinkedDeque<>()));
		put("blockingQueue", fill(new LinkedBlockingQueue<>()));
		put("blockingDeque", fill(new LinkedBlockingDeque<>()));
		put("skipSet", fill(new ConcurrentSkipListSet<>()));
		put("newKeySet", fill(ConcurrentHashMap.newKeySet()));
		put("fromMap", fill(Collections.newSetFromMap(new HashMap<>())));
		put("emptyList", Collections.emptyList());
		put("emptySet", Collections.emptySet());
		put("singleton", Collections.singleton("a"));
		put("singletonList", Collections.singletonList("a"));
		put("copies", Collections.nCopies(3, "a"));
		put("unmodifiable",
			Collections.unmodifiableList(fill(new ArrayList<>())));
		put("unmodifiableSet",
			Collections.unmodifiableSortedSet(fill(new TreeSet<>())));
		put("synchronized",
			Collections.synchronizedList(fill(new ArrayList<>())));
		put("checked", Collections.checkedList(
			fill(new ArrayList<>()), Object.class));
		put("attributes", new AttributeList(
			List.of(new Attribute("A", 1), new Attribute("B", "b"))));
	}

	private static void maps() throws Exception {
		Properties properties = new Properties();

		properties.setProperty("k", "v");
		put("hashMap", fill(new HashMap<>()));
		put("linkedMap", fill(new LinkedHashMap<>()));
		put("treeMap", fill(new TreeMap<>()));
		put("hashtable", fill(new Hashtable<>()));
		put("properties", properties);
		put("concurrent", fill(new ConcurrentHashMap<>()));
		put("skipMap", fill(new ConcurrentSkipListMap<>()));
		put("enumMap", new EnumMap<>(Map.of(Colour.RED, "red")));
		put("mapOf", Map.of("a", 1));
		put("emptyMap", Collections.emptyMap());
		put("oneMap", Collections.singletonMap("a", 1));
		put("unmodifiableMap",
			Collections.unmodifiableMap(fill(new TreeMap<>())));
		put("synchronizedMap",
			Collections.synchronizedMap(fill(new TreeMap<>())));
		put("numbered", Collections.singletonMap(7, "seven"));
		put("nullKey", Collections.singletonMap(null, null));
	}

	private static void arrays() throws Exception {
		put("booleans", new boolean[] { true, false });
		put("bytes", new byte[] { 0, -1, 127 });
		put("chars", new char[] { 'a', 'ß' });
		put("shorts", new short[] { -1, 1 });
		put("ints", new int[] { 1, -2 });
		put("longs", new long[] { Long.MIN_VALUE, Long.MAX_VALUE });
		put("floats", new float[] { 0.5f, Float.NaN });
		put("doubles", new double[] { 0.5, Double.NaN });
		put("strings", new String[] { "a", null });
		put("matrix", new int[][] { { 1, 2 }, {}, { 3 } });
		put("objects", new Object[] { 1, "two", null, new int[] { 3 } });
	}

	private static void open() throws Exception {
		CompositeType type = new CompositeType("pair", "a pair",
			new String[] { "key", "value" },
			new String[] { "its key", "its value" },
			new OpenType<?>[] { SimpleType.STRING, SimpleType.LONG });
		TabularType table = new TabularType("table", "of pairs", type,
			new String[] { "key" });
		TabularDataSupport rows = new TabularDataSupport(table);

		for (long i = 1; i <= 2; i++)
			rows.put(new CompositeDataSupport(type,
				new String[] { "key", "value" },
				new Object[] { "k" + i, i }));
		put("composite", rows.get(new Object[] { "k1" }));
		put("tabular", rows);
		put("noRows", new TabularDataSupport(table));
		put("composites", rows.values().toArray(new CompositeData[0]));
		put("instance", new ObjectInstance("a:b=c", "a.Class"));
		put("info", info());
	}

	private static MBeanInfo info() {
		MBeanParameterInfo a = new MBeanParameterInfo("a", "long",
			"what is given");
		MBeanAttributeInfo[] attributes = {
			new MBeanAttributeInfo("Flag", "boolean", "a flag",
				true, true, true),
			new OpenMBeanAttributeInfoSupport("Open", "an open one",
				SimpleType.LONG, true, false, false),
			new MBeanAttributeInfo("Secret", "int", "is set only",
				false, true, false),
		};
		MBeanOperationInfo[] operations = {
			new MBeanOperationInfo("put", "puts it",
				new MBeanParameterInfo[] { a, a }, "void",
				MBeanOperationInfo.ACTION),
			new MBeanOperationInfo("get", "gets it", null, "[J",
				MBeanOperationInfo.INFO),
		};
		MBeanNotificationInfo[] notifications = {
			new MBeanNotificationInfo(new String[] { "t.a", "t.b" },
				"a.Notification", "it happened"),
		};

		return new MBeanInfo("a.Bean", "a bean", attributes, null,
			operations, notifications,
			new ImmutableDescriptor("mxbean=true"));
	}

	private static void objects() throws Exception {
		Point point = new Point();
		List<Object> list = new ArrayList<>();
		Object[] deep = {};

		put("point", new Point());
		point.next = new Point();
		point.next.next = point;
		put("pointCycle", point);
		list.add(list);
		put("cycle", list);
		for (int i = 0; i < 100; i++)
			deep = new Object[] { deep };
		put("deep", deep);
	}

	public static void main(String[] arguments) throws Exception {
		out = new ObjectOutputStream(System.out);
		/* 1 is that of RMI. */
		out.useProtocolVersion(Integer.getInteger("protocol", 2));
		if (arguments.length > 0)
			longest = Integer.parseInt(arguments[0]);
		numbers();
		texts();
		times();
		lists();
		maps();
		arrays();
		open();
		objects();
		out.flush();
	}
}
