package dev.cotenant.placement.inss;

import dev.cotenant.placement.fleet.FixedShare;
import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.FleetPlan;
import java.util.List;

/**
 * Proposes which service runs on which GPU with which share: the first of InSS's two layers [InSS,
 * section 5.2]. It proposes no batches: {@link InssPlanner} finds them, or reports services without
 * one.
 *
 * <p>Every service of the fleet is in the proposal or unplaced; shares on a GPU add up to at most
 * the whole, and the number of GPUs per kind is limited. Each partition has one turn; its batch is
 * ignored. The same fleet gives the same proposal.
 */
@FunctionalInterface
public interface PlacementPolicy {
  /** A placement for the fleet. */
  FleetPlan propose(Fleet fleet);

  /** These shares as a proposal; services without one are unplaced. */
  static FleetPlan given(Fleet fleet, List<FixedShare> shares) {
    return new GivenPlacement().propose(fleet.placed(shares));
  }
}
