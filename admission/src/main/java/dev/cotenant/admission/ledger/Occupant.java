package dev.cotenant.admission.ledger;

import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.cluster.Tenant;
import java.util.ArrayList;
import java.util.List;

/**
 * Who holds capacity on which GPUs, as snapshots show it.
 *
 * @param key names it among all
 * @param gpus uuids of its GPUs, all of one node
 * @param use how it holds them
 */
public record Occupant(String key, List<String> gpus, Use use) {
  public Occupant {
    gpus = List.copyOf(gpus);
  }

  /** How GPUs are held. */
  public sealed interface Use {}

  /** With others. */
  public record Sharing(Tenant tenant) implements Use {}

  /** Whole, by {@code team-a/big}. */
  public record Alone(String holder) implements Use {}

  /** How a GPU with this tenancy is held once this one counts. */
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
