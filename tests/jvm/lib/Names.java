// SPDX-License-Identifier: Apache-2.0

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import javax.management.MalformedObjectNameException;
import javax.management.ObjectName;

/**
 * Prints how ObjectName parses texts: "text TAB canonical name", with nothing
 * after the TAB for an invalid name.  A newline is written \n, a backslash \\.
 */
public class Names {
	private static final String[] GIVEN = {
		"", ":", "*", "*:", "*:*", ":*", ":a=b", "d", "d:", "d:a", "d:a=",
		"d:=", "d:=b", "d:a=b", "d:a=b,", "d:a=b,c=d", "d:c=d,a=b",
		"d:a=b,a=b", "d:a=b,*", "d:*,a=b", "d:*,*", "d:a=b,*,c=d",
		"d:a=*", "d:a=?", "d:a=b*", "d:a=b?", "d:a=*b*", "d*:a=b",
		"?:a=b", "d?d:a=b", "d:a=,c=", "d:,a=b", "d:a=b,,c=d", "d:*a",
		"d:a=b=c", "d:a=b:c", "d::a=b", "d=e:a=b", "d=:a=b", "d=", "=:a=b",
		"a=b", "d:a=\"b\"", "d:a=\"\"", "d:a=\"", "d:a=\"b", "d:a=\"b\"c",
		"d:a=\"b\"c=d", "d:a=\"b\"xc=d", "d:a=\"b\",", "d:a=\"b\",c=d",
		"d:a=\"b,c=d\"", "d:a=\"b=c:d\"", "d:a=\"b\\\"c\"", "d:a=\"\\\\\"",
		"d:a=\"\\*\"", "d:a=\"\\?\"", "d:a=\"\\n\"", "d:a=\"\\x\"",
		"d:a=\"\\", "d:a=\"*\"", "d:a=\"x*\"", "d:a=\"?\"", "d:a=b\"c",
		"d:a=\"b\nc\"", "d:a=b\nc", "d\ne:a=b", "d:a\nb=c", "d:a*=b",
		"d:a?=b", "d:a:b=c", "d:a=b,*,", "d:a=b ", " d: a = b ",
		"d:a=b, c=d", "d:a=b,c=d,*", "d:a=\u00e4", "\u00e4:a=b", "d:\u00e4=b,z=c",
		"d:\ud83d\ude00=1,\uff01=2,a=3", "d:a=\ud83d\ude00",
		"d:a=?\u00e4", "d:a=??", "d:a=???", "d:a=*?*", "d:A=b,a=B",
		"d:ab=1,a=2,aa=3", "d:a=b,b=c,c=d,d=e,e=f,f=g,g=h,h=i,i=j,j=k,k=l",
		"java.lang:type=Memory", "java.lang:type=*", "java.lang:*",
		"java.lang:type=GarbageCollector,*",
		"java.lang:type=GarbageCollector,name=G1 Young Generation",
		"java.lang:name=G1 Old Gen,type=MemoryPool", "*:type=Memory,*",
		"java.*:type=Mem*", "j?va.lang:type=M*y", "d:a=\"b*\"",
		"d:a=\"bc\"", "d:a=\"b\\*\"", "d:a=\"?c\"", "d:a=\"*,*\"",
	};
	private static final String ALPHABET = "ab*?:=,\"\\n\n";

	private static String shown(String text) {
		return text.replace("\\", "\\\\").replace("\n", "\\n");
	}

	private static String random(Random random) {
		StringBuilder text = new StringBuilder("d:a=b");
		int edits = 1 + random.nextInt(6);

		for (int i = 0; i < edits; i++) {
			int at = random.nextInt(text.length() + 1);
			char c = ALPHABET.charAt(
				random.nextInt(ALPHABET.length()));

			if (random.nextInt(4) == 0 && at < text.length())
				text.deleteCharAt(at);
			else if (random.nextInt(8) == 0)
				text.insert(at, ",k" + i + "=\"v" + i + "\"");
			else
				text.insert(at, c);
		}
		return text.toString();
	}

	/*
	 * The canonical name of "d:*," is not a valid name; sjkc need not copy
	 * that.
	 */
	private static boolean isOdd(String text) {
		return text.endsWith(":*,");
	}

	public static void main(String[] arguments) throws Exception {
		PrintStream out = new PrintStream(System.out, false, "UTF-8");
		Random random = new Random(20261121);
		List<String> texts = new ArrayList<>(List.of(GIVEN));

		for (int i = 0; i < 2000; i++)
			texts.add(random(random));
		texts.removeIf(Names::isOdd);
		for (String text : texts) {
			String canonical = "";

			try {
				canonical = new ObjectName(text)
					.getCanonicalName();
			} catch (MalformedObjectNameException e) {
				/* An invalid name: canonical stays "". */
			}
			out.println(shown(text) + "\t" + shown(canonical));
		}
		out.flush();
	}
}
