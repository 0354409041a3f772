package dev.cotenant.predictor.hybrid;

import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.CalibrationGroup;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.predictor.model.LevelQuantiles;
import dev.cotenant.predictor.model.ResidualQuantiles;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Quantiles of runs like measured ones, by group. The group of a run is its family on its device;
 * where that has too few rows for the requested level its family, then its device, then all rows.
 * Immutable.
 *
 * @param families of the landmarks, in order
 * @param tables quantiles by group; that of {@link #ALL} rows is always present
 */
record FamiliarGroups(List<String> families, SortedMap<String, LevelQuantiles> tables) {
  static final String ALL = "all rows";

  FamiliarGroups {
    families = List.copyOf(families);
    tables = new TreeMap<>(tables);
    if (!tables.containsKey(ALL)) {
      throw new IllegalArgumentException("the quantiles of all rows are missing");
    }
  }

  static String of(String family, String device) {
    return family + " on " + device;
  }

  static String ofDevice(String device) {
    return "on " + device;
  }

  /** The group whose rows bound a run, and its quantiles. */
  record Found(CalibrationGroup group, LevelQuantiles table, ResidualQuantiles quantiles) {}

  /**
   * Finds the group of a run.
   *
   * @param landmark the nearest
   */
  Found find(int landmark, DeviceId device, Coverage level) {
    String family = families.get(landmark);
    ResidualQuantiles least = new ResidualQuantiles(0, 0);
    for (String name : List.of(of(family, device.value()), family, ofDevice(device.value()))) {
      LevelQuantiles table = tables.get(name);
      if (table != null) {
        // a group too small for the level widens the pooled quantiles to what its own rows show
        least = least.widerOf(table.at(level));
        if (table.supports(level)) {
          return new Found(new CalibrationGroup(name, table.rows()), table, least);
        }
      }
    }
    LevelQuantiles all = all();
    return new Found(new CalibrationGroup(ALL, all.rows()), all, least.widerOf(all.at(level)));
  }

  LevelQuantiles all() {
    return tables.getOrDefault(ALL, tables.sequencedValues().getFirst());
  }
}
