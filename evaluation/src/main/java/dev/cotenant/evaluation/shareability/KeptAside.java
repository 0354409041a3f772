package dev.cotenant.evaluation.shareability;

import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.evaluation.EvaluationRow;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.profile.ProfileSource;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.evaluation.Figures;
import dev.cotenant.evaluation.References;
import dev.cotenant.predictor.Predictor;
import dev.cotenant.predictor.hybrid.HybridTrainer;
import dev.cotenant.predictor.model.PredictionRequest;
import dev.cotenant.predictor.train.Folds;
import dev.cotenant.predictor.train.TrainingProgress;
import dev.cotenant.predictor.train.TrainingSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * How often the bounds that decide about sharing hold: each family of named networks is predicted
 * by a training without its rows, in the sets learned from and in those kept aside.
 */
public final class KeptAside {
  private static final String PROTOCOL = "family-kept-aside";
  private final DeviceCatalogue catalogue;
  private final TrainingSettings settings;

  public KeptAside(DeviceCatalogue catalogue, TrainingSettings settings) {
    this.catalogue = catalogue;
    this.settings = settings;
  }

  /**
   * Whether bounds held.
   *
   * @param memory empty where the row judges no memory
   */
  private record Judged(String set, boolean utilization, Optional<Boolean> memory) {}

  /**
   * The figures by set and of all together.
   *
   * @param learned sets to train on; random networks among them stay in every training
   * @param aside sets that no training sees
   * @param progress hears of each family
   */
  public List<EvaluationRow> evaluate(
      List<ProfileSource.Result> learned, List<ProfileRow> aside, TrainingProgress progress) {
    Map<String, List<ProfileRow>> families = new TreeMap<>();
    learned.forEach(
        set -> set.rows().stream().filter(KeptAside::isNamed).forEach(row -> put(families, row)));
    aside.forEach(row -> put(families, row));
    List<Judged> judged = new ArrayList<>();
    int done = 0;
    for (Map.Entry<String, List<ProfileRow>> family : families.entrySet()) {
      Predictor predictor = trained(learned, family.getKey());
      family.getValue().forEach(row -> judged.add(judge(predictor, row)));
      progress.advanced(family.getKey(), ++done, families.size());
    }
    return figures(judged);
  }

  private static boolean isNamed(ProfileRow row) {
    return !row.source().startsWith("gpumemnet");
  }

  private static void put(Map<String, List<ProfileRow>> families, ProfileRow row) {
    if (row.settings().mode() == ExecutionMode.TRAINING
        && row.quality() == ProfileRow.Quality.CLEAN
        && row.utilization() != null
        && row.peakMemory() != null) {
      families.computeIfAbsent(row.family(), _ -> new ArrayList<>()).add(row);
    }
  }

  private Predictor trained(List<ProfileSource.Result> learned, String without) {
    List<ProfileSource.Result> rest =
        learned.stream()
            .map(set ->
                new ProfileSource.Result(
                    set.rows().stream().filter(row -> !row.family().equals(without)).toList(),
                    set.rejected(),
                    set.sha256(),
                    set.file()))
            .toList();
    return Predictor.of(
        new HybridTrainer(catalogue, settings).train(rest, TrainingProgress.SILENT));
  }

  private Judged judge(Predictor predictor, ProfileRow row) {
    Prediction prediction =
        predictor.predict(
            PredictionRequest.of(
                    row.features(), row.settings(), catalogue.require(row.device().value()))
                .at(Coverage.STANDARD));
    Utilization busy = row.utilization();
    MemorySize peak = row.peakMemory();
    return new Judged(
        Folds.origin(row) + "/" + row.device(),
        busy != null && busy.compareTo(prediction.utilization().upper()) <= 0,
        row.judgesMemory()
            ? Optional.of(peak != null && peak.isAtMost(prediction.peakMemory().upper()))
            : Optional.empty());
  }

  private static List<EvaluationRow> figures(List<Judged> judged) {
    Figures figures = new Figures(Shareability.TASK, References.NONE);
    if (!judged.isEmpty()) {
      add(figures.under(PROTOCOL), judged, "");
    }
    Map<String, List<Judged>> sets = new TreeMap<>();
    judged.forEach(one -> sets.computeIfAbsent(one.set(), _ -> new ArrayList<>()).add(one));
    sets.forEach((set, some) -> add(figures.under(PROTOCOL), some, "/" + set));
    return figures.rows();
  }

  private static void add(Figures.Sheet figures, List<Judged> judged, String suffix) {
    int rows = judged.size();
    double utilization = judged.stream().filter(Judged::utilization).count();
    List<Boolean> memory = judged.stream().map(Judged::memory).flatMap(Optional::stream).toList();
    double held = memory.stream().filter(holds -> holds).count();
    figures.add("hybrid", "bound_coverage/utilization" + suffix, utilization / rows, rows);
    if (!memory.isEmpty()) {
      figures.add("hybrid", "bound_coverage/memory" + suffix, held / memory.size(), memory.size());
    }
  }
}
