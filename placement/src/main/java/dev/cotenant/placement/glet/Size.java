package dev.cotenant.placement.glet;

import dev.cotenant.domain.quantity.Share;
import java.util.List;

/** What a gpu-let may have of its GPU [gpu-lets, section 3.2]; ascending. */
public enum Size {
  PERCENT_20(20),
  PERCENT_40(40),
  PERCENT_50(50),
  PERCENT_60(60),
  PERCENT_80(80),
  WHOLE(100);

  static final List<Size> ASCENDING = List.of(values());

  @SuppressWarnings("ImmutableEnumChecker") // a record of one number
  private final Share share;

  Size(int percent) {
    share = Share.ofPercent(percent);
  }

  Share share() {
    return share;
  }

  /**
   * The size of a share.
   *
   * @throws IllegalArgumentException where no gpu-let has this share
   */
  public static Size of(Share share) {
    return ASCENDING.stream()
        .filter(size -> size.share.equals(share))
        .findFirst()
        .orElseThrow(
            () -> new IllegalArgumentException("no gpu-let has " + share.percent() + " %"));
  }

  /** The share in percent. */
  public double percent() {
    return share.percent();
  }

  /** The remaining size of the GPU; nothing remains of a whole GPU. */
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
