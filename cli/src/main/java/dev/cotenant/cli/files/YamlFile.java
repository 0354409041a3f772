package dev.cotenant.cli.files;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.domain.InputException;
import dev.cotenant.engine.files.InputFiles;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/** A large document in a file, YAML or JSON. */
public final class YamlFile {
  /** A hundred thousand workloads are some 12 MB. */
  private static final int MAX_BYTES = 64 << 20;

  private static final int MAX_NODES = 4_000_000;

  private YamlFile() {}

  /**
   * The single non-empty document of a file.
   *
   * @param wanted expected kind of file, {@code a plan file}
   * @throws InputException ({@code not-yaml}, {@code not-one-document}), or as {@link InputFiles}
   */
  public static JsonNode read(Path file, String wanted) {
    byte[] bytes = InputFiles.read(file, wanted, MAX_BYTES);
    List<JsonNode> documents =
        YamlDocuments.read(new String(bytes, StandardCharsets.UTF_8), file.toString(), MAX_NODES);
    if (documents.size() != 1) {
      throw InputException.malformed(
          "not-one-document",
          file + ": holds " + documents.size() + " documents; name " + wanted + " with one.");
    }
    return documents.getFirst();
  }
}
