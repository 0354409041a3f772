package dev.cotenant.engine.serving;

import java.util.List;
import java.util.Map;

/** Port: measured starts and versions of constants. Every method may throw StoreException. */
public interface ServingStore {
  /** Most starts of a namespace; the oldest are deleted. */
  int MAX_STARTS = 500;

  /** Most starts of one model with one release, so that a pod that restarts displaces no other. */
  int STARTS_OF_ONE = 16;

  /**
   * Adds starts, all or, when the store fails, none.
   *
   * @return for each whether it is new; a namespace's equal starts count once
   */
  List<Boolean> add(List<ServingStart> starts);

  /** For each namespace with starts or versions a text that changes with them. */
  Map<String, String> states();

  /** The starts of a namespace, oldest first. */
  List<ServingStart> starts(String namespace);

  /** The versions of a namespace in the order of their numbers, by release. */
  List<ServingVersion> versions(String namespace);

  /**
   * Adds a version.
   *
   * @return false where another with its number is there
   */
  boolean add(ServingVersion version);
}
