package dev.cotenant.admission.extender;

import dev.cotenant.admission.pod.PodDocument;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Port: the placement of GPU pods by a scheduler. Every method throws {@link
 * dev.cotenant.admission.capacity.NotLeadingException} where this process does not own the ledger.
 */
public interface NodePlacement {
  /**
   * Results by node, in the given order; nodes may be missing.
   *
   * @param pod the pod
   * @param request its request
   */
  Map<String, NodeResult> results(PodDocument pod, Colocatable request, Collection<String> nodes);

  /**
   * Nodes on which a pod fits without their victims.
   *
   * @param uid of the pod
   * @param victims uids of the victims by node
   */
  Set<String> fitsWithout(String uid, Map<String, Set<String>> victims);

  /**
   * Binds a pod to a node.
   *
   * @return why it is not bound; empty where it is
   */
  Optional<String> bind(PodIdentity pod, String uid, String node);
}
