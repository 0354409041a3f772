package dev.cotenant.datasets.colocation;

import dev.cotenant.domain.colocation.ColocationSource;
import java.nio.file.Path;
import java.util.List;

/** A set of measured colocations that lies in files. */
public interface ColocationFile extends ColocationSource {
  /** The files that it is read from, in order. */
  List<Path> files();
}
