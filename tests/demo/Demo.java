// SPDX-License-Identifier: Apache-2.0

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A small shop that is busy for a few seconds: clerks parse, sort and price orders
 * and wait for one ledger. It uses CPU, allocates memory and contends for a lock.
 */
public class Demo {
	private static final Pattern ORDER =
		Pattern.compile("(\\w+) x(\\d+) @(\\d+)\\.(\\d\\d)");

	record Order(String item, int count, long cents) { }

	static final class Ledger {
		private final Map<String, Long> totals = new HashMap<>();

		synchronized void book(List<Order> orders) {
			for (Order order : orders)
				totals.merge(order.item(), order.cents() * order.count(), Long::sum);
			checksum(12_000_000);
		}

		private long checksum(int rounds) {
			long sum = totals.hashCode();
			for (int i = 0; i < rounds; i++)
				sum = sum * 6364136223846793005L + 1442695040888963407L;
			return sum;
		}

		synchronized int size() {
			return totals.size();
		}
	}

	static final class Clerk extends Thread {
		private final Ledger ledger;
		private final long until;
		private final Random random;
		long orders;

		Clerk(int number, Ledger ledger, long until) {
			super("clerk-" + number);
			this.ledger = ledger;
			this.until = until;
			this.random = new Random(number);
		}

		@Override
		public void run() {
			while (System.nanoTime() < until) {
				List<Order> basket = parse(write(40000));
				sort(basket);
				discount(basket);
				ledger.book(basket);
				orders += basket.size();
			}
		}

		private String write(int count) {
			StringBuilder text = new StringBuilder();
			for (int i = 0; i < count; i++)
				text.append("item").append(random.nextInt(500))
					.append(" x").append(1 + random.nextInt(9))
					.append(" @").append(random.nextInt(100)).append('.')
					.append(10 + random.nextInt(90)).append('\n');
			return text.toString();
		}

		private List<Order> parse(String text) {
			List<Order> orders = new ArrayList<>();
			Matcher matcher = ORDER.matcher(text);
			while (matcher.find())
				orders.add(new Order(matcher.group(1), Integer.parseInt(matcher.group(2)),
					Long.parseLong(matcher.group(3)) * 100 + Long.parseLong(matcher.group(4))));
			return orders;
		}

		private void sort(List<Order> orders) {
			orders.sort(Comparator.comparing(Order::item).thenComparingLong(Order::cents));
		}

		private void discount(List<Order> orders) {
			for (int i = 0; i < orders.size(); i++) {
				Order order = orders.get(i);
				if (isPrime(order.cents() * order.count()))
					orders.set(i, new Order(order.item(), order.count(), order.cents() * 9 / 10));
			}
		}

		private boolean isPrime(long n) {
			for (long d = 2; d * d <= n; d++)
				if (n % d == 0)
					return false;
			return n > 1;
		}
	}

	public static void main(String[] args) throws InterruptedException {
		long until = System.nanoTime() + Long.parseLong(args[0]) * 1_000_000_000L;
		Ledger ledger = new Ledger();
		List<Clerk> clerks = new ArrayList<>();
		for (int i = 1; i <= 3; i++)
			clerks.add(new Clerk(i, ledger, until));
		for (Clerk clerk : clerks)
			clerk.start();
		long orders = 0;
		for (Clerk clerk : clerks) {
			clerk.join();
			orders += clerk.orders;
		}
		System.out.println(orders + " orders of " + ledger.size() + " items");
	}
}
