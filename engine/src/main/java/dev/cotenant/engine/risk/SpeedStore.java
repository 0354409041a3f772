package dev.cotenant.engine.risk;

import java.util.List;
import java.util.Map;

/** Port: measured speeds. Every method may throw StoreException. */
public interface SpeedStore {
  /** Most rows of a namespace; {@link SpeedQuota} says which are deleted. */
  int MAX_ROWS = 2_000;

  /** Adds rows, all or, when the store fails, none. */
  void add(List<MeasuredSpeed> rows);

  /**
   * For each namespace a number that changes with its rows, also where a row with a smaller number
   * is committed later than one with a larger number.
   */
  Map<String, Long> newest();

  /** Rows of a namespace in order. */
  List<MeasuredSpeed> of(String namespace);
}
