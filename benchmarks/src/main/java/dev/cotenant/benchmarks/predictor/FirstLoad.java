package dev.cotenant.benchmarks.predictor;

import dev.cotenant.predictor.Predictor;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * What {@link LoadingSpeed} starts in virtual machines of their own: prints, in milliseconds, how
 * long each step took of which it is the first thing that the machine does.
 */
final class FirstLoad {
  private static final double NANOS_PER_MILLI = 1e6;

  private FirstLoad() {}

  /** Loaded between reading and the first load, so that a log of classes tells where it begins. */
  static final class Begun {
    private Begun() {}

    static void mark() {}
  }

  /** Loaded after the first load. */
  static final class Ended {
    private Ended() {}

    static void mark() {}
  }

  /** Prints how long it took to read the file, to load it, and to load it again. */
  private static void load(Path file, PrintStream out) throws IOException {
    long start = System.nanoTime();
    byte[] bytes = Files.readAllBytes(file);
    double read = millisSince(start);
    Begun.mark();
    start = System.nanoTime();
    Predictor.ofBytes(bytes, "shipped");
    double first = millisSince(start);
    Ended.mark();
    start = System.nanoTime();
    Predictor.ofBytes(bytes, "shipped");
    double second = millisSince(start);
    out.println(read + " " + first + " " + second);
  }

  /** Prints how long it took to find the shipped file among the classes, and to load it. */
  private static void shipped(PrintStream out) {
    long start = System.nanoTime();
    Predictor.builtIn();
    out.println(millisSince(start));
  }

  /** Prints how long it took to load and initialise these classes and do nothing with them. */
  private static void classes(List<String> names, PrintStream out) throws ClassNotFoundException {
    long start = System.nanoTime();
    for (String name : names) {
      Class.forName(name);
    }
    out.println(millisSince(start));
  }

  private static double millisSince(long start) {
    return (System.nanoTime() - start) / NANOS_PER_MILLI;
  }

  public static void main(String[] arguments) throws IOException, ClassNotFoundException {
    switch (arguments[0]) {
      case "load" -> load(Path.of(arguments[1]), System.out);
      case "shipped" -> shipped(System.out);
      case "classes" -> classes(Files.readAllLines(Path.of(arguments[1])), System.out);
      default -> throw new IllegalArgumentException("load, shipped or classes: " + arguments[0]);
    }
  }
}
