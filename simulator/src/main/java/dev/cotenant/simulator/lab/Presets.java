package dev.cotenant.simulator.lab;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.placement.SharingDecider;
import dev.cotenant.simulator.lab.Preset.Card;
import dev.cotenant.simulator.pairs.PairWorld;
import java.util.List;

/** All presets by name. A new preset is one entry here. */
public final class Presets {
  private static final List<Entry> ALL =
      List.of(
          new Entry(
              UtilPredTable4.CARD,
              "lucid-pairs",
              inputs -> new UtilPredTable4(inputs.pairs("lucid-pairs"), inputs.decider())),
          new Entry(
              LucidDurations.CARD,
              "lucid-pairs",
              inputs -> new LucidDurations(inputs.pairs("lucid-pairs"), inputs.decider())),
          new Entry(
              ResAwareFigures.CARD,
              "",
              inputs -> new ResAwareFigures(inputs.decider(), DeviceCatalogue.builtIn())));

  private Presets() {}

  /**
   * A preset in the registry.
   *
   * @param card what it is
   * @param data format of the outside data that it needs; empty where it needs none
   * @param maker makes it
   */
  public record Entry(Card card, String data, Maker maker) {}

  /** Makes a preset of its inputs. */
  @FunctionalInterface
  public interface Maker {
    /**
     * The preset.
     *
     * @throws InputException where outside data are absent or not of their format
     */
    Preset of(Inputs inputs);
  }

  /** What presets are made of. */
  public interface Inputs {
    /** Measured pairs of a format. */
    PairWorld pairs(String format);

    /** The product's decision. */
    SharingDecider decider();
  }

  /** All of them, in the order in which documents name them. */
  public static List<Entry> all() {
    return ALL;
  }

  /**
   * The entry of a name.
   *
   * @throws InputException ({@code unknown-preset}) with the known names
   */
  public static Entry named(String name) {
    return ALL.stream()
        .filter(entry -> entry.card().name().equals(name))
        .findFirst()
        .orElseThrow(() ->
            InputException.invalidArgument(
                "unknown-preset",
                "Unknown preset '"
                    + name
                    + "': use all or one of "
                    + String.join(", ", ALL.stream().map(entry -> entry.card().name()).toList())
                    + "."));
  }
}
