package dev.cotenant.evaluation;

import dev.cotenant.domain.evaluation.EvaluationRow.Subject;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What papers and simple reference models reached, measured once outside this project. */
@FunctionalInterface
public interface References {
  /** No reference for any figure. */
  References NONE = subject -> null;

  /**
   * Every reference there is.
   *
   * <ul>
   *   <li>utilization, memory: on GPUMemNet, a physical model of six parameters, corrected by trees
   *       where train and test are alike; 0.46 is the median error of PyTorch's FakeTensor on the
   *       same jobs, as CARMA's table states
   *   <li>utilization utilpred-81/…/table3: [UtilPred, Table 3], on one split
   *   <li>interference: figures of [iGniter], [gpu-lets] and [Lucid], and of simple models
   *   <li>forecast: window maximum and 80th percentile times a table by plateau length, with
   *       windows of 30 and 60 samples
   * </ul>
   */
  References PUBLISHED = Table.FIGURES::get;

  /** The reference of a figure; null where there is none. */
  @Nullable Double find(Subject subject);

  /** The figures: task, protocol, model, metric, value. */
  final class Table {
    private static final Map<Subject, Double> FIGURES =
        """
        utilization random-5fold/clean hybrid rmsle 0.042
        utilization random-5fold/all hybrid rmsle 0.077
        utilization utilpred-81/clean hybrid rmsle 0.091
        utilization utilpred-81/all hybrid rmsle 0.102
        utilization topology-out/clean hybrid rmsle 0.061
        utilization mlp-to-cnn/clean hybrid rmsle 0.156
        utilization mlp-to-cnn/all hybrid rmsle 0.15
        utilization mlp-to-cnn-10shot/clean hybrid rmsle 0.143
        utilization cnn-to-mlp/clean hybrid rmsle 0.204
        utilization cnn-to-mlp/all hybrid rmsle 0.237
        utilization cnn-to-mlp-10shot/clean hybrid rmsle 0.187
        utilization utilpred-81/clean/table3 linear rmsle 0.291
        utilization utilpred-81/clean/table3 lightgbm rmsle 0.255
        utilization utilpred-81/clean/table3 xgboost rmsle 0.197
        utilization utilpred-81/clean/table3 forest rmsle 0.154
        utilization utilpred-81/all/table3 linear rmsle 0.291
        utilization utilpred-81/all/table3 lightgbm rmsle 0.255
        utilization utilpred-81/all/table3 xgboost rmsle 0.197
        utilization utilpred-81/all/table3 forest rmsle 0.154
        memory origin-out/clean hybrid median_ape/carma 0.46
        memory origin-out/all hybrid median_ape/carma 0.46
        memory named-out/clean hybrid median_ape 0.46
        memory named-out/clean hybrid median_ape/carma 0.46
        memory named-out-5known/clean hybrid median_ape 0.46
        memory named-out-5known/clean hybrid median_ape/carma 0.46
        memory random-5fold/clean hybrid rmsle/mlp 0.011
        memory random-5fold/clean hybrid rmsle/cnn 0.231
        interference solo-16 igniter-published mape 2.65
        interference solo-16 igniter-log-fit mape 2.13
        interference solo-16 solo-surface mape 1.21
        interference no-pairs igniter-published mape 3.66
        interference no-pairs no-interference mape 8.69
        interference calibrated-24 calibrated mape 2.57
        interference model-out calibrated mape 3.4
        interference model-out-6pairs calibrated mape 2.89
        interference model-out-9pairs calibrated mape 2.68
        interference random-70-30 gpu-lets mape 2.83
        interference random-70-30 gpu-lets p90_ape 10.26
        interference random-70-30 gpu-lets p95_ape 13.98
        interference check gpu-lets factor 1.1408
        interference lucid-model-out constant mae 0.098
        interference lucid-model-out-own constant mae 0.101
        interference lucid-model-out summed-utilization mae 0.075
        interference lucid-model-out-own summed-utilization mae 0.077
        interference lucid-model-out training-pairs mae 0.067
        interference lucid-model-out-own training-pairs mae 0.074
        interference lucid-random-5fold training-pairs mae 0.0445
        forecast pod-out peak-bound mae_mib 1264
        forecast pod-out peak-bound coverage 0.95
        forecast pod-out peak-bound headroom_mib 3894
        forecast pod-out peak-bound restart_coverage 0.90
        forecast pod-out peak-bound/W=60 mae_mib 1259
        forecast pod-out peak-bound/W=60 coverage 0.955
        forecast pod-out peak-bound/W=60 headroom_mib 4248
        forecast pod-out peak-bound/W=60 restart_coverage 0.87
        """
            .lines()
            .map(line -> line.split(" ", -1))
            .collect(
                Collectors.toUnmodifiableMap(
                    cells -> new Subject(cells[0], cells[1], cells[2], cells[3]),
                    cells -> Double.valueOf(cells[4])));

    private Table() {}
  }
}
