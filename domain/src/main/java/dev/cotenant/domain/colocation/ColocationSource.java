package dev.cotenant.domain.colocation;

/** Port: reads measured colocations from outside. */
public interface ColocationSource {
  /**
   * Reads everything.
   *
   * @throws dev.cotenant.domain.InputException when a file is missing or not of the format, naming
   *     file and line
   */
  ColocationRows read();
}
