package dev.cotenant.cli.files;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.domain.InputException;
import dev.cotenant.engine.files.InputFiles;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/**
 * A pod as a file describes it, YAML or JSON.
 *
 * @param file where it was read
 * @param pod its JSON
 */
public record PodManifest(Path file, JsonNode pod) {
  /** The limit of an API server for a request. */
  private static final int MAX_BYTES = 3 << 20;

  /** A pod has a few hundred. */
  private static final int MAX_NODES = 200_000;

  /**
   * Reads a file that holds one pod; empty documents beside it do not count.
   *
   * @throws InputException ({@code not-a-pod}), or as {@link InputFiles}
   */
  public static PodManifest read(Path file) {
    byte[] bytes = InputFiles.read(file, "a pod manifest", MAX_BYTES);
    List<JsonNode> documents =
        YamlDocuments.read(new String(bytes, StandardCharsets.UTF_8), file.toString(), MAX_NODES);
    if (documents.size() != 1) {
      throw InputException.malformed(
          "not-a-pod",
          file + ": holds " + documents.size() + " documents; name a file with one pod.");
    }
    return ofDocument(file, documents.getFirst());
  }

  private static PodManifest ofDocument(Path file, JsonNode document) {
    String kind = document.path("kind").asText("nothing");
    if (!kind.equals("Pod")) {
      throw InputException.malformed(
          "not-a-pod", file + ": is of kind " + kind + "; name a manifest of kind Pod.");
    }
    return new PodManifest(file, document);
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
