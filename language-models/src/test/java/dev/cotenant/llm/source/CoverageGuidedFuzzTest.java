package dev.cotenant.llm.source;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Runs the coverage-guided fuzzer Jazzer in a process of its own with a heap of 256 MB, for {@code
 * cotenant.fuzz.seconds}. What it finds lies under {@code target/fuzz/findings}; what it learned
 * stays in {@code target/fuzz/corpus} and is where the next run starts.
 */
class CoverageGuidedFuzzTest {
  private static final Path FOLDER = Path.of("target", "fuzz");
  private static final long SECONDS = Long.getLong("cotenant.fuzz.seconds", 5);

  /** Zero lets the fuzzer draw its own. */
  private static final long SEED = Long.getLong("cotenant.fuzz.seed", 20_260_101);

  @Test
  void letsNothingButInputExceptionsOutOfTheReaders() throws Exception {
    Path corpus = Files.createDirectories(FOLDER.resolve("corpus"));
    Files.write(corpus.resolve("gguf"), ModelFolder.gguf().bytes());
    Files.write(corpus.resolve("config"), ModelFolder.LLAMA.getBytes(StandardCharsets.UTF_8));
    Files.write(
        corpus.resolve("safetensors"),
        ModelFolder.safetensors(
            "{\"w\": {\"dtype\": \"BF16\", \"shape\": [0], \"data_offsets\": [0, 0]}}"));
    fuzz(corpus);
  }

  private static void fuzz(Path corpus) throws IOException, InterruptedException {
    Path findings = Files.createDirectories(FOLDER.resolve("findings"));
    Path log = FOLDER.resolve("fuzz.log");
    int status =
        new ProcessBuilder(command(corpus, findings))
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start()
            .waitFor();
    List<String> lines = Files.readAllLines(log);
    lines.stream().filter(line -> line.startsWith("stat::")).forEach(System.out::println);
    assertThat(status)
        .as(
            "%s; findings lie in %s",
            lines.stream().filter(l -> l.contains("==")).toList(), findings)
        .isZero();
    assertThat(lines).anyMatch(line -> line.startsWith("stat::number_of_executed_units"));
  }

  private static List<String> command(Path corpus, Path findings) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx256m", "-XX:+UseSerialGC", "--enable-native-access=ALL-UNNAMED"));
    command.addAll(List.of("-cp", classPath(), "com.code_intelligence.jazzer.Jazzer"));
    command.add("--target_class=" + HeaderFuzzTarget.class.getName());
    command.add("--instrumentation_includes=dev.cotenant.**");
    command.add("--reproducer_path=" + findings);
    command.add("-artifact_prefix=" + findings + File.separator);
    command.add("-max_total_time=" + SECONDS);
    command.add("-max_len=65536");
    command.add("-timeout=60"); // of a busy host; the target limits processor time
    command.add("-rss_limit_mb=0");
    command.add("-print_final_stats=1");
    command.add("-seed=" + SEED);
    command.add(corpus.toString());
    return command;
  }

  private static String classPath() {
    return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
        .filter(entry ->
            entry.contains("cotenant")
                || entry.contains("jazzer")
                || entry.contains("jackson")
                || Files.isDirectory(Path.of(entry)))
        .distinct()
        .reduce((left, right) -> left + File.pathSeparator + right)
        .orElseThrow();
  }
}
