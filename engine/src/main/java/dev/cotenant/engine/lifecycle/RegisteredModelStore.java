package dev.cotenant.engine.lifecycle;

import java.io.InputStream;
import java.time.Instant;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Port: ONNX files by the names that workloads use. Every method may throw StoreException.
 *
 * <p>Files are streams: they may be larger than memory.
 */
public interface RegisteredModelStore {
  /** What a name means. */
  record Name(String name, String sha256) {}

  /**
   * Makes a name mean this file from now on, unless it means a third one.
   *
   * @param before expected current SHA-256 of the name; null for any
   * @return false where it means another file; nothing has changed then
   */
  boolean put(Name name, @Nullable String before, InputStream file, Instant at);

  /**
   * Forgets a name, and its file unless it is needed otherwise.
   *
   * @return whether the name was registered
   */
  boolean remove(String name);

  /** All, by name. */
  List<Name> names();

  /**
   * Reads a file.
   *
   * @throws dev.cotenant.domain.InputException ({@code unknown-model}) when there is none
   */
  <T> T read(String sha256, Function<InputStream, T> reader);
}
