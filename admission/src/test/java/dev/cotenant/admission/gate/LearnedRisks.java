package dev.cotenant.admission.gate;

import dev.cotenant.domain.decision.RiskLimit;
import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.WorkloadPredictor.Outcome.Predicted;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.domain.workload.Workload;
import dev.cotenant.interference.risk.GraphJob;
import dev.cotenant.interference.risk.RiskModel;
import dev.cotenant.interference.risk.RiskModels;
import dev.cotenant.interference.risk.RiskPrior;
import dev.cotenant.interference.risk.SharedJob;
import dev.cotenant.interference.risk.Sharing;
import dev.cotenant.interference.risk.SpeedMeasurement;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/** Risks of the pods of interleavings: vgg19 gets on badly beside densenet121, others get on. */
final class LearnedRisks {
  /** The mean of a utilization that a leader reads from a pod is rounded down to a tenth. */
  static final double ROUNDING = 0.01;

  private static final Device A100 = DeviceCatalogue.builtIn().require("a100-40gb");

  /** The same for every namespace. */
  static final RiskModels ALL = models();

  private LearnedRisks() {}

  /** In every third world a budget binds always. */
  static RiskLimit limit(int seed) {
    return seed % 3 == 0 ? new RiskLimit(0.3, RiskLimit.Rule.ALWAYS) : RiskLimit.NONE;
  }

  static SharedJob job(Prediction prediction) {
    return GraphJob.of(
        prediction.run().orElseThrow(), A100, prediction.utilization().mean().percent());
  }

  static SharedJob job(String model, int batch) {
    Workload workload = new Workload(model, batch, RunSettings.DEFAULT);
    Predicted predicted = (Predicted) World.HUNGRY.predict(workload, Set.of(A100.id()));
    return job(Objects.requireNonNull(predicted.byDevice().get(A100.id())));
  }

  private static RiskModels models() {
    RiskModel model = new RiskModel(RiskPrior.STATED);
    List<String> names = List.of("resnet50", "vgg19", "densenet121");
    for (int batch = 1; batch <= 64; batch += 9) {
      for (String victim : names) {
        for (String aggressor : names) {
          boolean isBad = victim.equals("vgg19") && aggressor.equals("densenet121");
          Sharing sharing =
              new Sharing(
                  A100.id().value(), job(victim, batch), List.of(job(aggressor, 65 - batch)));
          model.learn(new SpeedMeasurement(sharing, isBad ? 0.6 : 1, 0.03));
        }
      }
    }
    return _ -> model;
  }
}
