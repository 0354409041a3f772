package dev.cotenant.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** What docs/install.md says about client certificates, done in a folder. */
final class DocumentedClientCertificates {
  private static final String THERE = "/etc/kubernetes/admission";
  private static final String USER = "cotenant.cotenant-system.svc";

  private final String section;
  private final Path folder;

  /** Reads it. */
  DocumentedClientCertificates(Path root, Path folder) throws IOException {
    this.folder = Files.createDirectories(folder);
    section =
        Files.readString(root.resolve("docs/install.md"))
            .replaceFirst("(?s).*\n### Client certificates\n", "")
            .replaceFirst("(?s)\n## .*", "");
  }

  /** The name of the Service that they are for. */
  static String host() {
    return USER;
  }

  /** The folder with everything. */
  Path folder() {
    return folder;
  }

  /** Its commands that make authority and certificate. */
  void makeKeys() throws IOException, InterruptedException {
    String commands =
        section
            .lines()
            .map(String::strip)
            .filter(line -> line.matches("(openssl|printf) .*"))
            .collect(Collectors.joining("\n"));
    Process shell =
        new ProcessBuilder("sh", "-euc", commands)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .start();
    String said = new String(shell.getInputStream().readAllBytes(), UTF_8);
    if (shell.waitFor() != 0) {
      throw new IllegalStateException(said);
    }
  }

  /**
   * Its two files.
   *
   * @param port of the Service, which belongs to the name of the user where it is not 443
   */
  void writeFiles(int port) throws IOException {
    List<MatchResult> files =
        Pattern.compile("(?s)```yaml\n(.*?)```").matcher(section).results().toList();
    write("configuration.yaml", files.get(0).group(1));
    write("kubeconfig.yaml", files.get(1).group(1).replace(USER, USER + ":" + port));
  }

  private void write(String name, String text) throws IOException {
    Files.writeString(
        folder.resolve(name), text.stripIndent().replace(THERE, folder.toString()), UTF_8);
  }

  /** The option of the API server. */
  String option() {
    return Pattern.compile("--admission-control-config-file=[^`]+")
        .matcher(section)
        .results()
        .findFirst()
        .orElseThrow()
        .group()
        .replace(THERE, folder.toString());
  }
}
