package dev.cotenant.predictor.correct;

import dev.cotenant.domain.graph.ModelFeatures;
import dev.cotenant.domain.profile.ProfileRow;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Finds the family of a model by its structure: questions name a graph, not a family. A model is of
 * the family of the nearest one that was measured, unless none is near.
 */
record FamilyIndex(List<Member> members) {
  /**
   * ResNet-18 and ResNet-34 are 1.3 apart, ResNet-50 and ResNet-101 1.2, ResNet-18 and VGG-16 3.6:
   * half of the former, so that an offset is given to close kin only.
   */
  private static final double NEAR = 0.65;

  /** A measured model. */
  record Member(String family, Structure structure) {}

  FamilyIndex {
    members = List.copyOf(members);
  }

  static FamilyIndex of(List<ProfileRow> rows) {
    Set<Member> members = new LinkedHashSet<>();
    rows.forEach(row -> members.add(new Member(row.family(), Structure.of(row.features()))));
    return new FamilyIndex(new ArrayList<>(members));
  }

  /** The family; empty where no measured model is near. Ties go to the first. */
  Optional<String> find(ModelFeatures features) {
    Structure requested = Structure.of(features);
    String nearest = null;
    double least = NEAR;
    for (Member member : members) {
      double distance = member.structure.distance(requested);
      if (distance < least) {
        least = distance;
        nearest = member.family;
      }
    }
    return Optional.ofNullable(nearest);
  }
}
