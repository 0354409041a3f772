package dev.cotenant.datasets.named;

import dev.cotenant.datasets.file.UnusableRowException;
import dev.cotenant.domain.colocation.TrainingPair;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.profile.Licence;
import dev.cotenant.domain.profile.Measurement;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.workload.Precision;
import dev.cotenant.zoo.layers.InputShape;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The graphs of jobs that were measured in pairs, built by the zoo from what their names say. */
public final class PairedJobs {
  private static final Pattern LUCID = Pattern.compile("(\\S+) b([1-9][0-9]{0,8}) amp([01])");
  private static final Pattern GAVEL = Pattern.compile("\\(batch size ([1-9][0-9]{0,8})\\)");

  /**
   * What Gavel's names stand for (stanford-futuredata/gavel, {@code workloads/pytorch}): ResNet-18
   * learns CIFAR-10, ResNet-50 ImageNet, the language model Wikitext-2, the Transformer Multi30k.
   * Of CycleGAN, the recommender (an autoencoder) and A3C the zoo has no graph.
   */
  private static final Map<String, NamedModel> GAVEL_NAMES =
      Map.of(
          "ResNet-18", NamedModel.trained("resnet18_cifar", "resnet", NamedModel.CIFAR),
          "ResNet-50", NamedModel.trained("resnet50", "resnet", NamedModel.IMAGENET),
          "LM", NamedModel.trained("lstm_wikitext2", "lstm", new InputShape.Tokens(35)),
          "Transformer",
              NamedModel.trained("transformer_multi30k", "transformer", new InputShape.Tokens(32)));

  private final NamedRuns runs = new NamedRuns();
  private final Licence licence;
  private final Function<TrainingPair.Job, Optional<Run>> reading;

  private record Run(NamedModel model, int batch, Precision precision) {}

  private PairedJobs(Licence licence, Function<TrainingPair.Job, Optional<Run>> reading) {
    this.licence = licence;
    this.reading = reading;
  }

  /** Jobs of the set {@code lucid-pairs}. */
  public static PairedJobs ofLucid() {
    return new PairedJobs(Licence.S_LAB_1, PairedJobs::lucid);
  }

  /** Jobs of the set {@code gavel-pairs}. */
  public static PairedJobs ofGavel() {
    return new PairedJobs(Licence.UNKNOWN, PairedJobs::gavel);
  }

  /** Jobs of which no graph is known. */
  public static PairedJobs withoutGraphs() {
    return new PairedJobs(Licence.UNKNOWN, _ -> Optional.empty());
  }

  private static Optional<Run> lucid(TrainingPair.Job job) {
    Matcher parts = LUCID.matcher(job.configuration());
    return parts.matches()
        ? Optional.of(
            new Run(
                LucidNames.of(job.model(), parts.group(1)),
                Integer.parseInt(parts.group(2)),
                parts.group(3).equals("1") ? Precision.AMP : Precision.FP32))
        : Optional.empty();
  }

  private static Optional<Run> gavel(TrainingPair.Job job) {
    Matcher parts = GAVEL.matcher(job.configuration());
    NamedModel model = GAVEL_NAMES.get(job.model());
    return parts.matches() && model != null
        ? Optional.of(new Run(model, Integer.parseInt(parts.group(1)), Precision.FP32))
        : Optional.empty();
  }

  /** The job's graph at its batch, as a profile without measurements; empty where there is none. */
  public Optional<ProfileRow> profile(TrainingPair.Job job, DeviceId device) {
    return reading.apply(job).flatMap(run -> profile(job, run, device));
  }

  private Optional<ProfileRow> profile(TrainingPair.Job job, Run run, DeviceId device) {
    try {
      return Optional.of(
          runs.profile(
              run.model(),
              new NamedRuns.Run(job.name(), run.batch(), run.precision(), device, licence),
              Measurement.NONE));
    } catch (UnusableRowException _) {
      return Optional.empty(); // the name leaves open what was measured
    }
  }
}
