package dev.cotenant.evaluation.predictor;

import dev.cotenant.domain.evaluation.EvaluationRow;
import dev.cotenant.predictor.Predictor;
import dev.cotenant.predictor.model.Provenance;
import dev.cotenant.predictor.model.Target;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.MathContext;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.SortedMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The model card of a predictor: training data, errors, limitations. */
public final class ModelCard {
  private static final MathContext SIX_DIGITS = new MathContext(6);

  private final String version;
  private final Predictor predictor;
  private final Provenance provenance;
  private final List<EvaluationRow> evaluation;
  private final CardTable table;

  public ModelCard(Predictor predictor, List<EvaluationRow> evaluation) {
    this.version = predictor.version();
    this.predictor = predictor;
    this.provenance = predictor.provenance();
    this.evaluation = List.copyOf(evaluation);
    table = new CardTable(evaluation);
  }

  /** The card as Markdown; the same predictor and table give the same text. */
  public String toMarkdown() {
    return String.join("\n", title(), data(), errors() + learners(), limits(), settings());
  }

  /**
   * Writes the page, its picture and all figures: {@code model-card.md}, {@code .svg} and {@code
   * .csv}.
   *
   * @return the files
   * @throws IOException if a file cannot be written
   */
  public List<Path> writeTo(Path folder) throws IOException {
    return List.of(
        Files.writeString(folder.resolve("model-card.md"), toMarkdown()),
        Files.writeString(folder.resolve("model-card.svg"), new CardChart(table).toSvg()),
        Files.writeString(folder.resolve("model-card.csv"), toCsv()));
  }

  private String toCsv() {
    return "task,protocol,model,metric,value,sd,min,max,rows,seeds,reference\n"
        + evaluation.stream().map(ModelCard::csvLine).collect(Collectors.joining());
  }

  private static String csvLine(EvaluationRow figure) {
    Double reference = figure.reference();
    return Stream.of(
                figure.task(),
                figure.protocol(),
                figure.model(),
                figure.metric(),
                number(figure.value()),
                number(figure.sd()),
                number(figure.min()),
                number(figure.max()),
                figure.rows(),
                figure.seeds(),
                reference == null ? "" : number(reference))
            .map(String::valueOf)
            .collect(Collectors.joining(","))
        + "\n";
  }

  /** Six significant digits, so that a figure that is read from the file is written as it was. */
  private static String number(double value) {
    return new BigDecimal(value, SIX_DIGITS).stripTrailingZeros().toPlainString();
  }

  private String title() {
    return """
    # Model card: %s

    Predicts GPU utilization and peak device memory of a deep-learning workload from its model graph,
    before it runs. A formula with a few fitted coefficients (the prior) is corrected by boosted trees and
    Gaussian bumps, learned from measured runs; corrections fade with the distance from those runs (ADR 17).

    Every prediction has one-sided bounds at the requested level, 90 %% by default: conformal quantiles of errors on rows held
    out, of the run's group. A level needs ⌈level / (1 − level)⌉ rows; a group with fewer pools with its family, its device, then
    all rows, and a level that all rows do not support is unavailable. A network like no measured one, or a device without rows,
    gets the wider quantiles of families and devices held out (ADR 37). Rows by group:

    | group | rows of utilization | rows of memory |
    | --- | ---: | ---: |
    %s
    Precisions other than fp32 have no measured coverage.
    """
        .formatted(version, groupRows());
  }

  private String groupRows() {
    SortedMap<String, Integer> memory = predictor.groups(Target.PEAK_MEMORY);
    return predictor.groups(Target.UTILIZATION).entrySet().stream()
        .map(group -> row(group.getKey(), group.getValue(), memory.getOrDefault(group.getKey(), 0)))
        .collect(Collectors.joining());
  }

  private String data() {
    String sets =
        provenance.dataSets().stream()
            .map(set ->
                row(
                    set.format(),
                    "`" + set.sha256() + "`",
                    set.rowsRead(),
                    set.rowsUsed(),
                    set.rowsRejected()))
            .collect(Collectors.joining());
    String head = row("set", "SHA-256 of the file", "rows read", "rows used", "rows rejected");
    return """
    ## Data

    %s| --- | --- | ---: | ---: | ---: |
    %s
    Not used: suspected crashes, inference, precisions other than fp32.
    Devices: %s. Families: %s.
    """
        .formatted(
            head,
            sets,
            provenance.devices().stream().map(Object::toString).collect(Collectors.joining(", ")),
            String.join(", ", provenance.families()));
  }

  private String settings() {
    return """
    ## Settings

    Seed %d. Fitted coefficients and the size of the corrections:

    %s
    """
        .formatted(
            provenance.seed(),
            provenance.settings().stream()
                .map(setting -> "- " + setting)
                .collect(Collectors.joining("\n")));
  }

  private String errors() {
    String head =
        row(
            "predicts",
            "held out",
            "runs",
            "RMSLE",
            "prior alone",
            "random forest",
            "best baseline",
            "error",
            "upper bound holds");
    String body =
        Stream.of("utilization", "memory")
            .flatMap(task -> table.lines(task).stream())
            .map(this::line)
            .collect(Collectors.joining());
    return """
    ## Errors

    ![Errors by split](model-card.svg)

    %s| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
    %s
    Each row trains without its held-out runs and tests on them; suspected crashes are
    excluded. RMSLE is on log1p of utilization in 0 to 100 and on MiB of peak memory. `error` is the
    mean error in percentage points of utilization, or the median error in percent of peak memory. The
    nominal coverage of the bound is 90 %%. The best baseline is the best, on each split, of the mean of the training
    runs, a line on the batch, on the FLOPs or on the roofline time, and, for memory, the sum of weights, gradients,
    moments and activations (`analytic`): chosen afterwards, in its favour.

    [model-card.csv](model-card.csv) has every figure: by family, device and set, with crashes included, with ten runs of
    the new family, and with references. `./cotenant evaluate` prints it; [datasets.md](datasets.md) explains its protocols.
    """
        .formatted(head, body);
  }

  /** Empty where learners were not compared. */
  private String learners() {
    String body = table.learners().stream().map(this::learner).collect(Collectors.joining());
    return body.isEmpty()
        ? ""
        : """

        ## Learners

        | predicts | `--learner` | a random fifth | upper bound holds | fifths of the layouts |
        | --- | --- | ---: | ---: | ---: |
        %s
        RMSLE on the same held-out runs with the same prior; each learner of `./cotenant train` grows the trees of the corrections.
        `./cotenant evaluate learners` prints it. Smile and Tribuo run in the command line only (ADR 4).
        """
            .formatted(body);
  }

  private String learner(List<String> subject) {
    return row(
        subject.getFirst(),
        subject.getLast(),
        rmsle(table.learner(subject, "random-5fold", "rmsle")),
        coverage(table.learner(subject, "random-5fold", "bound_coverage")),
        rmsle(table.learner(subject, "topology-out", "rmsle")));
  }

  private String line(CardTable.Line line) {
    CardTable.Errors errors = line.errors();
    EvaluationRow predictor = line.predictor();
    EvaluationRow simple = errors.simple();
    return row(
        predictor.task(),
        line.split().heldOut(),
        predictor.rows(),
        rmsle(predictor),
        rmsle(errors.prior()),
        rmsle(errors.forest()),
        simple == null ? "" : rmsle(simple) + " " + simple.model(),
        error(table.typicalError(line)),
        coverage(errors.boundCoverage()));
  }

  private static String rmsle(@Nullable EvaluationRow figure) {
    return figure == null ? "" : String.format(Locale.ROOT, "%.3f", figure.value());
  }

  private static String error(@Nullable EvaluationRow figure) {
    if (figure == null) {
      return "";
    }
    return figure.task().equals("memory")
        ? percent(figure.value())
        : String.format(Locale.ROOT, "%.1f points", figure.value());
  }

  private static String coverage(@Nullable EvaluationRow figure) {
    return figure == null ? "" : percent(figure.value());
  }

  private static String percent(double fraction) {
    return String.format(Locale.ROOT, "%.1f %%", 100 * fraction);
  }

  private static String row(Object... cells) {
    StringBuilder row = new StringBuilder("|");
    for (Object cell : cells) {
      row.append(' ').append(cell).append(" |");
    }
    return row.append('\n').toString();
  }

  private String limits() {
    return """
    ## Limits

    - Devices: only those of the data. Elsewhere the estimate is that of a formula of step time, from catalogue numbers (ADR 40).
    - Inference: no measured run. Utilization is rate times busy time by the step-time formula, memory follows from the
      graph, with assumed bounds.
    - Precisions other than fp32: none measured; utilization follows from the device's rate, uncorrected.
    - Families: only those of the data, mostly random networks. Attention, recurrence and architectures outside the
      ranges of a device's rows get wider bounds and a warning.
    - Hosts: a process takes memory before its model does (the CUDA context): about 1.4 GiB on the measured A100, 1.0 on the RTX 2080 Ti;
      other hosts take 0.5 (kernels loaded lazily, the default since CUDA 12.2) to 2. The graph does not show it: a new
      host is predicted like the measured ones, within a factor of 2 downwards and 1.4 upwards, until the
      cluster's own runs correct it (ADR 25, ADR 27). On a measured device, runs like measured ones get the bounds of that host.
    - Not in a graph for inference, so not counted: memory of dropout and of losses other than of classification.
    - Utilization is the mean from start to end of short runs; steady runs may read higher.
    - Optimism: the form of the priors, the fading of corrections, the number of landmarks and the settings of the trees were
      chosen on the errors of the same GPUMemNet rows (ADR 17); about sixty settings of the utilization
      prior, five forms of the memory prior and nine settings of bounds were compared on the transfers between families and
      devices and on 20 draws of 81 rows. Trees for few rows and the model of crashes were chosen on draws of 81 rows with the seeds 1000 to
      3999 (the figures use 1 to 200, of the same rows), covariates of convolutions and saved activations among thirty
      sets on random folds with the seeds 101 to 104 and on held-out layouts. Nothing was fitted to the rows of CARMA and
      Lucid.
    - Licences: GPUMemNet is published under CC-BY-4.0 (see NOTICE), SPREAD without a licence statement; none of their
      files is part of this project. Lucid's runs are non-commercial and are not used here.
    """;
  }
}
