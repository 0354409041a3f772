package dev.cotenant.lab;

import dev.cotenant.datasets.colocation.GavelPairsSource;
import dev.cotenant.datasets.colocation.GpuLetsSource;
import dev.cotenant.datasets.colocation.IgniterPairsSource;
import dev.cotenant.datasets.colocation.IgniterSoloSource;
import dev.cotenant.datasets.colocation.LucidPairsSource;
import dev.cotenant.datasets.gpumemnet.GpuMemNetSource;
import dev.cotenant.datasets.named.PairedJobs;
import dev.cotenant.datasets.series.AlibabaGenAiSource;
import dev.cotenant.domain.colocation.ColocationRows;
import dev.cotenant.domain.colocation.TrainingPair;
import dev.cotenant.domain.colocation.UtilizationCell;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.evaluation.EvaluationRow;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.testing.OutsideData;
import dev.cotenant.evaluation.compare.Table3;
import dev.cotenant.evaluation.interference.InterferenceEvaluation;
import dev.cotenant.evaluation.predictor.HybridUtilization;
import dev.cotenant.interference.FallbackInterferenceModel;
import dev.cotenant.lab.figure.Cell;
import dev.cotenant.lab.pairs.MeasuredPairs;
import dev.cotenant.lab.pairs.PairSets;
import dev.cotenant.lab.pairs.PairWorld;
import dev.cotenant.lab.training.UtilPredTable3;
import dev.cotenant.placement.SharingDecider;
import dev.cotenant.predictor.Predictor;
import dev.cotenant.predictor.train.TrainingProgress;
import java.util.List;

/** Inputs of presets from the outside data of tests. */
public final class TestInputs implements Presets.Inputs {
  private final SharingDecider decider = new SharingDecider(FallbackInterferenceModel.builtIn());

  @Override
  public PairWorld pairs(String format) {
    return new PairWorld(measuredPairs(format).getFirst());
  }

  @Override
  public List<MeasuredPairs> measuredPairs(String format) {
    PairSets sets = new PairSets(DeviceCatalogue.builtIn(), Predictor.builtIn());
    return switch (format) {
      case "lucid-pairs" ->
          sets.ofShipped(
              new LucidPairsSource(OutsideData.require("data/lucid")).read(), PairedJobs.ofLucid());
      case "gavel-pairs" ->
          sets.ofShipped(
              new GavelPairsSource(OutsideData.require("data/gavel/pair_throughput.csv")).read(),
              PairedJobs.ofGavel());
      default -> throw new IllegalArgumentException(format);
    };
  }

  @Override
  public List<TrainingPair> trainingPairs(String format) {
    return switch (format) {
      case "lucid-pairs" ->
          new LucidPairsSource(OutsideData.require("data/lucid")).read().training();
      default -> throw new IllegalArgumentException(format);
    };
  }

  @Override
  public UtilPredTable3.Errors utilizationErrors(String format) {
    DeviceCatalogue devices = DeviceCatalogue.builtIn();
    List<ProfileRow> rows =
        new GpuMemNetSource(OutsideData.require("data/gpumemnet/runs.csv.gz")).read().rows();
    return (draws, progress) ->
        new Table3(devices, 1, progress)
            .run(rows, draws, List.of(new HybridUtilization(devices)), TrainingProgress.SILENT);
  }

  @Override
  public List<EvaluationRow> factorErrors(int draws) {
    ColocationRows rows =
        new IgniterSoloSource(OutsideData.require("data/igniter/v100_solo_latency.csv"))
            .read()
            .plus(
                new IgniterPairsSource(OutsideData.require("data/igniter/v100_pair_latency.csv"))
                    .read());
    return new InterferenceEvaluation().linearFactor(rows, draws);
  }

  @Override
  public List<UtilizationCell> utilizations(String format) {
    return new GpuLetsSource(OutsideData.require("data/glet/2080ti")).read().cells();
  }

  @Override
  public List<List<Double>> recordedLoads(String format) {
    return new AlibabaGenAiSource(OutsideData.require("data/alibaba/genai-v2026")).dutyCycles();
  }

  @Override
  public SharingDecider decider() {
    return decider;
  }

  /** Our mean in the cell of a policy and metric. */
  public static double figure(List<Cell> cells, String policy, String metric) {
    return cells.stream()
        .filter(cell -> cell.policy().equals(policy) && cell.metric().equals(metric))
        .findFirst()
        .orElseThrow()
        .ours()
        .mean();
  }
}
