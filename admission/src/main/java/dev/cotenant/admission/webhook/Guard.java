package dev.cotenant.admission.webhook;

import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.pod.PodDocument;
import dev.cotenant.admission.review.AdmissionRequest;
import dev.cotenant.admission.review.AdmissionResponse.Cause;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Reserves the annotations and the scheduling gate of Cotenant to its service account, on pods and
 * their subresources. In every mode, since grants are read from them.
 */
final class Guard {
  private final String serviceAccount;

  Guard(String serviceAccount) {
    this.serviceAccount = serviceAccount;
  }

  /** The annotations that only Cotenant may write, by name. */
  static Map<String, String> written(PodDocument pod) {
    Map<String, String> written = new TreeMap<>(pod.annotations());
    written.keySet().retainAll(CotenantAnnotations.WRITTEN);
    return written;
  }

  /** Those of a decision, which no new pod has. */
  static Map<String, String> grants(PodDocument pod) {
    Map<String, String> grants = written(pod);
    CotenantAnnotations.WRITTEN_FIRST.forEach(grants.keySet()::remove);
    return grants;
  }

  /** Refuses these annotations without a grant. */
  static Conclusion forged(Collection<String> names) {
    return refused(
        "this pod has no grant with the given "
            + String.join(", ", names)
            + "; remove them, cotenant writes its own");
  }

  /** Refuses a change of Cotenant's annotations or gate by others; null where there is none. */
  @Nullable Conclusion refusalOfUpdate(AdmissionRequest request) {
    if (isOurs(request)) {
      return null;
    }
    PodDocument before = new PodDocument(Objects.requireNonNull(request.oldObject()));
    PodDocument after = new PodDocument(Objects.requireNonNull(request.object()));
    Map<String, String> writtenBefore = written(before);
    Map<String, String> writtenAfter = written(after);
    if (!writtenBefore.equals(writtenAfter)) {
      return onlyWeMay("change " + String.join(", ", changed(writtenBefore, writtenAfter)));
    }
    boolean ungated = isGated(before) && !isGated(after);
    return ungated ? onlyWeMay("remove the gate " + CotenantAnnotations.GATE) : null;
  }

  boolean isOurs(AdmissionRequest request) {
    return request.username().equals(serviceAccount);
  }

  static boolean isGated(PodDocument pod) {
    return pod.gates().contains(CotenantAnnotations.GATE);
  }

  private static Collection<String> changed(Map<String, String> before, Map<String, String> after) {
    Map<String, String> changed = new TreeMap<>(before);
    changed.putAll(after);
    changed
        .entrySet()
        .removeIf(entry -> Objects.equals(before.get(entry.getKey()), after.get(entry.getKey())));
    return changed.keySet();
  }

  private Conclusion onlyWeMay(String what) {
    return refused("only " + serviceAccount + " may " + what);
  }

  private static Conclusion refused(String why) {
    return Conclusion.refused(Cause.FORBIDDEN, "cotenant: " + why + ".");
  }
}
