package dev.cotenant.admission.kubernetes.read;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.admission.cluster.BoundClaim;
import dev.cotenant.admission.cluster.BoundVolume;
import dev.cotenant.admission.cluster.NodeRequirements.Term;
import dev.cotenant.admission.kubernetes.api.Json;
import java.util.List;
import java.util.Optional;

/** Reads PersistentVolumes and PersistentVolumeClaims. */
public final class VolumeReader {
  private VolumeReader() {}

  /**
   * A volume with node affinity; empty without.
   *
   * @throws dev.cotenant.domain.InputException where its name or node affinity is malformed
   */
  public static Optional<BoundVolume> volume(JsonNode volume) {
    String name = Json.required(volume.path("metadata"), "name");
    List<Term> terms =
        NodeRequirementsReader.terms(volume.path("spec").path("nodeAffinity").path("required"));
    return terms.isEmpty() ? Optional.empty() : Optional.of(new BoundVolume(name, terms));
  }

  /**
   * A bound claim; empty for an unbound one.
   *
   * @throws dev.cotenant.domain.InputException without a name
   */
  public static Optional<BoundClaim> claim(JsonNode claim) {
    String key = key(claim);
    return Optional.ofNullable(Json.text(claim.path("spec"), "volumeName"))
        .map(volume -> new BoundClaim(key, volume));
  }

  /** Namespace and name of a claim. */
  public static String key(JsonNode claim) {
    JsonNode metadata = claim.path("metadata");
    return Json.required(metadata, "namespace") + "/" + Json.required(metadata, "name");
  }
}
