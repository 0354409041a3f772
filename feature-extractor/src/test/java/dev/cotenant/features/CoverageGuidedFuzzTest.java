package dev.cotenant.features;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Runs the coverage-guided fuzzer Jazzer in a process of its own with a heap of 256 MB, for {@code
 * cotenant.fuzz.seconds} a target. What it finds lies under {@code target/fuzz/findings}; what it
 * learned stays in {@code target/fuzz/corpus} and is where the next run starts.
 */
class CoverageGuidedFuzzTest {
  private static final Path FOLDER = Path.of("target", "fuzz");
  private static final long SECONDS = Long.getLong("cotenant.fuzz.seconds", 5);

  /** Zero lets the fuzzer draw its own. */
  private static final long SEED = Long.getLong("cotenant.fuzz.seed", 20_260_101);

  @Test
  void letsNothingButInputExceptionsOutOfTheReader() throws Exception {
    FuzzCorpus.writeModels(corpus(ReaderFuzzTarget.class));
    fuzz(ReaderFuzzTarget.class);
  }

  @Test
  void letsNothingOutOfInferenceOnAnyBytes() throws Exception {
    FuzzCorpus.writeDrawnModels(corpus(ExtractionFuzzTarget.class));
    fuzz(ExtractionFuzzTarget.class);
  }

  @Test
  void letsNothingOutOfInferenceOnAnyGraph() throws Exception {
    FuzzCorpus.writeChoices(corpus(GeneratedGraphFuzzTarget.class));
    fuzz(GeneratedGraphFuzzTarget.class);
  }

  private static Path corpus(Class<?> target) {
    return FOLDER.resolve("corpus").resolve(target.getSimpleName());
  }

  private static void fuzz(Class<?> target) throws IOException, InterruptedException {
    Path findings =
        Files.createDirectories(FOLDER.resolve("findings").resolve(target.getSimpleName()));
    Path log = FOLDER.resolve(target.getSimpleName() + ".log");
    Process fuzzer =
        new ProcessBuilder(command(target, findings))
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    int status = fuzzer.waitFor();
    List<String> lines = Files.readAllLines(log);
    lines.stream().filter(line -> line.startsWith("stat::")).forEach(System.out::println);
    assertThat(status).as("%s; findings lie in %s", tail(lines), findings).isZero();
    assertThat(lines).anyMatch(line -> line.startsWith("stat::number_of_executed_units"));
  }

  private static List<String> command(Class<?> target, Path findings) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx256m", "-XX:+UseSerialGC", "--enable-native-access=ALL-UNNAMED"));
    command.addAll(List.of("-cp", classPath(), "com.code_intelligence.jazzer.Jazzer"));
    command.add("--target_class=" + target.getName());
    command.add("--instrumentation_includes=dev.cotenant.**");
    command.add("--reproducer_path=" + findings);
    command.add("-artifact_prefix=" + findings + File.separator);
    command.add("-max_total_time=" + SECONDS);
    command.add("-max_len=" + FuzzCorpus.LARGEST);
    // A hang; the targets themselves hold processor time against the limit.
    command.add("-timeout=" + 10 * SafetyCheck.LIMIT.toSeconds());
    command.add("-rss_limit_mb=0");
    command.add("-print_final_stats=1");
    command.add("-seed=" + SEED);
    command.add(corpus(target).toString());
    return command;
  }

  /** What the targets need; the fuzzer looks at every entry. */
  private static String classPath() {
    return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
        .filter(entry -> entry.contains("cotenant") || entry.contains("jazzer") || isFolder(entry))
        .distinct()
        .reduce((left, right) -> left + File.pathSeparator + right)
        .orElseThrow();
  }

  private static boolean isFolder(String entry) {
    return Files.isDirectory(Path.of(entry));
  }

  private static String tail(List<String> lines) {
    List<String> findings = lines.stream().filter(line -> line.contains("==")).toList();
    return String.join("\n", findings.subList(0, Math.min(5, findings.size())));
  }
}
