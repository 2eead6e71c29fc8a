// SPDX-License-Identifier: Apache-2.0

import java.awt.Component;
import java.awt.Container;
import java.awt.Frame;
import java.awt.Window;
import java.awt.image.BufferedImage;
import java.io.File;
import java.io.PrintStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import javax.imageio.ImageIO;
import javax.swing.AbstractButton;
import javax.swing.JLabel;
import javax.swing.SwingUtilities;
import javax.swing.text.JTextComponent;

/**
 * An agent that acts as the user of VisualVM.  Its argument is a directory with
 * client.jar.  Every half second, it writes the texts in the windows to the
 * file "texts", one per line.  It presses Reload, with which VisualVM offers to
 * show new data, and Yes if VisualVM asks whether a password may be sent
 * without TLS.  If there is a file "words", it runs VisualVmClient with its
 * lines.  The output goes to "progress", which is renamed to "said" when it is
 * complete.  If there is a file "stuck", it prints the stacks of all threads.
 */
public class VisualVmAgent {
	private static final Set<String> PRESSED = Set.of("Reload", "Yes");

	private static void collect(Component component, Set<String> texts) {
		String text = null;
		if (component instanceof JLabel)
			text = ((JLabel) component).getText();
		else if (component instanceof JTextComponent)
			text = ((JTextComponent) component).getText();
		else if (component instanceof AbstractButton)
			text = ((AbstractButton) component).getText();
		if (text != null && !text.isBlank() && component.isShowing())
			texts.add(text.replaceAll("\\s+", " "));
		if (component instanceof AbstractButton && component.isShowing()
		    && text != null && PRESSED.contains(text))
			((AbstractButton) component).doClick();
		if (component instanceof Container)
			for (Component c : ((Container) component).getComponents())
				collect(c, texts);
	}

	private static void write(Path file, Iterable<String> lines)
			throws Exception {
		Path fresh = Path.of(file + ".new");
		Files.write(fresh, lines);
		Files.move(fresh, file, StandardCopyOption.REPLACE_EXISTING);
	}

	/**
	 * Returns true when the main window exists, and so all modules are
	 * loaded.
	 */
	private static boolean read(Path folder) throws Exception {
		Set<String> texts = new LinkedHashSet<>();
		SwingUtilities.invokeAndWait(() -> {
			for (Window window : Window.getWindows())
				collect(window, texts);
		});
		write(folder.resolve("texts"), texts);
		return texts.contains("Applications");
	}

	/** Draws the main window to "picture.png" if there is a file "picture". */
	private static void draw(Path folder) throws Exception {
		Path fresh = folder.resolve("picture.new");
		if (!Files.deleteIfExists(folder.resolve("picture")))
			return;
		for (Frame frame : Frame.getFrames()) {
			if (!frame.isShowing())
				continue;
			BufferedImage image = new BufferedImage(frame.getWidth(),
				frame.getHeight(), BufferedImage.TYPE_INT_RGB);
			SwingUtilities.invokeAndWait(() ->
				frame.paint(image.createGraphics()));
			ImageIO.write(image, "png", fresh.toFile());
			Files.move(fresh, folder.resolve("picture.png"));
			return;
		}
	}

	/** VisualVM provides the class loader of its modules. */
	private static Void act(Path folder) throws Exception {
		Class<?> lookup = Class.forName("org.openide.util.Lookup");
		ClassLoader modules = (ClassLoader) lookup
			.getMethod("lookup", Class.class)
			.invoke(lookup.getMethod("getDefault").invoke(null),
				ClassLoader.class);
		File jar = folder.resolve("client.jar").toFile();
		Path progress = folder.resolve("progress");
		try (URLClassLoader loader = new URLClassLoader(
			new URL[] { jar.toURI().toURL() }, modules);
			PrintStream out = new PrintStream(
				Files.newOutputStream(progress), true)) {
			try {
				loader.loadClass("VisualVmClient")
					.getMethod("run", List.class,
						Appendable.class)
					.invoke(null, Files.readAllLines(
						folder.resolve("words")), out);
			} catch (ReflectiveOperationException e) {
				out.println("FAILED: " + e + " <- "
					+ e.getCause());
			}
		}
		Files.move(progress, folder.resolve("said"));
		return null;
	}

	/** Prints all stacks if there is a file "stuck". */
	private static Void watch(Path folder) throws Exception {
		while (!Files.deleteIfExists(folder.resolve("stuck")))
			Thread.sleep(500);
		Thread.getAllStackTraces().forEach((thread, frames) -> {
			System.err.println(thread);
			for (StackTraceElement frame : frames)
				System.err.println("\tat " + frame);
		});
		return null;
	}

	private static void start(Callable<Void> task) {
		Thread thread = new Thread(() -> {
			try {
				task.call();
			} catch (Exception e) {
				System.err.println("VisualVmAgent: " + e);
			}
		});
		thread.setDaemon(true);
		thread.start();
	}

	private static Void forever(Path folder) throws InterruptedException {
		boolean acted = false;
		for (;;) {
			Thread.sleep(500);
			try {
				draw(folder);
				if (!read(folder) || acted
				    || !Files.exists(folder.resolve("words")))
					continue;
				acted = true;
				start(() -> act(folder));
			} catch (Exception | LinkageError e) {
				System.err.println("VisualVmAgent: " + e);
			}
		}
	}

	public static void premain(String folder) {
		start(() -> forever(Path.of(folder)));
		start(() -> watch(Path.of(folder)));
	}
}
