// SPDX-License-Identifier: Apache-2.0

package com.acme.shop;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The web shop of the pictures, for a number of seconds: requests wait for a lock of the
 * inventory, a report runs in bursts and a search index is built. With "slow", prices
 * compile a regular expression for each order, as after an unlucky change.
 */
public class Shop {
	static final boolean SLOW = Boolean.getBoolean("slow");

	public static void main(String[] args) throws InterruptedException {
		long until = System.nanoTime() + Long.parseLong(args[0]) * 1_000_000_000L;
		Inventory inventory = new Inventory();
		PricingService prices = new PricingService();
		List<Thread> threads = new ArrayList<>();

		for (int i = 1; i <= 6; i++) {
			OrderController controller = new OrderController(i, prices, inventory);
			threads.add(new Thread(() -> controller.serve(until), "http-nio-8080-exec-" + i));
		}
		OrderConsumer consumer = new OrderConsumer(prices);
		threads.add(new Thread(() -> consumer.poll(until), "kafka-consumer-orders"));
		threads.add(new Thread(() -> inventory.sync(until), "inventory-sync"));
		RevenueReport report = new RevenueReport();
		threads.add(new Thread(() -> report.schedule(until), "report-scheduler-1"));
		SearchIndex index = new SearchIndex();
		threads.add(new Thread(() -> index.build(until), "search-indexer"));
		for (Thread thread : threads)
			thread.start();
		for (Thread thread : threads)
			thread.join();
	}

	static void rest(long millis) {
		LockSupport.parkNanos(millis * 1_000_000L);
	}
}

record Order(String item, int count, long cents) { }

/** Serves requests: parses an order, prices it and reserves the items. */
class OrderController {
	private static final Pattern LINE = Pattern.compile("(\\w+) x(\\d+) @(\\d+)");
	private final Random random;
	private final PricingService prices;
	private final Inventory inventory;

	OrderController(int number, PricingService prices, Inventory inventory) {
		this.random = new Random(number);
		this.prices = prices;
		this.inventory = inventory;
	}

	void serve(long until) {
		while (System.nanoTime() < until) {
			place(receive(6000));
			Shop.rest(30 + random.nextInt(30));
		}
	}

	private String receive(int lines) {
		StringBuilder text = new StringBuilder();
		for (int i = 0; i < lines; i++)
			text.append("item").append(random.nextInt(500)).append(" x")
				.append(1 + random.nextInt(9)).append(" @")
				.append(100 + random.nextInt(9900)).append('\n');
		return text.toString();
	}

	private void place(String body) {
		List<Order> orders = parse(body);
		prices.price(orders);
		inventory.reserve(orders);
		respond(orders);
	}

	private List<Order> parse(String body) {
		List<Order> orders = new ArrayList<>();
		Matcher matcher = LINE.matcher(body);
		while (matcher.find())
			orders.add(new Order(matcher.group(1), Integer.parseInt(matcher.group(2)),
				Long.parseLong(matcher.group(3))));
		return orders;
	}

	private int respond(List<Order> orders) {
		StringBuilder json = new StringBuilder("[");
		for (Order order : orders)
			json.append("{\"item\":\"").append(order.item()).append("\",\"cents\":")
				.append(order.cents()).append("},");
		return json.append(']').length();
	}
}

class PricingService {
	private static final Pattern SALE = Pattern.compile("item(1|2|3)\\d*");

	void price(List<Order> orders) {
		orders.replaceAll(this::discount);
		orders.sort(Comparator.comparing(Order::item).thenComparingLong(Order::cents));
	}

	private Order discount(Order order) {
		Pattern sale = Shop.SLOW ? Pattern.compile("item(1|2|3)\\d*") : SALE;
		if (!sale.matcher(order.item()).matches())
			return order;
		return new Order(order.item(), order.count(), order.cents() * 9 / 10);
	}
}

/** One lock guards all items; the synchronization holds it for a long time. */
class Inventory {
	private final Map<String, Integer> reserved = new HashMap<>();

	synchronized void reserve(List<Order> orders) {
		for (Order order : orders)
			reserved.merge(order.item(), order.count(), Integer::sum);
	}

	void sync(long until) {
		while (System.nanoTime() < until) {
			synchronized (this) {
				reconcile();
				Shop.rest(250);
			}
			Shop.rest(350);
		}
	}

	private int reconcile() {
		int sum = 0;
		for (int round = 0; round < 300; round++)
			for (int count : reserved.values())
				sum += count * 31 + round;
		return sum;
	}
}

class OrderConsumer {
	private final Random random = new Random(7);
	private final PricingService prices;
	private final List<byte[]> recent = new ArrayList<>();

	OrderConsumer(PricingService prices) {
		this.prices = prices;
	}

	void poll(long until) {
		while (System.nanoTime() < until) {
			consume(1500);
			Shop.rest(40);
		}
	}

	private void consume(int count) {
		List<Order> orders = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			orders.add(new Order("item" + random.nextInt(500), 1, random.nextInt(9999)));
			recent.add(new byte[1024]);
		}
		if (recent.size() > 60_000)
			recent.subList(0, 30_000).clear();
		prices.price(orders);
	}
}

/** Runs in bursts, about once a second. */
class RevenueReport {
	private final Random random = new Random(11);

	void schedule(long until) {
		while (System.nanoTime() < until) {
			long began = System.nanoTime();
			while (System.nanoTime() - began < 300_000_000L)
				summarize(4000);
			Shop.rest(770);
		}
	}

	private long summarize(int count) {
		long[] revenue = new long[count];
		for (int i = 0; i < count; i++)
			revenue[i] = Math.abs(random.nextLong() % 100_000);
		return median(revenue) + deviation(revenue);
	}

	private long median(long[] revenue) {
		long[] sorted = revenue.clone();
		java.util.Arrays.sort(sorted);
		return sorted[sorted.length / 2];
	}

	private long deviation(long[] revenue) {
		double sum = 0;
		for (long one : revenue)
			sum += Math.sqrt(one) * Math.log(one + 1.0);
		return (long)sum;
	}
}

/** Keeps a thread busy. */
class SearchIndex {
	private final Random random = new Random(13);
	private final int[] weights = new int[1 << 12];

	void build(long until) {
		while (System.nanoTime() < until) {
			char[] text = describe(4000);
			score(tokenize(text));
		}
	}

	private char[] describe(int length) {
		char[] text = new char[length];
		for (int i = 0; i < length; i++)
			text[i] = (char)('a' + random.nextInt(27));
		return text;
	}

	private int[] tokenize(char[] text) {
		int[] words = new int[text.length];
		int count = 0, word = 0;
		for (char c : text) {
			word = c > 'z' ? 0 : word * 31 + c;
			if (word == 0)
				count++;
			words[count] = word;
		}
		return java.util.Arrays.copyOf(words, count + 1);
	}

	private double score(int[] words) {
		double sum = 0;
		for (int word : words) {
			int seen = ++weights[word & weights.length - 1];
			sum += Math.log(1 + seen) / Math.sqrt(1 + words.length);
		}
		return sum;
	}
}
