package dev.cotenant.llm.source;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.text.PlainText;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;

/** Files of a model folder. */
final class ModelFiles {
  private ModelFiles() {}

  /**
   * All bytes of a document.
   *
   * @throws InputException ({@code model-not-found}, {@code model-unreadable}, {@code
   *     json-too-large})
   */
  static byte[] read(Path file, int most) {
    try (InputStream in = open(file)) {
      byte[] content = in.readNBytes(most + 1);
      if (content.length > most) {
        throw InputException.tooLarge(
            "json-too-large", name(file) + ": is larger than " + most + " bytes.");
      }
      return content;
    } catch (IOException e) {
      throw unreadable(file, e);
    }
  }

  /**
   * Opens a regular file, links followed: a pipe or a device might never end.
   *
   * @throws InputException ({@code model-unreadable})
   */
  static InputStream open(Path file) throws IOException {
    if (!Files.readAttributes(file, BasicFileAttributes.class).isRegularFile()) {
      throw InputException.malformed(
          "model-unreadable", name(file) + ": is not a regular file; name or link to one.");
    }
    return Files.newInputStream(file);
  }

  static InputException unreadable(Path file, IOException cause) {
    return cause instanceof NoSuchFileException
        ? new InputException(
            InputException.Kind.NOT_FOUND,
            "model-not-found",
            name(file) + " does not exist; name a model folder, a config.json or a GGUF file.",
            cause)
        : new InputException(
            InputException.Kind.MALFORMED,
            "model-unreadable",
            name(file)
                + ": cannot be read ("
                + PlainText.of(String.valueOf(cause.getMessage()))
                + ").",
            cause);
  }

  static String name(Path file) {
    return PlainText.of(file.toString());
  }
}
