package dev.cotenant.engine.lifecycle;

import dev.cotenant.predictor.correct.CorrectedTarget;
import dev.cotenant.predictor.correct.Correction;
import java.util.Locale;
import java.util.Map;

/** The page that goes with a correction. */
final class CorrectionCard {
  private final String label;
  private final Correction correction;

  CorrectionCard(String label, Correction correction) {
    this.label = label;
    this.correction = correction;
  }

  String toMarkdown() {
    StringBuilder card = new StringBuilder();
    card.append("# ").append(label).append("\n\n");
    card.append("Corrects ")
        .append(correction.base().label())
        .append(" with this cluster's own runs. Errors are of runs left out of the fit.\n\n")
        .append("| target | runs | RMSLE of the base | corrected | estimates change | trees |\n")
        .append("| --- | ---: | ---: | ---: | --- | --- |\n");
    for (CorrectedTarget target : CorrectedTarget.values()) {
      card.append(row(target));
    }
    card.append(contexts());
    for (CorrectedTarget target : CorrectedTarget.values()) {
      card.append(offsets(target));
    }
    return card.toString();
  }

  private String row(CorrectedTarget target) {
    Map<String, Double> figures = correction.figures();
    return "| %s | %d | %s | %s | %s | %s |%n"
        .formatted(
            target.key(),
            correction.runs(target),
            number(figures.getOrDefault(target.key() + "_rmsle_before", Double.NaN)),
            number(figures.getOrDefault(target.key() + "_rmsle_after", Double.NaN)),
            correction.shifts(target) ? "yes" : "no",
            correction.usesTrees(target) ? "yes" : "no");
  }

  private static String number(double value) {
    return Double.isNaN(value) ? "not measured" : String.format(Locale.ROOT, "%.4f", value);
  }

  private String contexts() {
    StringBuilder lines = new StringBuilder();
    correction
        .extraContextMebibytes()
        .forEach((name, extra) ->
            lines.append(String.format(Locale.ROOT, "- %s: %+.0f MiB%n", name, extra)));
    return lines.isEmpty()
        ? ""
        : "\n## What a process takes here beyond what the base expects\n\n" + lines;
  }

  private String offsets(CorrectedTarget target) {
    StringBuilder lines = new StringBuilder();
    correction
        .offsetPercents(target)
        .forEach((name, percent) ->
            lines.append(String.format(Locale.ROOT, "- %s: %+.1f %%%n", name, percent)));
    return lines.isEmpty() ? "" : "\n## Offsets of " + target.key() + "\n\n" + lines;
  }
}
