package dev.cotenant.admission.ledger;

import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.cluster.Tenant;
import java.util.ArrayList;
import java.util.List;

/**
 * The owner of capacity in snapshots.
 *
 * @param key its unique key
 * @param gpus uuids of its GPUs, all of one node
 * @param use a share or whole GPUs
 */
public record Occupant(String key, List<String> gpus, Use use) {
  public Occupant {
    gpus = List.copyOf(gpus);
  }

  /** How GPUs are used. */
  public sealed interface Use {}

  public record Sharing(Tenant tenant) implements Use {}

  /** Whole, by {@code team-a/big}. */
  public record Alone(String holder) implements Use {}

  /** The tenancy of a GPU with this occupant added. */
  Tenancy addTo(Tenancy before) {
    return switch (before) {
      case Tenancy.Shared(List<Tenant> tenants) ->
          switch (use) {
            case Alone(String holder) -> new Tenancy.Exclusive(holder);
            case Sharing(Tenant tenant) -> {
              List<Tenant> all = new ArrayList<>(tenants);
              all.add(tenant);
              yield new Tenancy.Shared(all);
            }
          };
      case Tenancy.Exclusive exclusive -> exclusive;
      case Tenancy.Mig mig -> mig;
    };
  }
}
