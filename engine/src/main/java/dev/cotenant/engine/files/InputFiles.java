package dev.cotenant.engine.files;

import dev.cotenant.domain.InputException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.StreamSupport;

/**
 * Opens files and directories that users name; what cannot be read is an {@link InputException}
 * that names it and says why: {@code missing-file}, {@code not-a-file}, {@code unreadable-file},
 * {@code file-too-large}, {@code missing-directory}.
 */
public final class InputFiles {
  /** Standard input, and the pipes of a shell's {@code <(…)}. */
  private static final Path DEVICES = Path.of("/dev");

  private InputFiles() {}

  /**
   * The bytes of a file.
   *
   * @param wanted the expected kind of file, {@code a pod manifest}
   * @param mostBytes more are refused
   */
  public static byte[] read(Path file, String wanted, int mostBytes) {
    requireFile(file, wanted);
    try (InputStream in = Files.newInputStream(file)) {
      byte[] bytes = in.readNBytes(mostBytes + 1);
      if (bytes.length > mostBytes) {
        throw InputException.tooLarge(
            "file-too-large",
            file + ": is larger than the " + mostBytes + " bytes that " + wanted + " may have.");
      }
      return bytes;
    } catch (IOException e) {
      throw unreadable(file, e);
    }
  }

  /**
   * Requires an existing regular file and returns it; a pipe, which might never end, only under
   * {@code /dev}, where shells open them.
   */
  public static Path requireFile(Path file, String wanted) {
    if (Files.isDirectory(file)) {
      throw InputException.notFound("not-a-file", file + ": is a directory; name " + wanted + ".");
    }
    if (!Files.exists(file)) {
      throw InputException.notFound(
          "missing-file", file + ": there is no such file; name " + wanted + ".");
    }
    if (!Files.isRegularFile(file) && !file.toAbsolutePath().normalize().startsWith(DEVICES)) {
      throw InputException.notFound(
          "not-a-file", file + ": is not a regular file; name " + wanted + ".");
    }
    return file;
  }

  /**
   * Requires an existing directory and returns it.
   *
   * @param of expected content, {@code models}
   */
  public static Path requireDirectory(Path directory, String of) {
    if (!Files.isDirectory(directory)) {
      throw InputException.notFound(
          "missing-directory", directory + ": there is no such directory of " + of + ".");
    }
    return directory;
  }

  /** Files of a directory with this suffix, ordered by name. */
  public static List<Path> list(Path directory, String suffix, String of) {
    requireDirectory(directory, of);
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "*" + suffix)) {
      return StreamSupport.stream(files.spliterator(), false).sorted().toList();
    } catch (IOException e) {
      throw unreadable(directory, e);
    }
  }

  /** What to throw when reading a file failed. */
  public static InputException unreadable(Path file, IOException why) {
    return new InputException(
        InputException.Kind.NOT_FOUND,
        "unreadable-file",
        file + ": cannot be read: " + why.getMessage(),
        why);
  }
}
