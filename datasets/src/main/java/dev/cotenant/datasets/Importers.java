package dev.cotenant.datasets;

import dev.cotenant.datasets.cluster.AlibabaPodsSource;
import dev.cotenant.datasets.collector.CollectorPairsSource;
import dev.cotenant.datasets.collector.CollectorSeriesSource;
import dev.cotenant.datasets.collector.CollectorSource;
import dev.cotenant.datasets.collector.CollectorStepTimeSource;
import dev.cotenant.datasets.colocation.ColocationFile;
import dev.cotenant.datasets.colocation.GavelPairsSource;
import dev.cotenant.datasets.colocation.GpuLetsSource;
import dev.cotenant.datasets.colocation.IgniterConfigSource;
import dev.cotenant.datasets.colocation.IgniterPairsSource;
import dev.cotenant.datasets.colocation.IgniterSoloSource;
import dev.cotenant.datasets.colocation.LucidPairsSource;
import dev.cotenant.datasets.gpumemnet.GpuMemNetSource;
import dev.cotenant.datasets.llm.LanguageModelSource;
import dev.cotenant.datasets.named.AlnairSource;
import dev.cotenant.datasets.named.CarmaSource;
import dev.cotenant.datasets.named.GletMemorySource;
import dev.cotenant.datasets.named.LicenceScope;
import dev.cotenant.datasets.named.LucidSource;
import dev.cotenant.datasets.named.MisoSource;
import dev.cotenant.datasets.named.NamedModelsSource;
import dev.cotenant.datasets.named.PairedJobs;
import dev.cotenant.datasets.named.SpreadSource;
import dev.cotenant.datasets.planning.IgniterPlansSource;
import dev.cotenant.datasets.series.AlibabaGenAiSource;
import dev.cotenant.datasets.series.SpreadSeriesSource;
import dev.cotenant.datasets.steptime.IgniterStepTimeSource;
import dev.cotenant.datasets.steptime.NeuSightSource;
import dev.cotenant.datasets.steptime.ParvaGpuSource;
import dev.cotenant.datasets.steptime.StepTimeSource;
import dev.cotenant.datasets.steptime.TimmSource;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.forecast.SeriesSource;
import dev.cotenant.domain.profile.ProfileSource;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * All importers, by what their files hold. New importers are added to this list.
 *
 * @param <S> type of an opened set
 * @param importers in the order in which help texts and documents name them
 */
public record Importers<S>(List<Importer<S>> importers) {
  /** Measured runs of one workload alone. */
  public static final Importers<ProfileSource> RUNS =
      new Importers<>(
          List.of(
              Importer.of("alnair", AlnairSource::new),
              Importer.of("carma", CarmaSource::new),
              Importer.of(CollectorSource.FORMAT, CollectorSource::new),
              Importer.of(GletMemorySource.FORMAT, GletMemorySource::new),
              Importer.<ProfileSource>of("gpumemnet", GpuMemNetSource::new)
                  .publishedAs("gpumemnet/runs.csv.gz"),
              new Importer<>("lucid", "lucid", LucidSource::new),
              Importer.of(MisoSource.FORMAT, MisoSource::new),
              new Importer<>("named-models", "named-models", NamedModelsSource::new),
              Importer.of("spread", SpreadSource::new)));

  /** Measured colocations. */
  public static final Importers<ColocationFile> COLOCATIONS =
      new Importers<>(
          List.of(
              Importer.<ColocationFile>of("igniter-config", IgniterConfigSource::new)
                  .publishedAs("igniter/config.jsonl"),
              Importer.<ColocationFile>of("igniter-solo", IgniterSoloSource::new)
                  .publishedAs("igniter/v100_solo_latency.csv"),
              Importer.<ColocationFile>of("igniter-pairs", IgniterPairsSource::new)
                  .publishedAs("igniter/v100_pair_latency.csv"),
              Importer.<ColocationFile>of("glet", GpuLetsSource::new).publishedAs("glet/2080ti"),
              Importer.<ColocationFile>of("lucid-pairs", LucidPairsSource::new)
                  .publishedAs("lucid"),
              Importer.<ColocationFile>of("gavel-pairs", GavelPairsSource::new)
                  .publishedAs("gavel/pair_throughput.csv"),
              Importer.of(CollectorPairsSource.FORMAT, CollectorPairsSource::new)));

  /** Recorded used-memory series. */
  public static final Importers<SeriesSource> SERIES =
      new Importers<>(
          List.of(
              Importer.<SeriesSource>of(AlibabaGenAiSource.FORMAT, AlibabaGenAiSource::new)
                  .publishedAs("alibaba/genai-v2026"),
              Importer.<SeriesSource>of(SpreadSeriesSource.FORMAT, SpreadSeriesSource::new)
                  .publishedAs("spread"),
              Importer.of(CollectorSeriesSource.FORMAT, CollectorSeriesSource::new)));

  /** Recordings that decisions are replayed on. */
  public static final Importers<Supplier<Trace>> TRACES =
      new Importers<>(
          List.of(
              Importer.of(
                  "lucid-pairs",
                  path ->
                      () -> pairs("lucid-pairs", new LucidPairsSource(path), PairedJobs.ofLucid())),
              Importer.of(
                  "gavel-pairs",
                  path ->
                      () -> pairs("gavel-pairs", new GavelPairsSource(path), PairedJobs.ofGavel())),
              Importer.of(
                  AlibabaGenAiSource.FORMAT,
                  path ->
                      () -> {
                        AlibabaGenAiSource source = new AlibabaGenAiSource(path);
                        return new Trace.Series(source.read(), source.meanUtilizations(), Map.of());
                      }),
              Importer.of(
                  CollectorPairsSource.FORMAT,
                  path ->
                      () ->
                          pairs(
                              CollectorPairsSource.FORMAT,
                              new CollectorPairsSource(path),
                              PairedJobs.withoutGraphs())),
              Importer.of(
                  CollectorSeriesSource.FORMAT,
                  path ->
                      () -> {
                        CollectorSeriesSource source = new CollectorSeriesSource(path);
                        return new Trace.Series(
                            source.read(), source.meanUtilizations(), source.devices());
                      }),
              Importer.of(
                  AlibabaPodsSource.FORMAT,
                  path -> () -> new Trace.Cluster(new AlibabaPodsSource(path).read()))));

  /** Measured step times. */
  public static final Importers<StepTimeSource> STEP_TIMES =
      new Importers<>(
          List.of(
              Importer.<StepTimeSource>of("timm", TimmSource::new).publishedAs("timm"),
              Importer.<StepTimeSource>of("parvagpu", ParvaGpuSource::new)
                  .publishedAs("parvagpu/mig_mps_profile.csv"),
              Importer.<StepTimeSource>of("neusight", NeuSightSource::new)
                  .publishedAs("neusight/model_latency.csv"),
              Importer.<StepTimeSource>of(CollectorSource.FORMAT, CollectorStepTimeSource::new),
              Importer.<StepTimeSource>of("igniter", IgniterStepTimeSource::new)
                  .publishedAs("igniter/v100_solo_latency.csv")));

  /** Measured memory of language models. */
  public static final Importers<LanguageModelSource> LANGUAGE_MODELS =
      new Importers<>(List.of(Importer.of(LanguageModelSource.FORMAT, LanguageModelSource::new)));

  /** Sets of services to be planned. */
  public static final Importers<IgniterPlansSource> PLANS =
      new Importers<>(
          List.of(
              Importer.of("igniter-plans", IgniterPlansSource::new)
                  .publishedAs("igniter/plan_oracle_v100.json")));

  public Importers {
    importers = List.copyOf(importers);
  }

  private static Trace pairs(String format, ColocationFile file, PairedJobs graphs) {
    return new Trace.Pairs(format, file.read(), graphs);
  }

  /** The names of all formats. */
  public List<String> formats() {
    return importers.stream().map(Importer::format).toList();
  }

  /** Whether {@code FORMAT:PATH} names one of these formats. */
  public boolean reads(String set) {
    return formats().stream().anyMatch(format -> set.startsWith(format + ":"));
  }

  /** {@code FORMAT:PATH} of every published set that lies in a folder, in this order. */
  public List<String> publishedIn(Path folder) {
    return importers.stream()
        .filter(importer -> Files.exists(folder.resolve(importer.publishedAs())))
        .map(importer -> importer.format() + ":" + folder.resolve(importer.publishedAs()))
        .toList();
  }

  /**
   * The path of a format's published set below a folder of all, relative.
   *
   * @throws InputException ({@code unknown-format})
   */
  public String publishedAs(String format) {
    return importer(format).publishedAs();
  }

  /**
   * Opens {@code FORMAT:PATH} for every purpose.
   *
   * @throws InputException ({@code bad-data-set}, {@code unknown-format}, {@code data-not-found})
   */
  public S open(String set) {
    return open(set, LicenceScope.ANY);
  }

  /**
   * Opens {@code FORMAT:PATH}; rows whose licence does not allow {@code scope} are rejected.
   *
   * @throws InputException ({@code bad-data-set}, {@code unknown-format}, {@code data-not-found})
   */
  public S open(String set, LicenceScope scope) {
    int colon = set.indexOf(':');
    if (colon < 0) {
      throw InputException.invalidArgument(
          "bad-data-set",
          "'" + set + "' is not FORMAT:PATH, such as " + formats().getFirst() + ":FILE.");
    }
    Importer<S> importer = importer(set.substring(0, colon));
    Path path = Path.of(set.substring(colon + 1));
    if (!Files.exists(path)) { // before a reader looks for the files beside it
      throw InputException.notFound("data-not-found", path + " does not exist.");
    }
    return importer.opener().open(path, scope);
  }

  private Importer<S> importer(String format) {
    return importers.stream()
        .filter(importer -> importer.format().equals(format))
        .findFirst()
        .orElseThrow(() -> unknown(format, formats()));
  }

  /** The error for a format that is not in {@code formats}. */
  public static InputException unknown(String format, List<String> formats) {
    return InputException.unknown("format", format, formats);
  }
}
