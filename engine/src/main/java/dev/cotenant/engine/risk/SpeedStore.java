package dev.cotenant.engine.risk;

import java.util.List;
import java.util.Map;

/** Port: measured speeds. Every method may throw StoreException. */
public interface SpeedStore {
  /** The newest rows of a namespace that stay; older ones are deleted. */
  int MAX_ROWS = 2_000;

  /** Adds rows, all or, when the store fails, none. */
  void add(List<MeasuredSpeed> rows);

  /** The number of the newest row of each namespace. */
  Map<String, Long> newest();

  /** The rows of a namespace in their order. */
  List<MeasuredSpeed> of(String namespace);
}
