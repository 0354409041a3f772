package dev.cotenant.benchmarks.predictor;

import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.predictor.Predictor;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * How long the shipped predictor takes to load in a virtual machine that has just started, beside
 * what that machine takes to read the same bytes and to load the same classes without doing
 * anything with them. A fresh machine for each measurement; prints least, median and most.
 */
public final class LoadingSpeed {
  private static final int MACHINES = 12;

  private final Path folder;
  private final Path model;
  private final int machines;

  private LoadingSpeed(Path folder, int machines) throws IOException {
    this.folder = folder;
    this.machines = machines;
    model = Files.write(folder.resolve("predictor.model"), Predictor.builtInFile());
  }

  private void run(PrintStream out) throws IOException, InterruptedException {
    Path names = Files.write(folder.resolve("classes"), classesOfALoad());
    List<double[]> loads = new ArrayList<>();
    List<double[]> shipped = new ArrayList<>();
    List<double[]> classes = new ArrayList<>();
    for (int i = 0; i < machines; i++) {
      loads.add(numbers(child(List.of(), "load", model.toString())));
      shipped.add(numbers(child(List.of(), "shipped")));
      classes.add(numbers(child(List.of(), "classes", names.toString())));
    }
    out.printf(
        Locale.ROOT,
        "%d virtual machines each, %d bytes, milliseconds: least, median, most%n",
        machines,
        Files.size(model));
    print("read the bytes from a file", loads, 0, out);
    print("load the predictor from them", loads, 1, out);
    print("load it again", loads, 2, out);
    print("only the " + Files.readAllLines(names).size() + " classes of it", classes, 0, out);
    print("find it in the jar and load it", shipped, 0, out);
  }

  private static void print(String what, List<double[]> all, int column, PrintStream out) {
    double[] sorted = all.stream().mapToDouble(numbers -> numbers[column]).sorted().toArray();
    out.printf(
        Locale.ROOT,
        "%-32s %6.1f %6.1f %6.1f%n",
        what,
        sorted[0],
        sorted[sorted.length / 2],
        sorted[sorted.length - 1]);
  }

  private static double[] numbers(String line) {
    return Arrays.stream(line.split(" ")).mapToDouble(Double::parseDouble).toArray();
  }

  private List<String> classesOfALoad() throws IOException, InterruptedException {
    Path log = folder.resolve("log");
    child(List.of("-Xlog:class+load:file=" + log + ":none"), "load", model.toString());
    return between(Files.readAllLines(log));
  }

  /** The classes of a log that a load needed; those that are made while running have no name. */
  static List<String> between(List<String> log) {
    List<String> names = log.stream().map(line -> line.split(" ", 2)[0]).toList();
    int from = names.indexOf(FirstLoad.Begun.class.getName());
    int to = names.indexOf(FirstLoad.Ended.class.getName());
    return names.subList(from + 1, to).stream()
        .filter(name -> !name.contains("/") && !name.contains("$$"))
        .toList();
  }

  /** What a virtual machine of its own prints; our modules come first in its class path. */
  private String child(List<String> options, String... arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:+UseSerialGC", "-cp", classPath()));
    command.addAll(options);
    command.add(FirstLoad.class.getName());
    command.addAll(List.of(arguments));
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    String printed =
        new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    if (process.waitFor() != 0) {
      throw new IllegalStateException(String.join(" ", command) + " failed");
    }
    return printed;
  }

  private static String classPath() {
    return String.join(
        File.pathSeparator,
        Stream.of(Predictor.class, MemorySize.class, FirstLoad.class)
            .map(LoadingSpeed::location)
            .toList());
  }

  private static String location(Class<?> type) {
    CodeSource source = Objects.requireNonNull(type.getProtectionDomain().getCodeSource());
    return Path.of(URI.create(source.getLocation().toString())).toString();
  }

  public static void main(String[] arguments) throws IOException, InterruptedException {
    int machines = arguments.length > 0 ? Integer.parseInt(arguments[0]) : MACHINES;
    Path folder = Files.createTempDirectory("cotenant-loading");
    try {
      new LoadingSpeed(folder, machines).run(System.out);
    } finally {
      for (String name : List.of("predictor.model", "classes", "log")) {
        Files.deleteIfExists(folder.resolve(name));
      }
      Files.deleteIfExists(folder);
    }
  }
}
