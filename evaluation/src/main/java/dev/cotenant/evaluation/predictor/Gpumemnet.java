package dev.cotenant.evaluation.predictor;

import dev.cotenant.domain.evaluation.EvaluationRow.Subject;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.evaluation.References;
import java.util.List;

/** The rows of GPUMemNet, on which the references of predictors were measured. */
final class Gpumemnet {
  /** Ends the name of a protocol that takes these rows alone. */
  static final String ONLY = "/gpumemnet";

  /** A few rows of other sets leave the comparison meaningful. */
  private static final double MIN_SHARE = 0.95;

  private Gpumemnet() {}

  /** The references of figures on these rows; none where too many are of other sets. */
  static References references(List<ProfileRow> rows) {
    return among(rows).size() < MIN_SHARE * rows.size()
        ? References.NONE
        : subject ->
            References.PUBLISHED.find(
                new Subject(
                    subject.task(),
                    subject.protocol().replace(ONLY, ""),
                    subject.model(),
                    subject.metric()));
  }

  static List<ProfileRow> among(List<ProfileRow> rows) {
    return rows.stream().filter(Gpumemnet::contains).toList();
  }

  static boolean contains(ProfileRow row) {
    return row.source().startsWith("gpumemnet:");
  }
}
