package dev.cotenant.cli.lab;

import dev.cotenant.datasets.file.DataFile;
import dev.cotenant.datasets.manifest.KnownSet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What figures were made of.
 *
 * @param version name and version of the program
 * @param commit of the sources, or {@value #NO_COMMIT}
 * @param data outside files
 */
public record Provenance(String version, String commit, List<Source> data) {
  static final String NO_COMMIT = "unknown";
  private static final String HOME = "cotenant.home";
  private static final String REFERENCE = "ref: ";

  public Provenance {
    data = List.copyOf(data);
  }

  /**
   * A file of a set.
   *
   * @param format of the set
   * @param file its name
   * @param sha256 64 hexadecimal digits
   */
  public record Source(String format, String file, String sha256) {}

  /**
   * Of this program, run from a checkout or elsewhere.
   *
   * @param sets used, as {@code FORMAT:PATH}
   */
  public static Provenance of(String version, List<String> sets) {
    String commit =
        Optional.ofNullable(System.getProperty(HOME))
            .flatMap(home -> commit(Path.of(home, ".git")))
            .orElse(NO_COMMIT);
    return new Provenance(
        version, commit, sets.stream().flatMap(s -> sources(s).stream()).toList());
  }

  /** The commit that a checkout's folder names; empty without one. */
  public static Optional<String> commit(Path git) {
    try {
      String head = Files.readString(git.resolve("HEAD")).strip();
      if (!head.startsWith(REFERENCE)) {
        return Optional.of(head);
      }
      String name = head.substring(REFERENCE.length());
      Path loose = git.resolve(name);
      if (Files.exists(loose)) {
        return Optional.of(Files.readString(loose).strip());
      }
      return Files.readAllLines(git.resolve("packed-refs")).stream()
          .filter(line -> line.endsWith(" " + name))
          .map(line -> line.substring(0, line.indexOf(' ')))
          .findFirst();
    } catch (IOException e) {
      return Optional.empty(); // not a checkout
    }
  }

  /** The files of a set that its manifest knows, or the set's own file. */
  private static List<Source> sources(String set) {
    String format = set.substring(0, set.indexOf(':'));
    Path path = Path.of(set.substring(format.length() + 1));
    List<Path> files = new ArrayList<>();
    if (Files.isRegularFile(path)) {
      files.add(path);
    }
    KnownSet.all().stream()
        .filter(known -> known.format().equals(format))
        .map(known -> path.resolve(known.file()))
        .filter(Files::isRegularFile)
        .distinct()
        .forEach(files::add);
    return files.stream()
        .map(file -> new Source(format, String.valueOf(file.getFileName()), sha256(file)))
        .toList();
  }

  private static String sha256(Path file) {
    return DataFile.sha256(List.of(file));
  }

  Map<String, Object> asMap() {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("version", version);
    all.put("commit", commit);
    all.put("data", data.stream().map(Provenance::asMap).toList());
    return all;
  }

  private static Map<String, Object> asMap(Source source) {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("format", source.format());
    all.put("file", source.file());
    all.put("sha256", source.sha256());
    return all;
  }

  /** A line for each part. */
  public List<String> lines() {
    List<String> lines = new ArrayList<>();
    lines.add(version + ", commit " + commit);
    data.forEach(source ->
        lines.add(source.format() + ": " + source.file() + ", SHA-256 " + source.sha256()));
    return lines;
  }
}
