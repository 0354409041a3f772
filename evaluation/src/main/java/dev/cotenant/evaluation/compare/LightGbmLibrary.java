package dev.cotenant.evaluation.compare;

import io.github.metarank.lightgbm4j.LGBMBooster;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Loads LightGBM from a folder that only this process writes.
 *
 * <p>Left to itself the binding unpacks to a fixed name in {@code java.io.tmpdir}: a second process
 * overwrites the library that the first one runs from, which kills it, and on a shared machine
 * anybody may have put another file there. The property is set for the moment of loading, since it
 * has no other door.
 */
final class LightGbmLibrary {
  private static final String FOLDER_PROPERTY = "java.io.tmpdir";

  private static boolean isTried;

  private LightGbmLibrary() {}

  /**
   * Loads it once; what is missing shows when it is first used.
   *
   * @throws LinkageError where the binding says at once that it does not load
   */
  static synchronized void load() {
    if (isTried) {
      return;
    }
    isTried = true;
    String shared = System.getProperty(FOLDER_PROPERTY);
    try {
      Path own = Files.createTempDirectory("cotenant-lightgbm");
      System.setProperty(FOLDER_PROPERTY, own.toString());
      LGBMBooster.loadNative();
      delete(own);
    } catch (IOException e) {
      throw new UncheckedIOException("LightGBM's library cannot be unpacked", e);
    } finally {
      System.setProperty(FOLDER_PROPERTY, shared);
    }
  }

  /** What is loaded stays mapped; a system that does not let it go deletes it at its own time. */
  private static void delete(Path folder) throws IOException {
    List<Path> files;
    try (var found = Files.list(folder)) {
      files = found.toList();
    }
    for (Path file : files) {
      if (!file.toFile().delete()) {
        file.toFile().deleteOnExit();
      }
    }
    if (!folder.toFile().delete()) {
      folder.toFile().deleteOnExit();
    }
  }
}
