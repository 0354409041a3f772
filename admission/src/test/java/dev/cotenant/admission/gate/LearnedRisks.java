package dev.cotenant.admission.gate;

import dev.cotenant.domain.decision.RiskLimit;
import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.WorkloadPredictor.Outcome.Predicted;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.domain.workload.Workload;
import dev.cotenant.interference.risk.GraphJob;
import dev.cotenant.interference.risk.RiskModel;
import dev.cotenant.interference.risk.RiskModels;
import dev.cotenant.interference.risk.RiskPrior;
import dev.cotenant.interference.risk.SharedJob;
import dev.cotenant.interference.risk.SpeedMeasurement;
import dev.cotenant.interference.risk.VictimColocation;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * Risks of the pods of an interleaving, of which more and more is learned: vgg19 gets on badly
 * beside densenet121, others get on.
 */
final class LearnedRisks implements RiskModels {
  /** The mean of a utilization that a leader reads from a pod is rounded down to a tenth. */
  static final double ROUNDING = 0.01;

  private static final Device A100 = DeviceCatalogue.builtIn().require("a100-40gb");
  private static final List<String> NAMES = List.of("resnet50", "vgg19", "densenet121");
  private static final int LAST = 8;

  /** By how much is learned; nothing at first. Shared by all interleavings, never written to. */
  private static final List<RiskModel> STAGES =
      IntStream.rangeClosed(0, LAST).mapToObj(LearnedRisks::after).toList();

  private final List<Stage> stages = new ArrayList<>();

  private record Stage(Instant since, RiskModel model) {}

  LearnedRisks(Instant now) {
    stages.add(new Stage(now, STAGES.getFirst()));
  }

  private static final RiskLimit.Exploration TRIALS = new RiskLimit.Exploration(0.5, 0.6);

  /**
   * In every third world a budget binds always, in every sixth once learned; in half of either
   * there are trials beyond it.
   */
  static RiskLimit limit(int seed) {
    return switch (seed % 12) {
      case 0, 6 -> new RiskLimit(0.1, RiskLimit.Rule.ALWAYS, TRIALS);
      case 3, 9 -> new RiskLimit(0.3, RiskLimit.Rule.ALWAYS);
      case 1 -> new RiskLimit(0.1, RiskLimit.Rule.LEARNED, TRIALS);
      case 7 -> new RiskLimit(0.1, RiskLimit.Rule.LEARNED);
      default -> RiskLimit.NONE;
    };
  }

  /** More is learned, until all is. */
  void learn(Instant now) {
    if (stages.size() < STAGES.size()) {
      stages.add(new Stage(now, STAGES.get(stages.size())));
    }
  }

  @Override
  public RiskModel of(String namespace) {
    return stages.getLast().model;
  }

  @Override
  public Object state() {
    return stages.getLast();
  }

  /**
   * The risk by what was known then, as far as a budget of this rule binds; the least, where more
   * was learned at that instant.
   */
  double risk(Instant then, VictimColocation colocation, double limit, RiskLimit.Rule rule) {
    double least = 1;
    for (int i = 0; i < stages.size(); i++) {
      boolean isPast = i + 1 < stages.size() && stages.get(i + 1).since.isBefore(then);
      if (!isPast && !stages.get(i).since.isAfter(then)) {
        least = Math.min(least, risk(stages.get(i).model, colocation, limit, rule));
      }
    }
    return least;
  }

  /** Once learned, a victim of which nothing was measured has none, and so have aggressors. */
  private static double risk(
      RiskModel model, VictimColocation colocation, double limit, RiskLimit.Rule rule) {
    if (rule == RiskLimit.Rule.ALWAYS) {
      return model.risk(colocation, limit);
    }
    List<SharedJob> known =
        colocation.aggressors().stream()
            .filter(one -> model.knowsAggressor(colocation.device(), one))
            .toList();
    return known.isEmpty() || !model.knowsVictim(colocation.device(), colocation.victim())
        ? 0
        : model.risk(new VictimColocation(colocation.device(), colocation.victim(), known), limit);
  }

  static SharedJob job(Prediction prediction) {
    return GraphJob.of(
        prediction.run().orElseThrow(), A100, prediction.utilization().mean().percent());
  }

  static SharedJob job(String model, int batch) {
    Workload workload = new Workload(model, batch, RunSettings.DEFAULT);
    Predicted predicted =
        (Predicted) World.HUNGRY.predict(workload, Set.of(A100.id()), Coverage.STANDARD);
    return job(Objects.requireNonNull(predicted.byDevice().get(A100.id())));
  }

  private static RiskModel after(int stage) {
    RiskModel model = new RiskModel(RiskPrior.STATED);
    for (int batch = 1; batch <= 9 * stage - 8; batch += 9) {
      for (String victim : NAMES) {
        for (String aggressor : NAMES) {
          boolean isBad = victim.equals("vgg19") && aggressor.equals("densenet121");
          VictimColocation colocation =
              new VictimColocation(
                  A100.id().value(), job(victim, batch), List.of(job(aggressor, 65 - batch)));
          model.learn(new SpeedMeasurement(colocation, isBad ? 0.6 : 1, 0.03));
        }
      }
    }
    return model;
  }
}
