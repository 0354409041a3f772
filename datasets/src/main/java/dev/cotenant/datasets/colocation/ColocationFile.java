package dev.cotenant.datasets.colocation;

import dev.cotenant.domain.colocation.ColocationRows;
import java.nio.file.Path;
import java.util.List;

/** A set of measured colocations that lies in files. */
public interface ColocationFile {
  /** Its files in order. */
  List<Path> files();

  /**
   * Reads everything.
   *
   * @throws dev.cotenant.domain.InputException when a file is missing or not of the format, naming
   *     file and line
   */
  ColocationRows read();
}
