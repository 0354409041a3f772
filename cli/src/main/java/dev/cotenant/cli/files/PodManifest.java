package dev.cotenant.cli.files;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.cotenant.domain.InputException;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.StreamSupport;

/**
 * A pod as a file describes it, YAML or JSON.
 *
 * @param file where it was read
 * @param pod its JSON
 */
public record PodManifest(Path file, JsonNode pod) {
  private static final ObjectReader YAML = new YAMLMapper().readerFor(JsonNode.class);

  /** The limit of an API server for a request. */
  private static final long MAX_BYTES = 3 << 20;

  /**
   * Reads a file that holds one pod.
   *
   * @throws InputException ({@code missing-file}, {@code unreadable-file}, {@code not-a-pod})
   */
  public static PodManifest read(Path file) {
    try {
      return parse(file);
    } catch (JacksonException e) {
      String place = e.getLocation() == null ? "" : ":" + e.getLocation().getLineNr();
      throw notAPod(file + place, "is no YAML: " + firstLine(e.getOriginalMessage()), e);
    } catch (IOException e) {
      throw new InputException(
          InputException.Kind.NOT_FOUND,
          "unreadable-file",
          file + ": cannot be read: " + e.getMessage(),
          e);
    }
  }

  private static PodManifest parse(Path file) throws IOException {
    if (!Files.isRegularFile(file)) {
      throw InputException.notFound(
          "missing-file", file + ": there is no such file; name a pod manifest.");
    }
    if (Files.size(file) > MAX_BYTES) {
      throw InputException.tooLarge(
          "manifest-too-large", file + ": is over 3 MiB, more than an API server takes.");
    }
    try (MappingIterator<JsonNode> documents = YAML.readValues(file.toFile())) {
      List<JsonNode> all = documents.readAll();
      if (all.size() != 1) {
        throw InputException.malformed(
            "not-a-pod", file + ": holds " + all.size() + " documents; name a file with one pod.");
      }
      return ofDocument(file, all.getFirst());
    }
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
    if (!Files.isDirectory(directory)) {
      throw InputException.notFound(
          "missing-directory", directory + ": there is no such directory of pods.");
    }
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "*.yaml")) {
      return StreamSupport.stream(files.spliterator(), false)
          .sorted()
          .map(PodManifest::read)
          .toList();
    } catch (IOException e) {
      throw new InputException(
          InputException.Kind.NOT_FOUND,
          "unreadable-file",
          directory + ": cannot be read: " + e.getMessage(),
          e);
    }
  }

  private static InputException notAPod(String place, String what, Exception cause) {
    return new InputException(
        InputException.Kind.MALFORMED, "not-a-pod", place + ": " + what, cause);
  }

  private static String firstLine(String message) {
    return message.lines().findFirst().orElse("");
  }
}
