package dev.cotenant.evaluation.steptime;

import dev.cotenant.domain.profile.StepTimeRun;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Figures as protocols add them. Not thread safe. */
final class Bench {
  private final List<StepTimeFigures> figures = new ArrayList<>();

  /** Adds what was scored; nothing where no row was. */
  void add(String protocol, Scored scored, Bars bars) {
    add(protocol, StepTimeFigures.OURS, scored, bars);
  }

  void add(String protocol, String model, Scored scored, Bars bars) {
    if (!scored.isEmpty()) {
      figures.add(scored.figures(protocol, model, bars));
    }
  }

  void addAll(List<StepTimeFigures> more) {
    figures.addAll(more);
  }

  /** What each baseline gives on the same folds. */
  void addBaselines(String protocol, List<Fold> folds) {
    Baselines.all()
        .forEach((name, baseline) -> {
          Scored scored = new Scored();
          for (Fold fold : folds) {
            scored.addAll(Scored.of(fold.test(), Baselines.scaled(baseline, fold.train())));
          }
          add(protocol, name, scored, Bars.NONE);
        });
  }

  /** Each part with its own bars, and their mean where there are several. */
  void addParts(String protocol, Map<String, Scored> parts, Bars each, Bars mean) {
    List<StepTimeFigures> all = new ArrayList<>();
    parts.forEach((name, scored) -> {
      if (!scored.isEmpty()) {
        all.add(scored.figures(protocol + ", " + name, StepTimeFigures.OURS, each));
      }
    });
    if (!all.isEmpty()) {
      figures.addAll(all);
      figures.add(StepTimeFigures.mean(protocol + ", mean", all, mean));
    }
  }

  List<StepTimeFigures> figures() {
    return List.copyOf(figures);
  }

  static <V> Map<String, List<V>> grouped(List<V> values, Function<V, String> key) {
    return values.stream().collect(Collectors.groupingBy(key, TreeMap::new, Collectors.toList()));
  }

  static String network(StepTimeRun run) {
    return run.network().name();
  }

  static String sized(StepTimeRun run) {
    return run.network().name() + "@" + run.network().inputs();
  }

  static String family(StepTimeRun run) {
    return run.network().family();
  }

  static String device(StepTimeRun run) {
    return run.part().device().id().value();
  }
}
