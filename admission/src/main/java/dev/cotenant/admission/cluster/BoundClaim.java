package dev.cotenant.admission.cluster;

/**
 * A PersistentVolumeClaim that is bound to a volume.
 *
 * @param key namespace and name, {@code team-a/data}
 * @param volume name of its PersistentVolume
 */
public record BoundClaim(String key, String volume) {}
