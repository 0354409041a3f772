package dev.cotenant.cli.files;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import org.jspecify.annotations.Nullable;

/** Directories of this program's own files. */
public final class Directories {
  private Directories() {}

  /** Deletes the contents of an existing directory except one file. */
  public static void clear(Path directory, String kept) throws IOException {
    if (!Files.isDirectory(directory)) {
      return;
    }
    try (DirectoryStream<Path> all = Files.newDirectoryStream(directory)) {
      for (Path each : all) {
        if (Files.isDirectory(each, LinkOption.NOFOLLOW_LINKS)) {
          delete(each);
        } else if (!each.endsWith(kept)) {
          Files.delete(each);
        }
      }
    }
  }

  /** Deletes a directory tree; symbolic links are not followed. */
  public static void delete(Path directory) throws IOException {
    if (!Files.isDirectory(directory)) {
      return;
    }
    Files.walkFileTree(
        directory,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.delete(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path folder, @Nullable IOException failure)
              throws IOException {
            if (failure != null) {
              throw failure;
            }
            Files.delete(folder);
            return FileVisitResult.CONTINUE;
          }
        });
  }
}
