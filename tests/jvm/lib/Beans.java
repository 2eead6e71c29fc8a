// SPDX-License-Identifier: Apache-2.0

import java.io.Serializable;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Field;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.management.Attribute;
import javax.management.AttributeList;
import javax.management.AttributeNotFoundException;
import javax.management.DynamicMBean;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanInfo;
import javax.management.MBeanNotificationInfo;
import javax.management.MBeanServer;
import javax.management.Notification;
import javax.management.NotificationBroadcasterSupport;
import javax.management.ObjectName;
import javax.management.openmbean.CompositeDataSupport;
import javax.management.openmbean.CompositeType;
import javax.management.openmbean.OpenType;
import javax.management.openmbean.SimpleType;

/**
 * MBeans of the domain sjkc.test: attributes of every type, attributes that
 * fail in every way, overloaded operations, and notifications.
 *
 * <p>Arguments: many=N registers sjkc.many:type=Many,id=1 to N.  victims=N
 * registers N MBeans, of which the first one that is read unregisters all
 * others. With ticks=MS, type=Ticker sends a notification every MS
 * milliseconds.  Prints READY when all are registered.  Exits after
 * target.seconds (default: 300).
 */
public class Beans {
	private static final MBeanServer SERVER =
		ManagementFactory.getPlatformMBeanServer();
	private static final int MOST = 200_000;

	private static ObjectName name(String text) {
		try {
			return new ObjectName(text);
		} catch (Exception e) {
			throw new IllegalArgumentException(text, e);
		}
	}

	private static void register(Object bean, String name)
		throws Exception {
		SERVER.registerMBean(bean, name("sjkc.test:" + name));
	}

	/** A class that clients do not have. */
	public static class Point implements Serializable {
		private static final long serialVersionUID = 1;
		final int x = 3, y = -4;
		final String label = "here";
		Point next;
	}

	public enum Colour { RED, GREEN }

	/**
	 * One attribute for each type; those with a setter keep the new value.
	 */
	public interface TypesMBean {
		boolean isTrue();
		byte getByte();
		char getChar();
		short getShort();
		int getInt();
		long getLongMin();
		long getLongMax();
		float getFloat();
		double getDouble();
		double getNaN();
		double getPositiveInfinity();
		float getNegativeInfinity();
		double getMinusZero();
		Long getBoxed();
		String getString();
		String getNull();
		String getEmpty();
		String getManyLines();
		String getAstral();
		String getHalfPair();
		String getNul();
		String getEscape();
		String getFormula();
		String getMarkup();
		String getLong();
		BigInteger getBigInteger();
		BigDecimal getBigDecimal();
		Date getDate();
		ObjectName getName();
		Colour getColour();
		Class<?> getClassOf();
		int[] getInts();
		long[] getLongs();
		byte[] getBytes();
		double[] getDoubles();
		String[] getStrings();
		int[][] getMatrix();
		String[] getNoStrings();
		List<String> getList();
		Map<String, Integer> getMap();
		Map<Object, Object> getOddMap();
		List<Object> getCycle();
		Object getPoint();
		Object getPointCycle();
		Throwable getThrowable();
		Object getCyclicComposite() throws Exception;
	}

	public static class Types implements TypesMBean {
		public boolean isTrue() { return true; }
		public byte getByte() { return -128; }
		public char getChar() { return 'ß'; }
		public short getShort() { return -32768; }
		public int getInt() { return Integer.MIN_VALUE; }
		public long getLongMin() { return Long.MIN_VALUE; }
		public long getLongMax() { return Long.MAX_VALUE; }
		public float getFloat() { return 0.1f; }
		public double getDouble() { return 0.1; }
		public double getNaN() { return Double.NaN; }
		public double getPositiveInfinity() {
			return Double.POSITIVE_INFINITY;
		}
		public float getNegativeInfinity() {
			return Float.NEGATIVE_INFINITY;
		}
		public double getMinusZero() { return -0.0; }
		public Long getBoxed() { return 42L; }
		public String getString() { return "text"; }
		public String getNull() { return null; }
		public String getEmpty() { return ""; }
		public String getManyLines() { return "one\ntwo\n\tthree"; }
		public String getAstral() { return "\ud83d\ude00 ä"; }
		public String getHalfPair() { return "<\ud83d>"; }
		public String getNul() { return "a\0b"; }
		public String getEscape() {
			return "\u001b]0;title\u0007\u009b2J\u202e!";
		}
		public String getFormula() { return "=1+1"; }
		public String getMarkup() {
			return "</script><img src=x>\"'\\,;";
		}
		public String getLong() {
			char[] text = new char[100_000];

			Arrays.fill(text, 'x');
			return new String(text);
		}
		public BigInteger getBigInteger() {
			return BigInteger.ONE.shiftLeft(200).negate();
		}
		public BigDecimal getBigDecimal() {
			return new BigDecimal("-12345678901234567890.0123456789");
		}
		public Date getDate() { return new Date(1234567890123L); }
		public ObjectName getName() {
			return name("sjkc.test:type=Types");
		}
		public Colour getColour() { return Colour.GREEN; }
		public Class<?> getClassOf() { return String.class; }
		public int[] getInts() { return new int[] { 1, -2, 3 }; }
		public long[] getLongs() {
			return new long[] { Long.MIN_VALUE, Long.MAX_VALUE };
		}
		public byte[] getBytes() { return new byte[] { 0, -1, 127 }; }
		public double[] getDoubles() {
			return new double[] { 0.5, Double.NaN };
		}
		public String[] getStrings() {
			return new String[] { "a", null, "b,c" };
		}
		public int[][] getMatrix() {
			return new int[][] { { 1, 2 }, {}, { 3 } };
		}
		public String[] getNoStrings() { return new String[0]; }
		public List<String> getList() {
			return new ArrayList<>(Arrays.asList("p", "q"));
		}
		public Map<String, Integer> getMap() {
			Map<String, Integer> map = new LinkedHashMap<>();

			map.put("one", 1);
			map.put("two", 2);
			return map;
		}
		public Map<Object, Object> getOddMap() {
			Map<Object, Object> map = new LinkedHashMap<>();

			map.put(1, "one");
			map.put("two", null);
			return map;
		}
		public List<Object> getCycle() {
			List<Object> list = new ArrayList<>();

			list.add("within");
			list.add(list);
			return list;
		}
		public Object getPoint() { return new Point(); }
		public Object getPointCycle() {
			Point point = new Point();

			point.next = new Point();
			point.next.next = point;
			return point;
		}
		public Throwable getThrowable() {
			return new IllegalStateException("kept",
				new RuntimeException("cause"));
		}
		/**
		 * Requires --add-opens, because no API creates a cyclic
		 * composite.
		 */
		public Object getCyclicComposite() throws Exception {
			String[] names = { "n", "self" };
			CompositeType inner = new CompositeType("Inner", "i",
				new String[] { "n" }, new String[] { "n" },
				new OpenType<?>[] { SimpleType.INTEGER });
			CompositeType outer = new CompositeType("Cyclic", "c",
				names, names, new OpenType<?>[] {
					SimpleType.INTEGER, inner });
			CompositeDataSupport data = new CompositeDataSupport(
				outer, names, new Object[] { 7, null });
			Field contents = CompositeDataSupport.class
				.getDeclaredField("contents");

			contents.setAccessible(true);
			@SuppressWarnings("unchecked")
			Map<String, Object> map =
				(Map<String, Object>)contents.get(data);
			map.put("self", data);
			return data;
		}
	}

	/** Attributes that cannot be read, and one that can. */
	public interface FailingMBean {
		int getFine();
		int getThrows() throws Exception;
		int getThrowsUnchecked();
		int getThrowsError();
		int getThrowsHostile();
		Object getNotSerializable();
		Object[] getHalfSerializable();
		void setWriteOnly(int value);
	}

	public static class Failing implements FailingMBean {
		public int getFine() { return 1; }
		public int getThrows() throws Exception {
			throw new Exception("of the getter",
				new RuntimeException("its cause"));
		}
		public int getThrowsUnchecked() {
			throw new UnsupportedOperationException("not here");
		}
		public int getThrowsError() {
			throw new StackOverflowError();
		}
		public int getThrowsHostile() {
			throw new IllegalStateException("\u001b[2J\n</script>");
		}
		public Object getNotSerializable() { return new Object(); }
		public Object[] getHalfSerializable() {
			return new Object[] { "first", new Object() };
		}
		public void setWriteOnly(int value) { }
	}

	/** Its attribute takes the set time to read. */
	public interface SlowMBean {
		String getSlow() throws InterruptedException;
		long getMillis();
		void setMillis(long millis);
		void sleep(long millis) throws InterruptedException;
	}

	public static class Slow implements SlowMBean {
		private volatile long millis = 3000;

		public String getSlow() throws InterruptedException {
			Thread.sleep(millis);
			return "at last";
		}
		public long getMillis() { return millis; }
		public void setMillis(long millis) { this.millis = millis; }
		public void sleep(long millis) throws InterruptedException {
			Thread.sleep(millis);
		}
	}

	/** Attributes that can be set. */
	public interface SettableMBean {
		boolean isFlag();
		void setFlag(boolean value);
		byte getByte();
		void setByte(byte value);
		char getChar();
		void setChar(char value);
		short getShort();
		void setShort(short value);
		int getInt();
		void setInt(int value);
		long getLong();
		void setLong(long value);
		float getFloat();
		void setFloat(float value);
		double getDouble();
		void setDouble(double value);
		Integer getBoxed();
		void setBoxed(Integer value);
		String getString();
		void setString(String value);
		ObjectName getName();
		void setName(ObjectName value);
		BigInteger getBigInteger();
		void setBigInteger(BigInteger value);
		BigDecimal getBigDecimal();
		void setBigDecimal(BigDecimal value);
		Date getDate();
		void setDate(Date value);
		int[] getInts();
		void setInts(int[] value);
		double[] getDoubles();
		void setDoubles(double[] value);
		String[] getStrings();
		void setStrings(String[] value);
		Colour getColour();
		void setColour(Colour value);
		Thread.State getState();
		void setState(Thread.State value);
		Point getPoint();
		void setPoint(Point value);
		int getRefusing();
		void setRefusing(int value);
	}

	public static class Settable implements SettableMBean {
		private boolean flag;
		private byte aByte;
		private char aChar = 'c';
		private short aShort;
		private int anInt;
		private long aLong;
		private float aFloat;
		private double aDouble;
		private Integer boxed = 1;
		private String string = "before";
		private ObjectName name;
		private BigInteger bigInteger;
		private BigDecimal bigDecimal;
		private Date date;
		private int[] ints = {};
		private double[] doubles = {};
		private String[] strings = {};
		private Colour colour = Colour.RED;
		private Thread.State state;
		private Point point;

		public boolean isFlag() { return flag; }
		public void setFlag(boolean value) { flag = value; }
		public byte getByte() { return aByte; }
		public void setByte(byte value) { aByte = value; }
		public char getChar() { return aChar; }
		public void setChar(char value) { aChar = value; }
		public short getShort() { return aShort; }
		public void setShort(short value) { aShort = value; }
		public int getInt() { return anInt; }
		public void setInt(int value) { anInt = value; }
		public long getLong() { return aLong; }
		public void setLong(long value) { aLong = value; }
		public float getFloat() { return aFloat; }
		public void setFloat(float value) { aFloat = value; }
		public double getDouble() { return aDouble; }
		public void setDouble(double value) { aDouble = value; }
		public Integer getBoxed() { return boxed; }
		public void setBoxed(Integer value) { boxed = value; }
		public String getString() { return string; }
		public void setString(String value) { string = value; }
		public ObjectName getName() { return name; }
		public void setName(ObjectName value) { name = value; }
		public BigInteger getBigInteger() { return bigInteger; }
		public void setBigInteger(BigInteger value) {
			bigInteger = value;
		}
		public BigDecimal getBigDecimal() { return bigDecimal; }
		public void setBigDecimal(BigDecimal value) {
			bigDecimal = value;
		}
		public Date getDate() { return date; }
		public void setDate(Date value) { date = value; }
		public int[] getInts() { return ints; }
		public void setInts(int[] value) { ints = value; }
		public double[] getDoubles() { return doubles; }
		public void setDoubles(double[] value) { doubles = value; }
		public String[] getStrings() { return strings; }
		public void setStrings(String[] value) { strings = value; }
		public Colour getColour() { return colour; }
		public void setColour(Colour value) { colour = value; }
		public Thread.State getState() { return state; }
		public void setState(Thread.State value) {
			state = value;
		}
		public Point getPoint() { return point; }
		public void setPoint(Point value) { point = value; }
		public int getRefusing() { return 0; }
		public void setRefusing(int value) {
			throw new IllegalArgumentException("not " + value);
		}
	}

	/** An MXBean's class, which becomes an open type. */
	public static class Item {
		private final String name;
		private final long size;
		private final Item inner;

		public Item(String name, long size, Item inner) {
			this.name = name;
			this.size = size;
			this.inner = inner;
		}
		public String getName() { return name; }
		public long getSize() { return size; }
		public Inner getInner() {
			return inner == null ? null : new Inner(inner.name);
		}
	}

	/** A part of Item; open types may not be recursive. */
	public static class Inner {
		private final String name;

		public Inner(String name) { this.name = name; }
		public String getName() { return name; }
		public int[] getPair() { return new int[] { 1, 2 }; }
	}

	public interface OpenMXBean {
		Item getItem();
		Item[] getItems();
		Item[] getNoItems();
		Map<String, Item> getTable();
		Map<String, Long> getPairs();
		Map<Integer, String> getNumbered();
		List<Item> getItemList();
		Colour getColour();
		ObjectName getName();
		Item getNull();
		Item find(String name);
	}

	public static class Open implements OpenMXBean {
		private static final Item SMALL = new Item("small", 1, null);
		private static final Item LARGE = new Item(
			"a name of more than forty characters, which is cut",
			1L << 40, SMALL);

		public Item getItem() { return LARGE; }
		public Item[] getItems() { return new Item[] { SMALL, LARGE }; }
		public Item[] getNoItems() { return new Item[0]; }
		public Map<String, Item> getTable() {
			Map<String, Item> map = new TreeMap<>();

			map.put("first", SMALL);
			map.put("second", LARGE);
			return map;
		}
		public Map<String, Long> getPairs() {
			Map<String, Long> map = new TreeMap<>();

			map.put("k1", 10L);
			map.put("k2", 20L);
			return map;
		}
		public Map<Integer, String> getNumbered() {
			return Collections.singletonMap(7, "seven");
		}
		public List<Item> getItemList() {
			return Arrays.asList(SMALL, LARGE);
		}
		public Colour getColour() { return Colour.RED; }
		public ObjectName getName() {
			return name("sjkc.test:type=Open");
		}
		public Item getNull() { return null; }
		public Item find(String name) {
			return new Item(name, name.length(), null);
		}
	}

	/** Operations, some of which are overloaded. */
	public interface OperationsMBean {
		int sum(int a, int b);
		double sum(double a, double b);
		String sum(String a, String b);
		int sum(int a, int b, int c);
		String type(int a);
		String type(long a);
		String type(boolean a);
		String type(String a);
		String type(int[] a);
		String only(Long a);
		String text(String a);
		String texts(String[] a);
		double mean(double[] a);
		String nameOf(ObjectName a);
		String point(Point a);
		void nothing();
		String nil();
		int fail(String message) throws Exception;
		Object unserializable();
		int count();
		void exit();
	}

	public static class Operations implements OperationsMBean {
		private int count;

		public int sum(int a, int b) { return a + b; }
		public double sum(double a, double b) { return a + b; }
		public String sum(String a, String b) { return a + b; }
		public int sum(int a, int b, int c) { return a + b + c; }
		public String type(int a) { return "int " + a; }
		public String type(long a) { return "long " + a; }
		public String type(boolean a) { return "boolean " + a; }
		public String type(String a) { return "String " + a; }
		public String type(int[] a) {
			return "int[] " + Arrays.toString(a);
		}
		public String only(Long a) { return "Long " + a; }
		public String text(String a) {
			return a == null ? "null" : "'" + a + "'";
		}
		public String texts(String[] a) { return Arrays.toString(a); }
		public double mean(double[] a) {
			return Arrays.stream(a).average().orElse(Double.NaN);
		}
		public String nameOf(ObjectName a) {
			return a == null ? "null" : a.getCanonicalName();
		}
		public String point(Point a) { return String.valueOf(a); }
		public void nothing() { }
		public String nil() { return null; }
		public int fail(String message) throws Exception {
			throw new Exception(message);
		}
		public Object unserializable() { return new Object(); }
		/** Returns the number of calls so far, including this one. */
		public synchronized int count() { return ++count; }
		public void exit() { Runtime.getRuntime().halt(0); }
	}

	/**
	 * An MBean whose attributes have names that are impossible for Java
	 * methods.
	 */
	public static class Odd implements DynamicMBean {
		private static final String[] NAMES = {
			"with blank", "a=b:c", "twice", "twice",
			"\u001b[31mred", "quote\"", "modelerType", "name",
			"", "déjà",
		};

		public Object getAttribute(String name)
			throws AttributeNotFoundException {
			if (!Arrays.asList(NAMES).contains(name))
				throw new AttributeNotFoundException(name);
			return "of " + name;
		}
		public void setAttribute(Attribute attribute) { }
		public AttributeList getAttributes(String[] names) {
			AttributeList list = new AttributeList();

			for (String name : names) {
				if (Arrays.asList(NAMES).contains(name))
					list.add(new Attribute(name,
						"of " + name));
			}
			return list;
		}
		public AttributeList setAttributes(AttributeList list) {
			return list;
		}
		public Object invoke(String name, Object[] arguments,
			String[] signature) {
			return null;
		}
		public MBeanInfo getMBeanInfo() {
			MBeanAttributeInfo[] infos =
				new MBeanAttributeInfo[NAMES.length];

			for (int i = 0; i < NAMES.length; i++)
				infos[i] = new MBeanAttributeInfo(NAMES[i],
					"java.lang.String", NAMES[i], true,
					false, false);
			return new MBeanInfo("odd\u001b[0m", "an odd MBean",
				infos, null, null, null);
		}
	}

	/** An MBean that can be registered many times. */
	public interface ManyMBean {
		int getId();
		String getText();
		long[] getNumbers();
	}

	public static class Many implements ManyMBean {
		private final int id;

		Many(int id) { this.id = id; }
		public int getId() { return id; }
		public String getText() { return "text of " + id; }
		public long[] getNumbers() { return new long[] { id, -id }; }
	}

	/** Unregisters all other MBeans of this class when it is read. */
	public interface VictimMBean {
		int getId() throws Exception;
	}

	public static class Victim implements VictimMBean {
		private final int id;

		Victim(int id) { this.id = id; }
		public int getId() throws Exception {
			for (ObjectName other : SERVER.queryNames(
				name("sjkc.test:type=Victim,*"), null)) {
				if (!other.getKeyProperty("id").equals(
					String.valueOf(id)))
					SERVER.unregisterMBean(other);
			}
			return id;
		}
	}

	/** Sends notifications on request, and optionally at an interval. */
	public interface TickerMBean {
		void send(int count, String message);
		long getSent();
	}

	public static class Ticker extends NotificationBroadcasterSupport
		implements TickerMBean {
		private long sent;

		Ticker() {
			super(new MBeanNotificationInfo(
				new String[] { "sjkc.tick" },
				Notification.class.getName(), "time passes"));
		}
		public synchronized void send(int count, String message) {
			for (int i = 0; i < count; i++) {
				Notification n = new Notification("sjkc.tick",
					this, ++sent, 1234567890123L, message);

				n.setUserData(new long[] { sent });
				n.setSource(name("sjkc.test:type=Ticker"));
				sendNotification(n);
			}
		}
		public synchronized long getSent() { return sent; }
	}

	private static void tick(Ticker ticker, long millis) {
		Thread thread = new Thread(() -> {
			for (;;) {
				try {
					Thread.sleep(millis);
				} catch (InterruptedException e) {
					return;
				}
				ticker.send(1, "tick");
			}
		}, "ticker");

		thread.setDaemon(true);
		thread.start();
	}

	private static void obey(String argument, Ticker ticker)
		throws Exception {
		String[] parts = argument.split("=", 2);
		int number = Integer.parseInt(parts[1]);

		if (number < 1 || number > MOST)
			throw new IllegalArgumentException(argument);
		switch (parts[0]) {
		case "many":
			for (int i = 1; i <= number; i++)
				SERVER.registerMBean(new Many(i),
					name("sjkc.many:type=Many,id=" + i));
			break;
		case "victims":
			for (int i = 1; i <= number; i++)
				register(new Victim(i), "type=Victim,id=" + i);
			break;
		case "ticks":
			tick(ticker, number);
			break;
		default:
			throw new IllegalArgumentException(argument);
		}
	}

	public static void main(String[] arguments) throws Exception {
		Ticker ticker = new Ticker();

		register(new Types(), "type=Types");
		register(new Failing(), "type=Failing");
		register(new Slow(), "type=Slow");
		register(new Settable(), "type=Settable");
		register(new Open(), "type=Open");
		register(new Operations(), "type=Operations");
		register(new Odd(), "type=Odd");
		register(new Odd(), "type=Odd,name=\"a,b:c \\\"\\*\"");
		register(new Odd(), "type=Odd,name=\u001b[2J</script>");
		register(ticker, "type=Ticker");
		for (String argument : arguments)
			obey(argument, ticker);
		System.out.println("READY");
		Thread.sleep(Long.getLong("target.seconds", 300) * 1000);
	}
}
