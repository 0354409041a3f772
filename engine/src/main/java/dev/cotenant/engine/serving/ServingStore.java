package dev.cotenant.engine.serving;

import java.util.List;
import java.util.Map;

/** Port: measured starts and versions of constants. Every method may throw StoreException. */
public interface ServingStore {
  /** Most starts of a namespace; the oldest are deleted. */
  int MAX_STARTS = 500;

  /** Most starts of one model with one release, so that a pod that restarts displaces no other. */
  int STARTS_OF_ONE = 16;

  /** Most releases of vLLM of a namespace; those with the oldest starts are deleted. */
  int MAX_RELEASES = 16;

  /** Most versions of a release; the oldest are deleted, but not the latest way back. */
  int MAX_VERSIONS = 32;

  /**
   * Adds starts, all or, when the store fails, none.
   *
   * @return by start, whether it is new; equal starts of a namespace count once, and again if they
   *     have no key and an earlier version was restored since
   */
  List<Boolean> add(List<ServingStart> starts);

  /** For each namespace with starts or versions a text that changes with them. */
  Map<String, String> states();

  /** The starts of a namespace, oldest first. */
  List<ServingStart> starts(String namespace);

  /** Versions of a namespace in order, by release. */
  List<ServingVersion> versions(String namespace);

  /**
   * Adds a version.
   *
   * @return false if a version with its number exists
   */
  boolean add(ServingVersion version);
}
