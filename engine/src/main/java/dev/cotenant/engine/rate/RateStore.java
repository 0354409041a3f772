package dev.cotenant.engine.rate;

import java.time.Instant;
import java.util.List;

/** Port: the largest request rates of pods by the hour. Every method may throw StoreException. */
public interface RateStore {
  /** The newest hours of a workload that are stored: a week. */
  int OF_ONE = 168;

  /** Maximum stored rates of a namespace, the newest. */
  int OF_NAMESPACE = 5_000;

  /** Maximum stored rates, divided equally among namespaces. */
  int OF_ALL = 50_000;

  /**
   * The largest rate of the pods of a workload in an hour.
   *
   * @param namespace of the pods
   * @param workload key of what they run, at most 64 characters
   * @param perSecond requests per second of one pod, the largest mean of two minutes; from 0 to
   *     {@link dev.cotenant.domain.workload.Load.RequestRate#MAX}
   * @param hour its end, a whole hour in UTC
   */
  record HourlyRate(String namespace, String workload, double perSecond, Instant hour) {}

  /**
   * Adds rates, all or, when the store fails, none. Of several of one hour of a workload the
   * largest stays; the oldest of a namespace beyond its quota are deleted.
   */
  void add(List<HourlyRate> rates);

  /** A number that changes with the stored rates. */
  long state();

  /** All. */
  List<HourlyRate> all();
}
