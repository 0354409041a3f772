package dev.cotenant.placement.glet;

import java.util.List;

/** What a gpu-let may have of its GPU [gpu-lets, section 3.2]; ascending. */
public enum Size {
  PERCENT_20(200),
  PERCENT_40(400),
  PERCENT_50(500),
  PERCENT_60(600),
  PERCENT_80(800),
  WHOLE(1000);

  static final List<Size> ASCENDING = List.of(values());

  private static final double PERMILLE_PER_PERCENT = 10;

  private final int permille;

  Size(int permille) {
    this.permille = permille;
  }

  int permille() {
    return permille;
  }

  /** The share in percent. */
  public double percent() {
    return permille / PERMILLE_PER_PERCENT;
  }

  /** What is left of the GPU; of a whole GPU nothing is. */
  Size rest() {
    return switch (this) {
      case PERCENT_20 -> PERCENT_80;
      case PERCENT_40 -> PERCENT_60;
      case PERCENT_50 -> PERCENT_50;
      case PERCENT_60 -> PERCENT_40;
      case PERCENT_80 -> PERCENT_20;
      case WHOLE -> throw new IllegalStateException("a whole GPU leaves no rest");
    };
  }
}
