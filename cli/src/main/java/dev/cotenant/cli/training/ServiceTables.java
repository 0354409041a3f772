package dev.cotenant.cli.training;

import dev.cotenant.cli.terminal.Console;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.evaluation.EvaluationRow;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.Percent;
import dev.cotenant.domain.quantity.Slowdown;
import dev.cotenant.lab.plans.ServiceMixes;
import dev.cotenant.lab.plans.ServiceMixes.Figures;
import dev.cotenant.placement.search.Best;
import dev.cotenant.placement.search.Settings;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/** Services arriving one by one: requests within their objectives, and GPUs used. */
final class ServiceTables {
  static final String TASK = "services";

  /** At least so many; the mean over fewer says little of one in a hundred. */
  private static final int MIN_MIXES = 1000;

  private static final int PLANNED_EVERY = 10;

  /** Of 1.2, 1.25, 1.3 and 1.4, chosen on 120 mixes of another seed; GPUs differ by 1 %. */
  private static final Slowdown LIMIT = Slowdown.ofRatio(1.25);

  private static final int MAX_TENANTS = 8;

  /** A profile's times as they are, as plans take them. */
  private static final Coverage AS_PROFILED = Coverage.of(0.5);

  private static final int STEP = 100;

  private ServiceTables() {}

  /** Mixes of the profiled models; no outside data. */
  static List<EvaluationRow> standing(int seeds, long seed, Console console) {
    int mixes = Math.max(MIN_MIXES, seeds);
    IntConsumer progress =
        done -> {
          if (done % STEP == 0) {
            console.note("mix " + done + " of " + mixes);
          }
        };
    ServiceMixes.Outcome outcome =
        new ServiceMixes(
                limits(AS_PROFILED), new Best(Settings.defaults(), List.of()), PLANNED_EVERY)
            .of(mixes, seed, progress);
    Figures bounded =
        new ServiceMixes(
                limits(Coverage.STANDARD), new Best(Settings.defaults(), List.of()), mixes + 1)
            .of(mixes, seed, progress)
            .decided();
    List<EvaluationRow> rows = new ArrayList<>();
    add(rows, "every-mix", "decide", outcome.decided(), null);
    add(rows, "every-mix", "decide-with-bounds", bounded, null);
    add(rows, "every-tenth-mix", "decide", outcome.plannedMixes(), outcome.planned());
    add(rows, "every-tenth-mix", "best", outcome.planned(), null);
    return rows;
  }

  private static SharingLimits limits(Coverage bounds) {
    return SharingLimits.DEFAULT
        .withSlowdown(LIMIT)
        .withTenants(MAX_TENANTS)
        .withLeastCoverage(bounds);
  }

  private static void add(
      List<EvaluationRow> rows,
      String protocol,
      String strategy,
      Figures figures,
      @Nullable Figures reference) {
    Line line = new Line(protocol, strategy, figures);
    rows.add(line.figure("services", figures.services(), null));
    rows.add(line.figure("admitted", figures.admitted(), null));
    rows.add(line.figure("met_percent", Percent.WHOLE * figures.met() / figures.admitted(), null));
    rows.add(
        line.figure("gpus", figures.gpus(), reference == null ? null : (double) reference.gpus()));
  }

  private record Line(String protocol, String strategy, Figures of) {
    EvaluationRow figure(String metric, double value, @Nullable Double reference) {
      return EvaluationRow.overSeeds(
          new EvaluationRow.Subject(TASK, protocol, strategy, metric),
          new double[] {value},
          of.mixes(),
          reference);
    }
  }
}
