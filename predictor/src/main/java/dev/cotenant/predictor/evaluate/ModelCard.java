package dev.cotenant.predictor.evaluate;

import dev.cotenant.domain.evaluation.EvaluationRow;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.predictor.Predictor;
import dev.cotenant.predictor.model.BoundCoverage;
import dev.cotenant.predictor.model.Provenance;
import dev.cotenant.predictor.model.Target;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The page that goes with a predictor: what it learned from, how good it is, what it lacks. */
public final class ModelCard {
  private final String version;
  private final Predictor predictor;
  private final Provenance provenance;
  private final List<EvaluationRow> evaluation;

  public ModelCard(Predictor predictor, List<EvaluationRow> evaluation) {
    this.version = predictor.version();
    this.predictor = predictor;
    this.provenance = predictor.provenance();
    this.evaluation = List.copyOf(evaluation);
  }

  /** The card as Markdown; the same predictor and table give the same text. */
  public String toMarkdown() {
    return String.join("\n", title(), data(), settings(), figures(), limits());
  }

  private String title() {
    return """
    # Model card: %s

    For GPU utilization and for peak device memory: a formula of a few fitted coefficients (the prior)
    and corrections learned from measured runs, which fade with the distance from them (ADR 17).
    Bounds are one-sided. Among measured runs they are made to hold in %s of cases. Far from them they
    rest on how uncertain the prior's coefficients are for what is asked and on what it misses on
    groups that it was not fitted to, and hold as often as was measured:

    | what is new | utilization bounds hold in | memory bounds hold in |
    | --- | ---: | ---: |
    %s
    The measure: everything is learned again without each family (each device) and judged on it;
    the mean over these groups, each counting once, small ones pooled. With so few groups it is a rough figure. It is what
    predictions state as `coverage`; for inference and other precisions than fp32 nothing was
    measured and none is stated.
    """
        .formatted(version, provenance.coverage(), coverageRows());
  }

  private String coverageRows() {
    BoundCoverage utilization = predictor.coverage(Target.UTILIZATION);
    BoundCoverage memory = predictor.coverage(Target.PEAK_MEMORY);
    return row("a model", measured(utilization.unseenModel()), measured(memory.unseenModel()))
        + row("a device", measured(utilization.unseenDevice()), measured(memory.unseenDevice()));
  }

  private static String measured(@Nullable Coverage coverage) {
    return coverage == null ? "not measured" : coverage.toString();
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
    Rows not used are suspected crashes, other modes than training and other precisions than fp32.
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

    Seed %d, trained %s. The fitted coefficients, and how much corrects them:

    %s
    """
        .formatted(
            provenance.seed(),
            provenance.trainedAt(),
            provenance.settings().stream()
                .map(setting -> "- " + setting)
                .collect(Collectors.joining("\n")));
  }

  private String figures() {
    String head =
        row("task", "protocol", "model", "metric", "value", "sd", "min", "max", "rows", "seeds")
            .stripTrailing();
    String body = evaluation.stream().map(ModelCard::line).collect(Collectors.joining());
    return """
    ## Figures

    `./cotenant evaluate` prints this table. RMSLE is on log1p of utilization in 0 to 100 and on
    MiB of peak memory; `mae_points` in percentage points; `median_ape` a fraction; `bound_coverage`
    the share of held-out rows below the upper bound, `bound_width` how far it lies above the
    estimate (points, or a fraction of the estimate), `bound_pinball` its pinball loss at 0.9 in the
    logarithm beside that of a constant offset; all of one seed, and under `topology-out` of a fifth of
    the layouts at a time. Bounds of memory are asked for on the host of the row where other rows of
    it were learned from, as a cluster's own runs are; `/unnamed-host` is for a device and no host, as
    whoever has measured nothing asks. `named-out` judges jobs with names, each by what saw neither its
    family nor its host, `named-out-5known` after five runs of that host, of other families, over 20
    draws of these (ADR 27).
    `/clean` leaves suspected crashes out of train and test, `/all` keeps them; `/gpumemnet` is the
    same with no other rows than GPUMemNet's, where references were measured. Everything is
    learned inside each training part. A reference is what a physical model corrected by trees
    reached on GPUMemNet alone; the two sides were not tuned alike, see below. Of CARMA's jobs it is
    the median error of PyTorch's FakeTensor.

    %s reference |
    | --- | --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
    %s\
    """
        .formatted(head, body);
  }

  private static String line(EvaluationRow figure) {
    Double reference = figure.reference();
    return row(
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
        reference == null ? "" : number(reference));
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, value >= 10 ? "%.1f" : "%.4f", value);
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
    ## What was chosen while looking at these rows

    The form of both priors, the fading of corrections, their length and noise, the number of landmarks
    and the settings of the trees were settled on errors in the same GPUMemNet rows that the table
    reports (ADR 17). What the priors are drawn to and how strongly (about sixty settings for
    utilization, five forms for memory) was compared on the transfers between perceptrons,
    convolutional networks and the two devices, and the settings of bounds (six for small sets, three
    forms far from all runs) on the same transfers and on 20 draws of 81 rows, so that no row was
    untouched. Trees for few rows and what crashed runs are taken to show were chosen on draws of 81
    rows with the seeds 1000 to 3999; the table's are 1 to 200, of the same rows. What trees and landmarks
    look at of convolutions and of what training keeps was chosen among some thirty sets of covariates on random
    folds with the seeds 101 to 104 and on layouts left out. The figures are
    optimistic to that extent. CARMA's and Lucid's rows were looked at and
    nothing was fitted to them.

    ## What the data does not cover

    - Devices: only those named above. On another one the estimate is what the prior makes of its
      peak rate and bandwidth.
    - Inference: no such run. Utilization is bounded by 100 %, memory is computed from the graph
      with assumed bounds.
    - Precisions other than fp32: none; utilization is what the prior makes of the device's rate.
    - Families: only those named above, mostly random networks. Ranges are those of the rows that
      ran on the device asked for: attention, recurrence and architectures beyond them get the
      bounds of what is new, and a warning.
    - Hosts: those that measured take a context of about 1.4 GiB on an A100 and 1.0 on an RTX 2080 Ti.
      Others take 0.5 (kernels loaded lazily, the default since CUDA 12.2) or 2. No graph tells, so a
      host that was not measured is taken to be like those, its context known within a factor of two downwards and 1.4 upwards,
      until the cluster's own runs correct it (ADR 25). On a measured device, runs like measured ones
      are bounded as if on that host.
    - Memory of dropout and of losses other than of classification: a graph for inference lacks them.
    - Utilization is the mean from start to end of short runs, so that steady runs may read higher.

    ## Licences of the data

    GPUMemNet and SPREAD carry no licence statement; none of their files is part of this project.
    Lucid's set is non-commercial and was not used.
    """;
  }
}
