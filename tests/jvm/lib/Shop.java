// SPDX-License-Identifier: Apache-2.0
// Compiled alone: requires Spring Boot.

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.atomic.LongAdder;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * A Spring Boot application that keeps its own account: /price burns CPU time,
 * /fill allocates an array, and /lock waits for a monitor.  /account prints the
 * calls, CPU nanoseconds, bytes and nanoseconds of waiting.
 */
@EnableAutoConfiguration
@RestController
public class Shop {
	static final int BYTES = 1 << 20;
	static final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
	final LongAdder calls = new LongAdder(), cpu = new LongAdder(),
		bytes = new LongAdder(), waited = new LongAdder();
	final Object monitor = new Object();
	volatile Object kept;

	long price(long n) {
		long sum = n;
		for (int i = 0; i < 2_000_000; i++)
			sum = sum * 31 + (sum >>> 7);
		calls.increment();
		return sum;
	}

	byte[] fill() {
		byte[] array = new byte[BYTES];
		bytes.add(BYTES);
		return array;
	}

	void slowLock() throws InterruptedException {
		long began = System.nanoTime();
		synchronized (monitor) {
			waited.add(System.nanoTime() - began);
			Thread.sleep(20);
		}
	}

	@GetMapping("/price")
	public String getPrice() {
		long began = threads.getCurrentThreadCpuTime();
		long price = price(began);
		cpu.add(threads.getCurrentThreadCpuTime() - began);
		return "" + price;
	}

	@GetMapping("/fill")
	public String getFill() {
		kept = fill();
		return "filled";
	}

	@GetMapping("/lock")
	public String getLock() throws InterruptedException {
		slowLock();
		return "locked";
	}

	@GetMapping("/account")
	public String getAccount() {
		return calls.sum() + " " + cpu.sum() + " " + bytes.sum() + " "
			+ waited.sum() + " " + System.nanoTime();
	}

	public static void main(String[] arguments) {
		SpringApplication.run(Shop.class, arguments);
		System.out.println("READY");
	}
}
