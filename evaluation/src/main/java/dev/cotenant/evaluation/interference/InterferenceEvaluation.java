package dev.cotenant.evaluation.interference;

import dev.cotenant.domain.colocation.ColocationRows;
import dev.cotenant.domain.colocation.ProfilingRuns;
import dev.cotenant.domain.colocation.UtilizationCell;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.evaluation.EvaluationRow;
import dev.cotenant.domain.graph.GraphFeatures;
import dev.cotenant.evaluation.Figures;
import dev.cotenant.evaluation.References;
import dev.cotenant.interference.fit.IgniterCoefficients;
import dev.cotenant.interference.partition.UtilizationFactor;
import dev.cotenant.interference.profile.DeviceProfile;
import dev.cotenant.interference.profile.ProfileBook;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The standing tables of interference, beside baselines and reference figures.
 *
 * <p>What is learned is learned again in each protocol from the rows that it shows.
 */
public final class InterferenceEvaluation {
  private static final String V100 = "v100-16gb";
  private static final int CALIBRATION_SEEDS = 20;
  private static final String REFIT = "igniter-refit";
  private static final int SEEDS = 5;
  private static final int CALIBRATION_PAIRS = 24;
  private static final int FEW_PAIRS = 6;
  private static final int MORE_PAIRS = 9;

  private final ProfileBook book = ProfileBook.builtIn();
  private final DeviceProfile device = book.requireDevice(V100);

  /**
   * Every table that the rows and graphs allow.
   *
   * @param graphs by the model names of the solo runs; models without a graph are left out of the
   *     cold-start tables
   */
  public List<EvaluationRow> evaluate(ColocationRows rows, Map<String, GraphFeatures> graphs) {
    Figures figures = new Figures("interference", References.PUBLISHED);
    Profiles profiles = new Profiles(book, rows.solo());
    new SoloEvaluation(profiles, device).addTo(figures, "solo-16", rows.solo(), rows.solo());
    new ColdEvaluation(rows.solo(), graphs, DeviceCatalogue.builtIn().require(V100)).addTo(figures);
    PairEvaluation pairs = new PairEvaluation(profiles, device, rows.pairs());
    if (pairs.size() > 0) {
      pairs.addWithoutPairs(figures, "no-pairs");
      rows.profiling().forEach(runs -> addRefit(figures, rows, runs));
      pairs.addCalibrated(figures, CALIBRATION_PAIRS, CALIBRATION_SEEDS);
      pairs.addModelOut(figures, 0, 1);
      pairs.addModelOut(figures, FEW_PAIRS, SEEDS);
      pairs.addModelOut(figures, MORE_PAIRS, SEEDS);
      pairs.addBatchOut(figures, CALIBRATION_PAIRS, SEEDS);
      pairs.addLinear(figures, CALIBRATION_SEEDS);
    }
    check(rows.cells(), figures);
    QueueEvaluation.addTo(figures, SEEDS);
    TrainingEvaluation training = new TrainingEvaluation(rows.training());
    training.addModelOut(figures);
    training.addRandom(figures, SEEDS);
    training.addShipped(figures);
    TrainingEvaluation.addPairOut(figures, rows.training());
    return figures.rows();
  }

  /**
   * iGniter with coefficients of our own from its profiling runs, and as a bound the worst that a
   * workload suffered there beside a copy of itself.
   */
  private static void addRefit(Figures figures, ColocationRows rows, ProfilingRuns runs) {
    ProfileBook refit = IgniterCoefficients.of(runs);
    DeviceProfile device = refit.requireDevice(runs.device());
    Profiles profiles = new Profiles(refit, rows.solo());
    PairEvaluation pairs = new PairEvaluation(profiles, device, rows.pairs());
    new SoloEvaluation(profiles, device).addIgniter(figures, "solo-9", REFIT, rows.solo());
    pairs.addIgniter(figures, "no-pairs", REFIT);
    runs.workloads().stream()
        .mapToDouble(workload -> workload.beside().growth())
        .max()
        .ifPresent(worst ->
            pairs.addConstantBound(figures, "no-pairs", "constant-of-profiling-runs", worst));
  }

  /**
   * gpu-lets' linear factor alone, fitted to 70 % of the pairs and judged by the rest; protocol
   * {@code random-70-30}.
   *
   * @param seeds how many draws, at least 1
   */
  public List<EvaluationRow> linearFactor(ColocationRows rows, int seeds) {
    Figures figures = new Figures("interference", References.PUBLISHED);
    Profiles profiles = new Profiles(book, rows.solo());
    new PairEvaluation(profiles, device, rows.pairs()).addLinear(figures, seeds);
    return figures.rows();
  }

  /**
   * What is learned from one set, tested on another; protocol {@code given-test}.
   *
   * @param train solo runs (sixteen points are taken), pairs and training pairs; may be empty
   * @param test rows to judge by
   */
  public List<EvaluationRow> evaluate(ColocationRows train, ColocationRows test) {
    Figures figures = new Figures("interference", References.PUBLISHED);
    ColocationRows solo = train.solo().isEmpty() ? test : train;
    Profiles profiles = new Profiles(book, solo.solo());
    new SoloEvaluation(profiles, device).addTo(figures, "given-test", solo.solo(), test.solo());
    PairEvaluation pairs = new PairEvaluation(profiles, device, test.pairs());
    if (pairs.size() > 0) {
      pairs.addWithoutPairs(figures, "given-test");
      PairEvaluation learned = new PairEvaluation(profiles, device, train.pairs());
      if (learned.size() > 0) {
        learned.addGiven(figures, pairs);
      }
    }
    new TrainingEvaluation(train.training()).addGiven(figures, test.training());
    check(test.cells(), figures);
    return figures.rows();
  }

  /** gpu-lets' check: ResNet-50 beside VGG-16, both at batch 8 and 50 %, on a 2080 Ti. */
  private static void check(List<UtilizationCell> cells, Figures figures) {
    Optional<UtilizationFactor.Usage> own = half(cells, "resnet50");
    Optional<UtilizationFactor.Usage> other = half(cells, "vgg16");
    if (own.isPresent() && other.isPresent()) {
      double factor = UtilizationFactor.RTX_2080_TI.of(own.get(), other.get());
      figures.add("check", "gpu-lets", "factor", factor, 1);
    }
  }

  private static Optional<UtilizationFactor.Usage> half(List<UtilizationCell> cells, String model) {
    return cells.stream()
        .filter(c -> c.device().equals("2080ti") && c.model().equals(model) && c.batch() == 8)
        .findFirst()
        .map(c ->
            new UtilizationFactor.Usage(c.l2Percent() / 100, c.bandwidthPercent() / 100)
                .atShare(50));
  }
}
