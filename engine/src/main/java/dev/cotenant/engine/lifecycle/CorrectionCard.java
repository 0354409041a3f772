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

  private String offsets(CorrectedTarget target) {
    StringBuilder lines = new StringBuilder();
    correction
        .offsetPercents(target)
        .forEach((name, percent) ->
            lines.append(String.format(Locale.ROOT, "- %s: %+.1f %%%n", name, percent)));
    return lines.isEmpty() ? "" : "\n## Offsets of " + target.key() + "\n\n" + lines;
  }
}
