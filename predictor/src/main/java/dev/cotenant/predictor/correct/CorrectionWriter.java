package dev.cotenant.predictor.correct;

import java.util.Arrays;
import java.util.Map;

/** The lines of a correction's file; names are last in their line, since they may hold spaces. */
final class CorrectionWriter {
  private final Correction correction;
  private final int version;
  private final StringBuilder text = new StringBuilder();

  CorrectionWriter(Correction correction) {
    this.correction = correction;
    boolean knowsHosts =
        Arrays.stream(CorrectedTarget.values())
            .anyMatch(target -> !correction.of(target).contexts().isEmpty());
    version = knowsHosts ? CorrectionFile.VERSION : CorrectionFile.WITHOUT_HOSTS;
  }

  String text() {
    line(CorrectionFile.FORMAT, version);
    line("base", correction.base().sha256(), correction.base().label());
    line("trained-at", correction.trainedAt());
    line("models", correction.families().members().size());
    for (FamilyIndex.Member member : correction.families().members()) {
      Structure at = member.structure();
      line(
          at.convolution(),
          at.linear(),
          at.activation(),
          at.other(),
          at.parameters(),
          at.work(),
          member.family());
    }
    for (CorrectedTarget target : CorrectedTarget.values()) {
      target(target.key(), correction.of(target));
    }
    return text.toString();
  }

  private void target(String key, TargetCorrection found) {
    line("target", key);
    line("runs", found.runs(), found.leftOutBefore(), found.leftOutAfter());
    if (version > CorrectionFile.WITHOUT_HOSTS) {
      contexts(found.contexts());
    }
    offsets(found.offsets().platforms());
    offsets(found.offsets().families());
    offsets(found.offsets().familiesOnPlatforms());
    scale(found.overall(), "overall");
    line("scales", found.scales().size());
    found.scales().forEach((platform, scale) -> scale(scale, platform));
    line("trees", found.trees().trees().size());
    for (RegressionTree tree : found.trees().trees()) {
      line("nodes", tree.nodes());
      for (int node = 0; node < tree.nodes(); node++) {
        line(tree.line(node));
      }
    }
  }

  private void contexts(Map<String, HostContext> contexts) {
    line("contexts", contexts.size());
    contexts.forEach((name, context) -> line(context.extraBytes(), context.deviationBytes(), name));
  }

  private void offsets(Map<String, Double> offsets) {
    line("offsets", offsets.size());
    offsets.forEach((name, offset) -> line(offset, name));
  }

  private void scale(BoundScale scale, String name) {
    line(scale.above(), scale.below(), scale.runs(), name);
  }

  private void line(Object... cells) {
    for (int i = 0; i < cells.length; i++) {
      text.append(i == 0 ? "" : " ").append(cells[i]);
    }
    text.append('\n');
  }
}
