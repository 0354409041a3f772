package dev.cotenant.service.browser;

import dev.cotenant.domain.testing.OutsideData;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Debian's chromium without a screen, with a profile of its own. */
final class Chromium implements AutoCloseable {
  private static final long PATIENCE_SECONDS = 180;

  /** Every name that ends in .example is this machine; no other name is looked up. */
  private static final String RULES =
      "MAP *.example 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1";

  private static final Pattern DEBUGGER = Pattern.compile("ws://127\\.0\\.0\\.1:\\d+/\\S+");

  private final Process process;
  private final Path output;

  private final Path errors;

  private Chromium(Process process, Path output, Path errors) {
    this.process = process;
    this.output = output;
    this.errors = errors;
  }

  /**
   * Opens a page; the test is skipped where there is no chromium.
   *
   * @param folder for its profile
   */
  static Chromium open(Path folder, String url, String... options) throws IOException {
    Path program = OutsideData.requirePackage("chromium", Path.of("/usr/bin/chromium"));
    Path profile = Files.createTempDirectory(folder, "profile");
    List<String> command = new ArrayList<>();
    command.add(program.toString());
    command.addAll(List.of("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic"));
    command.addAll(List.of("--no-first-run", "--disable-background-networking"));
    command.addAll(List.of("--disable-component-update", "--disable-sync"));
    command.addAll(List.of("--disable-dev-shm-usage", "--ignore-certificate-errors"));
    command.add("--host-resolver-rules=" + RULES);
    command.add("--user-data-dir=" + profile);
    command.addAll(List.of(options));
    command.add(url);
    Path output = folder.resolve(profile.getFileName() + ".out");
    Path errors = folder.resolve(profile.getFileName() + ".err");
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectOutput(output.toFile()).redirectError(errors.toFile());
    builder.environment().put("TMPDIR", folder.toString());
    builder.environment().put("TZ", "UTC");
    return new Chromium(builder.start(), output, errors);
  }

  /** The address of its debugger, with option {@code --remote-debugging-port=0}. */
  URI debugger() throws IOException, InterruptedException {
    Instant end = Instant.now().plusSeconds(PATIENCE_SECONDS);
    while (Instant.now().isBefore(end)) {
      Matcher found = DEBUGGER.matcher(Files.readString(errors, StandardCharsets.UTF_8));
      if (found.find()) {
        return URI.create(found.group());
      }
      Thread.sleep(50);
    }
    throw new IllegalStateException("chromium has no debugger: " + Files.readString(errors));
  }

  /** What it printed until it ended by itself. */
  String outputToEnd() throws IOException, InterruptedException {
    if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
      throw new IllegalStateException("chromium did not end in " + PATIENCE_SECONDS + " s");
    }
    return Files.readString(output, StandardCharsets.UTF_8);
  }

  @Override
  public void close() {
    List<ProcessHandle> children = process.descendants().toList();
    process.destroyForcibly();
    children.forEach(ProcessHandle::destroyForcibly);
    process.onExit().join();
  }
}
