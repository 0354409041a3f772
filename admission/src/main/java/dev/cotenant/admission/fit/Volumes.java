package dev.cotenant.admission.fit;

import dev.cotenant.admission.cluster.BoundClaim;
import dev.cotenant.admission.cluster.BoundVolume;
import dev.cotenant.admission.cluster.NodeMatch;
import dev.cotenant.admission.cluster.WatchedNode;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Whether a node reaches the volumes of a pod, as the part of kube-scheduler's filter {@code
 * VolumeBinding} for bound claims decides it, with its words. Unbound and unknown claims exclude no
 * node: with {@code WaitForFirstConsumer} the volume follows the pod.
 */
public final class Volumes {
  private final Map<String, BoundVolume> volumes = new HashMap<>();
  private final Map<String, BoundClaim> claims = new HashMap<>();
  private long version;

  public void put(BoundVolume volume) {
    volumes.put(volume.name(), volume);
    version++;
  }

  public void removeVolume(String name) {
    if (volumes.remove(name) != null) {
      version++;
    }
  }

  public void put(BoundClaim claim) {
    claims.put(claim.key(), claim);
    version++;
  }

  public void removeClaim(String key) {
    if (claims.remove(key) != null) {
      version++;
    }
  }

  /** Grows with every change. */
  public long version() {
    return version;
  }

  /** The first obstacle; empty where there is none. */
  Optional<String> whyNot(Demand demand, WatchedNode node) {
    for (String name : new TreeSet<>(demand.footprint().volumeClaims())) {
      @Nullable BoundClaim claim = claims.get(demand.namespace() + "/" + name);
      @Nullable BoundVolume volume = claim == null ? null : volumes.get(claim.volume());
      if (volume != null && !NodeMatch.meetsAny(volume.nodes(), node)) {
        return Optional.of(
            "had volume node affinity conflict: claim " + name + ", volume " + volume.name());
      }
    }
    return Optional.empty();
  }
}
