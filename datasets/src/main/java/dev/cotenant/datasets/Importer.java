package dev.cotenant.datasets;

import dev.cotenant.datasets.named.LicenceScope;
import java.nio.file.Path;
import java.util.function.Function;

/**
 * Reads files of one format.
 *
 * @param <S> what a file or folder is opened as
 * @param format the name of the format on the command line
 * @param publishedAs the path of the published set below a folder of all, relative; the format's
 *     name where no such folder holds it
 * @param opener opens a path for a purpose; reads nothing yet
 */
public record Importer<S>(String format, String publishedAs, Opener<S> opener) {
  /** Opens a file or folder for a purpose. */
  @FunctionalInterface
  public interface Opener<S> {
    S open(Path path, LicenceScope scope);
  }

  /** An importer of files under the same terms for every purpose. */
  static <S> Importer<S> of(String format, Function<Path, ? extends S> opener) {
    return new Importer<>(format, format, (path, _) -> opener.apply(path));
  }

  Importer<S> publishedAs(String place) {
    return new Importer<>(format, place, opener);
  }
}
