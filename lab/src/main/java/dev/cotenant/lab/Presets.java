package dev.cotenant.lab;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.colocation.TrainingPair;
import dev.cotenant.domain.colocation.UtilizationCell;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.evaluation.EvaluationRow;
import dev.cotenant.lab.figure.Preset;
import dev.cotenant.lab.figure.Preset.Card;
import dev.cotenant.lab.inss.ChangingRates;
import dev.cotenant.lab.inss.InssServing;
import dev.cotenant.lab.pairs.MeasuredPairs;
import dev.cotenant.lab.pairs.PairWorld;
import dev.cotenant.lab.serving.GpuLetsFluctuation;
import dev.cotenant.lab.serving.GpuLetsInterference;
import dev.cotenant.lab.serving.GpuLetsScenarios;
import dev.cotenant.lab.serving.GpuLetsThroughput;
import dev.cotenant.lab.serving.IgniterMargin;
import dev.cotenant.lab.serving.IgniterOverTime;
import dev.cotenant.lab.serving.IgniterPlanningCost;
import dev.cotenant.lab.serving.IgniterPlans;
import dev.cotenant.lab.training.LucidDurations;
import dev.cotenant.lab.training.LucidLearning;
import dev.cotenant.lab.training.LucidRisk;
import dev.cotenant.lab.training.ResAwareFigures;
import dev.cotenant.lab.training.UtilPredFigure5a;
import dev.cotenant.lab.training.UtilPredTable3;
import dev.cotenant.lab.training.UtilPredTable4;
import dev.cotenant.placement.SharingDecider;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.stream.Stream;

/** All presets by name. New presets are added to this list. */
public final class Presets {
  private static final List<Entry> ALL =
      List.of(
          new Entry(
              UtilPredTable3.CARD,
              "gpumemnet",
              inputs -> new UtilPredTable3(inputs.utilizationErrors("gpumemnet"))),
          new Entry(
              UtilPredFigure5a.CARD,
              "lucid-pairs, gavel-pairs",
              inputs -> new UtilPredFigure5a(sets(inputs, "lucid-pairs", "gavel-pairs"))),
          new Entry(
              UtilPredTable4.CARD,
              "lucid-pairs",
              inputs -> new UtilPredTable4(inputs.pairs("lucid-pairs"), inputs.decider())),
          new Entry(
              LucidDurations.CARD,
              "lucid-pairs, gavel-pairs",
              inputs ->
                  new LucidDurations(
                      inputs.pairs("lucid-pairs"),
                      inputs.measuredPairs("gavel-pairs").stream().map(PairWorld::new).toList(),
                      inputs.decider())),
          new Entry(
              LucidRisk.CARD,
              "lucid-pairs",
              inputs -> new LucidRisk(inputs.trainingPairs("lucid-pairs"))),
          new Entry(
              LucidLearning.CARD,
              "lucid-pairs, gavel-pairs",
              inputs ->
                  new LucidLearning(
                      inputs.trainingPairs("lucid-pairs"),
                      inputs.measuredPairs("gavel-pairs").stream().map(PairWorld::new).toList())),
          new Entry(
              ResAwareFigures.CARD,
              "",
              inputs -> new ResAwareFigures(inputs.decider(), DeviceCatalogue.builtIn())),
          new Entry(IgniterPlans.CARD, "", _ -> new IgniterPlans()),
          new Entry(IgniterOverTime.CARD, "", _ -> new IgniterOverTime()),
          new Entry(IgniterPlanningCost.CARD, "", _ -> new IgniterPlanningCost()),
          new Entry(IgniterMargin.CARD, "", _ -> new IgniterMargin()),
          new Entry(
              GpuLetsFluctuation.CARD,
              "glet",
              inputs -> new GpuLetsFluctuation(inputs.utilizations("glet"))),
          new Entry(
              GpuLetsThroughput.CARD,
              "glet",
              inputs -> new GpuLetsThroughput(inputs.utilizations("glet"))),
          new Entry(
              GpuLetsScenarios.CARD,
              "glet",
              inputs -> new GpuLetsScenarios(inputs.utilizations("glet"))),
          new Entry(
              GpuLetsInterference.CARD,
              "igniter-solo, igniter-pairs",
              inputs -> new GpuLetsInterference(inputs::factorErrors)),
          new Entry(InssServing.CARD, "", _ -> new InssServing()),
          new Entry(
              ChangingRates.CARD,
              "alibaba-genai",
              inputs -> new ChangingRates(inputs.recordedLoads("alibaba-genai"))));

  private Presets() {}

  private static SequencedMap<String, List<MeasuredPairs>> sets(Inputs inputs, String... formats) {
    SequencedMap<String, List<MeasuredPairs>> sets = new LinkedHashMap<>();
    for (String format : formats) {
      sets.put(format, inputs.measuredPairs(format));
    }
    return sets;
  }

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

    /** Measured pairs of a format by device. */
    List<MeasuredPairs> measuredPairs(String format);

    /** Measured rows of a format. */
    List<TrainingPair> trainingPairs(String format);

    /** Errors of learners of utilization on measured runs of a format. */
    UtilPredTable3.Errors utilizationErrors(String format);

    /**
     * Errors of gpu-lets' interference factor on measured pairs of iGniter.
     *
     * @param draws of the pairs to learn from, at least 1
     */
    List<EvaluationRow> factorErrors(int draws);

    /** Measured utilizations of a format. */
    List<UtilizationCell> utilizations(String format);

    /** Recorded duty cycles of serving pods, in the order of time. */
    List<List<Double>> recordedLoads(String format);

    /** The product's decision. */
    SharingDecider decider();
  }

  /** All presets in the order of the documents. */
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
            InputException.unknown(
                "preset",
                name,
                Stream.concat(Stream.of("all"), ALL.stream().map(entry -> entry.card().name()))
                    .toList()));
  }
}
