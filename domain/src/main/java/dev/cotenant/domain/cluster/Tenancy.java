package dev.cotenant.domain.cluster;

import java.util.List;

/** Who holds a GPU, and whether it can be shared at all. */
public sealed interface Tenancy {
  /** Shared by these tenants; an empty list is a free GPU. */
  record Shared(List<Tenant> tenants) implements Tenancy {
    public Shared {
      tenants = List.copyOf(tenants);
    }
  }

  /** Held whole by one workload, {@code team-a/big}. */
  record Exclusive(String holder) implements Tenancy {}

  /** Split by MIG; its instances are not shared further. */
  record Mig() implements Tenancy {}
}
