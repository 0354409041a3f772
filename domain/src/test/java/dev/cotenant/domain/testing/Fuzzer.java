package dev.cotenant.domain.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Runs the coverage-guided fuzzer Jazzer on a target, in a process of its own with a heap of 256
 * MB, for {@code cotenant.fuzz.seconds}. What it finds lies under {@code target/fuzz/findings};
 * what it learned stays in {@code target/fuzz/corpus} and is where the next run starts.
 */
public final class Fuzzer {
  private static final Path FOLDER = Path.of("target", "fuzz");
  private static final long SECONDS_IN_THE_BUILD = 3;
  private static final long SECONDS = Long.getLong("cotenant.fuzz.seconds", SECONDS_IN_THE_BUILD);

  /** In the build as many on every machine, so that all try the same; else until time is up. */
  private static final long INPUTS = SECONDS == SECONDS_IN_THE_BUILD ? 1_000 : -1;

  /**
   * Of a longer run: of the clock, which goes on where the machine is busy or the run is paused.
   */
  private static final Duration LONG_HANG = Duration.ofMinutes(20);

  /** Zero lets the fuzzer draw its own. */
  private static final long SEED = Long.getLong("cotenant.fuzz.seed", 20_260_101);

  private Fuzzer() {}

  /** The folder of the inputs that a target starts from. */
  public static Path corpus(Class<?> target) {
    return FOLDER.resolve("corpus").resolve(target.getSimpleName());
  }

  /**
   * Runs a target, and fails on what it lets out. It starts from its seeds and from the files of
   * {@code src/test/resources/fuzz/<target>}, among them what it found before.
   *
   * @param seeds inputs to start from, by file name
   * @param longest length of an input, bytes
   * @param hang an input that takes longer is a finding, {@link #LONG_HANG} in a longer run
   */
  public static void run(Class<?> target, Map<String, byte[]> seeds, int longest, Duration hang)
      throws IOException, InterruptedException {
    Path corpus = Files.createDirectories(corpus(target));
    for (Map.Entry<String, byte[]> seed : seeds.entrySet()) {
      Files.write(corpus.resolve(seed.getKey()), seed.getValue());
    }
    Path findings =
        Files.createDirectories(FOLDER.resolve("findings").resolve(target.getSimpleName()));
    Path log = FOLDER.resolve(target.getSimpleName() + ".log");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx256m", "-XX:+UseSerialGC", "--enable-native-access=ALL-UNNAMED"));
    if (INPUTS > 0) {
      command.add("-XX:TieredStopAtLevel=1"); // it ends before the second compiler pays off
    }
    command.addAll(List.of("-cp", classPath(), "com.code_intelligence.jazzer.Jazzer"));
    command.add("--target_class=" + target.getName());
    command.add("--instrumentation_includes=dev.cotenant.**");
    command.add("--reproducer_path=" + findings);
    command.add("-artifact_prefix=" + findings + File.separator);
    command.add("-max_total_time=" + SECONDS);
    command.add("-runs=" + INPUTS);
    command.add("-max_len=" + longest);
    command.add("-timeout=" + (INPUTS < 0 ? LONG_HANG : hang).toSeconds());
    command.add("-rss_limit_mb=0");
    command.add("-print_final_stats=1");
    command.add("-seed=" + SEED);
    command.add(corpus.toString());
    Path stored = Path.of("src", "test", "resources", "fuzz", target.getSimpleName());
    if (Files.isDirectory(stored)) {
      command.add(stored.toString());
    }
    int status =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start()
            .waitFor();
    List<String> lines = Files.readAllLines(log);
    lines.stream()
        .filter(line -> line.startsWith("stat::"))
        .forEach(line -> System.out.println(target.getSimpleName() + " " + line));
    assertThat(status)
        .as(
            "%s; findings lie in %s",
            lines.stream().filter(line -> line.contains("==")).limit(5).toList(), findings)
        .isZero();
    assertThat(lines).anyMatch(line -> line.startsWith("stat::number_of_executed_units"));
  }

  /** Without the tests' own libraries: the fuzzer looks at every entry. */
  private static String classPath() {
    return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
        .filter(entry ->
            entry.contains("cotenant")
                || entry.contains("jazzer")
                || entry.contains("jackson")
                || entry.contains("snakeyaml")
                || entry.contains("commons-")
                || entry.contains("hipparchus")
                || Files.isDirectory(Path.of(entry)))
        .distinct()
        .reduce((left, right) -> left + File.pathSeparator + right)
        .orElseThrow();
  }
}
