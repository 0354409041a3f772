package dev.cotenant.engine.lifetime;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** Port: how long pods stayed. Every method may throw StoreException. */
public interface LifetimeStore {
  /** Maximum stored lifetimes of a workload, the newest. */
  int OF_ONE = 10;

  /** Maximum stored lifetimes of a namespace, the newest. */
  int OF_NAMESPACE = 2_000;

  /** Maximum stored lifetimes, divided equally among namespaces. */
  int OF_ALL = 50_000;

  /**
   * A pod that has ended.
   *
   * @param namespace of the pod
   * @param workload key of what it ran, at most 64 characters
   * @param length from the start of the pod's containers
   * @param endedAt when it ended
   */
  record Lifetime(String namespace, String workload, Duration length, Instant endedAt) {}

  /**
   * Adds stays, all or, when the store fails, none; the oldest of a namespace beyond its quota are
   * deleted.
   */
  void add(List<Lifetime> lifetimes);

  /** A number that changes with every addition. */
  long state();

  /** All in their order. */
  List<Lifetime> all();
}
