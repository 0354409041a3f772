package dev.cotenant.admission.cluster;

import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The resources that a pod takes of its node, and its placement requirements relative to other
 * pods.
 *
 * @param requests effective resource requests
 * @param ports host ports
 * @param labels its labels
 * @param topology its required placement relative to other pods
 * @param volumeClaims names of its PersistentVolumeClaims, in its namespace
 */
public record Footprint(
    ResourceAmounts requests,
    List<HostPort> ports,
    Map<String, String> labels,
    PodTopology topology,
    Set<String> volumeClaims) {
  /** A pod without requests, ports and labels. */
  public static final Footprint NONE =
      new Footprint(ResourceAmounts.NONE, List.of(), Map.of(), PodTopology.NONE, Set.of());

  public Footprint {
    ports = List.copyOf(ports);
    labels = Map.copyOf(labels);
    volumeClaims = Set.copyOf(volumeClaims);
  }

  /**
   * A port of the node.
   *
   * @param address {@code 0.0.0.0} for all
   * @param protocol {@code TCP}, {@code UDP} or {@code SCTP}
   */
  public record HostPort(String address, String protocol, int port) {
    private static final String ALL = "0.0.0.0";

    public boolean conflictsWith(HostPort other) {
      return port == other.port
          && protocol.equals(other.protocol)
          && (address.equals(other.address) || address.equals(ALL) || other.address.equals(ALL));
    }
  }
}
