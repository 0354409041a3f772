package dev.cotenant.engine.lifecycle;

import java.io.InputStream;
import java.time.Instant;
import java.util.List;
import java.util.function.Function;

/**
 * Port: ONNX files by the names that workloads use. Every method may throw StoreException.
 *
 * <p>Files are streams: they may be larger than memory.
 */
public interface RegisteredModelStore {
  /** What a name means. */
  record Name(String name, String sha256) {}

  /** Makes a name mean this file from now on. */
  void put(Name name, InputStream file, Instant at);

  /** All, by name. */
  List<Name> names();

  /**
   * Reads a file.
   *
   * @throws dev.cotenant.domain.InputException ({@code unknown-model}) when there is none
   */
  <T> T read(String sha256, Function<InputStream, T> reader);
}
