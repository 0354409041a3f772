package dev.cotenant.cli.files;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.domain.InputException;
import dev.cotenant.engine.files.InputFiles;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A pod as a file describes it, YAML or JSON, by itself or as the template of its controller.
 *
 * @param pod its JSON
 */
public record PodManifest(JsonNode pod) {
  private static final Path STANDARD_INPUT = Path.of("-");

  /** The limit of an API server for a request. */
  private static final int MAX_BYTES = 3 << 20;

  /** A pod has a few hundred. */
  private static final int MAX_NODES = 200_000;

  /**
   * Reads a file that describes one pod; documents of other kinds beside it do not count.
   *
   * @throws InputException ({@code not-a-pod}), or as {@link InputFiles}
   */
  public static PodManifest read(Path file) {
    List<PodManifest> pods = readPods(file);
    if (pods.size() != 1) {
      throw InputException.malformed(
          "not-a-pod", file + ": describes " + pods.size() + " pods; name a file with one.");
    }
    return pods.getFirst();
  }

  /**
   * Reads every pod of a file, and one pod of each template of its Deployments, Jobs and the like;
   * {@code -} is standard input.
   *
   * @throws InputException ({@code not-a-pod}) where there is none, or as {@link InputFiles}
   */
  public static List<PodManifest> readPods(Path file) {
    Path from = file.equals(STANDARD_INPUT) ? Path.of("/dev/stdin") : file;
    byte[] bytes = InputFiles.read(from, "a pod manifest", MAX_BYTES);
    List<JsonNode> documents =
        YamlDocuments.read(new String(bytes, StandardCharsets.UTF_8), file.toString(), MAX_NODES);
    List<JsonNode> pods = documents.stream().map(PodTemplates::pods).flatMap(List::stream).toList();
    if (pods.isEmpty()) {
      throw InputException.malformed(
          "not-a-pod",
          file
              + ": describes no pod ("
              + kinds(documents)
              + "); name a manifest of kind Pod, "
              + String.join(", ", PodTemplates.kinds())
              + " or List.");
    }
    return pods.stream().map(PodManifest::new).toList();
  }

  private static String kinds(List<JsonNode> documents) {
    return documents.isEmpty()
        ? "it is empty"
        : documents.stream()
            .map(document -> document.path("kind").asText("no kind"))
            .distinct()
            .collect(Collectors.joining(", "));
  }

  /**
   * Reads every {@code *.yaml} of a directory, in the order of names.
   *
   * @throws InputException as {@link #read}, or ({@code missing-directory})
   */
  public static List<PodManifest> readAll(Path directory) {
    return InputFiles.list(directory, ".yaml", "pods").stream().map(PodManifest::read).toList();
  }
}
