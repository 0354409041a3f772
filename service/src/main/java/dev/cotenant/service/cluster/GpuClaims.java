package dev.cotenant.service.cluster;

import java.time.Instant;
import java.util.Set;

/** GPUs that this replica observes and no other, as long as it claims them again in time. */
@FunctionalInterface
public interface GpuClaims {
  /**
   * Claims GPUs, or claims them again.
   *
   * @param gpus uuids
   * @param until when others may claim them
   * @return those that no other replica has claimed
   * @throws dev.cotenant.engine.lifecycle.StoreException where the database cannot be used
   */
  Set<String> claim(Set<String> gpus, Instant now, Instant until);
}
