package dev.cotenant.placement.inss;

import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.FleetPlan;
import dev.cotenant.placement.fleet.Service;
import dev.cotenant.placement.fleet.ServicePlanner;
import dev.cotenant.placement.igniter.IgniterPlanner;
import java.util.Comparator;
import java.util.List;

/**
 * InSS's batches for a placement: BDA, a binary search of the batch from 1 to 32 for each service,
 * so that every request is in time with its wait for the batch and every rate is served [InSS,
 * section 5.3, algorithm 1].
 *
 * <p>The placement is the fleet's own where it has one, else what a {@link PlacementPolicy}
 * proposes: the paper's is learned, the default here takes iGniter's shares. Where BDA finds no
 * batch, the paper answers false for all, and another placement is proposed; here the services
 * without a batch are unplaced, a note says false, and the policy proposes another placement of the
 * rest, which may take the capacity. A placement that the fleet comes with stays.
 *
 * <p>Deviations:
 *
 * <ul>
 *   <li>Algorithm 1 as printed marks a service as found when a batch is too large; its text, and
 *       this, when one is in time.
 *   <li>It stops at a batch that is in time and too slow; larger ones may be in time and fast
 *       enough, so that here the search continues. Where the printed one finds a batch, this finds
 *       the same.
 *   <li>Of a profile without the points of InSS's regression the coefficients are iGniter's: the
 *       active time is its curve, L2 its line at the share and the batch that fills in half the
 *       objective.
 *   <li>Memory is that of the batch where the service states it by batch, m(b), else the same at
 *       every batch. Of what a GPU has, each partition first gets the memory of its smallest batch
 *       that serves its rate, in the order of the placement, and then, in this order, what its
 *       largest batch needs: Algorithm 1 leaves the division open.
 *   <li>The state of the queue is that of requests that come evenly, whatever the fleet's arrivals,
 *       behind a backlog that is 0 unless set.
 * </ul>
 *
 * <p>The objective holds for waiting and t_inf together, so that a batch may take longer than the
 * half that iGniter allows it; what requires that half, such as {@link
 * dev.cotenant.placement.fleet.GpuEvaluation}, calls such a batch late.
 *
 * @apiNote batches for fixed shares (`placement`), else for `igniter`'s | InSS, algorithm 1 | no |
 *     batches up to 32
 */
public final class InssPlanner implements ServicePlanner {
  private final PlacementPolicy policy;
  private final int backlog;

  /** iGniter's shares where the fleet has no placement, and empty queues. */
  public InssPlanner() {
    this(InssPlanner::igniterShares, 0);
  }

  /**
   * @param policy proposes where the fleet has no placement
   * @param backlog requests that wait already when one arrives, at least 0
   */
  InssPlanner(PlacementPolicy policy, int backlog) {
    if (backlog < 0) {
      throw new IllegalArgumentException("backlog must be at least 0, is " + backlog);
    }
    this.policy = policy;
    this.backlog = backlog;
  }

  /**
   * GPUs and shares as iGniter gives them, its batches left aside.
   *
   * <p>iGniter's throughput does not count uploads and InSS's does: so its shares are those with
   * time for uploads between batches. Its reasons for unplaced services stay; the rate of a whole
   * GPU counts uploads too. Services that iGniter's sort treats as equal are placed by name, so
   * that the order of the fleet does not matter here.
   */
  private static FleetPlan igniterShares(Fleet fleet) {
    List<Service> byName =
        fleet.services().stream().sorted(Comparator.comparing(Service::name)).toList();
    return IgniterPlanner.UPLOADS_BETWEEN_BATCHES.plan(fleet.serving(byName));
  }

  @Override
  public String name() {
    return "inss-bda";
  }

  @Override
  public FleetPlan plan(Fleet fleet) {
    boolean given = !fleet.placement().isEmpty();
    FleetPlan proposal = (given ? new GivenPlacement() : policy).propose(fleet);
    Disposition disposition = new Disposition(fleet, backlog);
    while (!disposition.search(proposal) && !given) {
      proposal = policy.propose(disposition.others());
    }
    return disposition.plan(name(), proposal);
  }
}
