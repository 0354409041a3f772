package dev.cotenant.admission.cluster;

import dev.cotenant.admission.cluster.NodeRequirements.Term;
import java.util.List;

/**
 * A PersistentVolume that only some nodes reach.
 *
 * @param name its name
 * @param nodes a node must meet one of these terms [required node affinity]
 */
public record BoundVolume(String name, List<Term> nodes) {
  public BoundVolume {
    nodes = List.copyOf(nodes);
  }
}
