package dev.cotenant.plugin;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.text.Sha256;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** Reads a manifest and the model beside it, both within limits. */
final class ModelFile {
  static final int MAX_MANIFEST_BYTES = 64 << 10;

  /** A thousand deep trees are some 30 MB. */
  static final int MAX_MODEL_BYTES = 64 << 20;

  private ModelFile() {}

  /** The text of a manifest. */
  static String manifest(Path file) {
    return new String(read(file, MAX_MANIFEST_BYTES), StandardCharsets.UTF_8);
  }

  /**
   * The bytes of the model that a manifest names, which must lie in the manifest's folder or below
   * and be the file that was hashed.
   *
   * @throws InputException ({@code file-not-found}, {@code file-too-large}, {@code
   *     regressor-outside-folder}, {@code regressor-hash-mismatch})
   */
  static byte[] model(Path manifest, String name, String sha256) {
    Path file = beside(manifest, name);
    return requireHash(read(file, MAX_MODEL_BYTES), file.toString(), sha256);
  }

  /** Returns the bytes if their hash matches. */
  static byte[] requireHash(byte[] bytes, String file, String sha256) {
    String actual = Sha256.of(bytes);
    if (!actual.equals(sha256)) {
      throw InputException.malformed(
          "regressor-hash-mismatch",
          file + ": has sha256 " + actual + ", but the manifest says " + sha256 + ".");
    }
    return bytes;
  }

  private static Path beside(Path manifest, String name) {
    try {
      Path folder = manifest.toRealPath().resolveSibling("").normalize();
      Path file = folder.resolve(name).normalize();
      if (!file.startsWith(folder) || !real(file).startsWith(folder)) {
        throw InputException.malformed(
            "regressor-outside-folder",
            manifest + ": model must name a file in the manifest's folder, is '" + name + "'.");
      }
      return file;
    } catch (InvalidPathException | IOException e) {
      throw new InputException(
          InputException.Kind.MALFORMED,
          "bad-manifest",
          manifest + ": model names no file: '" + name + "'.",
          e);
    }
  }

  /** The target of symbolic links; the path itself if the file is missing. */
  private static Path real(Path file) throws IOException {
    return Files.exists(file) ? file.toRealPath() : file;
  }

  private static byte[] read(Path file, int most) {
    try (InputStream in = Files.newInputStream(file)) {
      return read(in, file.toString(), most);
    } catch (NoSuchFileException e) {
      throw new InputException(
          InputException.Kind.NOT_FOUND, "file-not-found", file + ": there is no such file.", e);
    } catch (IOException e) {
      throw new InputException(
          InputException.Kind.MALFORMED, "unreadable-file", file + ": cannot be read.", e);
    }
  }

  /** All bytes of a stream, up to a limit. */
  static byte[] read(InputStream in, String file, int most) throws IOException {
    byte[] bytes = in.readNBytes(most + 1);
    if (bytes.length > most) {
      throw InputException.tooLarge(
          "file-too-large", file + ": is larger than " + most + " bytes.");
    }
    return bytes;
  }
}
