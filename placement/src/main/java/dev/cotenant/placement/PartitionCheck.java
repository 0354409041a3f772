package dev.cotenant.placement;

import dev.cotenant.domain.cluster.Tenant;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.prediction.ObjectivePrediction;
import dev.cotenant.domain.prediction.ServicePartition;
import dev.cotenant.domain.quantity.Rounding;
import dev.cotenant.domain.quantity.Share;
import dev.cotenant.domain.quantity.Slowdown;
import dev.cotenant.interference.partition.PartitionGroup;
import dev.cotenant.interference.profile.ProfiledPartition;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The slowdown of profiled services beside each other in partitions of one GPU, by iGniter's model
 * [iGniter, section 3.1]: delay of scheduling, L2, and frequency at the power that all draw.
 */
public final class PartitionCheck {
  private PartitionCheck() {}

  /**
   * A service beside the others.
   *
   * @param slowdown of a batch of one or of its largest, whichever suffers more
   * @param l2Percent that it takes of the device's L2
   */
  record Effect(
      String name,
      ProfiledPartition partition,
      Slowdown limit,
      double slowdown,
      double l2Percent) {}

  /**
   * Whether shares replace utilizations on a GPU: all its workloads are profiled services in
   * partitions, and the sum of shares is within the limit.
   *
   * @param partitions of all workloads, null for unprofiled ones
   */
  public static boolean isPartitioned(
      Iterable<? extends @Nullable ServicePartition> partitions, SharingLimits limits) {
    double percent = 0;
    for (ServicePartition partition : partitions) {
      percent += sharePercent(partition);
    }
    return isWithin(percent, limits);
  }

  static boolean isWithin(double sharePercent, SharingLimits limits) {
    return sharePercent <= limitPercent(limits) + Rounding.SLACK;
  }

  /** Of the GPU's compute, what profiled services may have together. */
  static double limitPercent(SharingLimits limits) {
    return Math.min(Share.WHOLE.percent(), limits.summedUtilization().percent());
  }

  /**
   * The tenants as profiled services in partitions; empty where one is not, or where the model has
   * no figure: for shares beyond the GPU, beyond what was profiled, or with coefficients of several
   * devices.
   */
  static Optional<PartitionGroup> group(List<Tenant> tenants) {
    List<PartitionGroup.Member> members = new ArrayList<>();
    for (Tenant tenant : tenants) {
      PartitionGroup.Member member = member(tenant.partition(), tenant.slowdownLimit());
      if (member == null) {
        return Optional.empty();
      }
      members.add(member);
    }
    return PartitionGroup.of(members);
  }

  private static PartitionGroup.@Nullable Member member(
      @Nullable ServicePartition partition, Slowdown limit) {
    return partition instanceof ProfiledPartition profiled
        ? PartitionGroup.Member.of(profiled, limit.ratio()).orElse(null)
        : null;
  }

  /**
   * The shares in which a profiled service meets its objective, and the choice of the smallest one
   * that suits a GPU.
   */
  static final class Shares {
    /*
     * As iGniter raises shares until every latency holds [iGniter, Algorithm 2]: the share has to
     * stand what neighbours do to the service now and, in proportion to the share that stays free,
     * what later ones may do, up to the slowdown that the policy allows.
     */
    private final List<Newcomer> newcomers;
    private final List<PartitionGroup.Member> members;
    private final double slack;
    private final double limitPercent;

    private Shares(List<Newcomer> newcomers, List<PartitionGroup.Member> members) {
      this.newcomers = newcomers;
      this.members = members;
      Newcomer largest = newcomers.getLast();
      slack = largest.limits().slowdown().ratio() - 1;
      limitPercent = limitPercent(largest.limits());
    }

    /** Empty where it is no profiled service, or where the model has no figure of it. */
    static Optional<Shares> of(Newcomer newcomer) {
      List<Newcomer> newcomers = new ArrayList<>();
      ObjectivePrediction service = newcomer.prediction().service();
      if (service != null) {
        service.smaller().forEach(smaller -> newcomers.add(newcomer.in(smaller)));
      }
      newcomers.add(newcomer);
      List<PartitionGroup.Member> members = new ArrayList<>();
      for (Newcomer each : newcomers) {
        PartitionGroup.Member member =
            member(each.prediction().partition(), each.limits().slowdown());
        if (member == null) {
          return Optional.empty();
        }
        members.add(member);
      }
      return Optional.of(new Shares(newcomers, members));
    }

    /** Whether the tenants' model covers the newcomer. */
    boolean isComparable(PartitionGroup tenants) {
      return tenants.isOfDevice(members.getFirst().terms());
    }

    /** The first place from {@code from} on with a suitable share; else the size. */
    int next(UtilizationBucket.Partitioned gpus, int from) {
      PartitionGroup.Member least = members.getFirst();
      double free = limitPercent - least.partition().share().percent();
      int place = Math.max(from, gpus.firstWithin(free + Rounding.SLACK));
      while (place < gpus.size()
          && !(gpus.mayTolerate(place, least.terms())
              && mayTolerate(gpus, place)
              && willDo(gpus.get(place)))) {
        place++;
      }
      return place;
    }

    /** Its largest share that is still free beside so much. */
    private PartitionGroup.Member largest(double sharePercent) {
      int index = members.size() - 1;
      while (index > 0 && !isFree(members.get(index), sharePercent)) {
        index--;
      }
      return members.get(index);
    }

    private boolean isFree(PartitionGroup.Member own, double sharePercent) {
      return own.partition().share().percent() <= limitPercent - sharePercent + Rounding.SLACK;
    }

    /** Whether the newcomer may tolerate its neighbours in its largest free share. */
    private boolean mayTolerate(UtilizationBucket.Partitioned gpus, int place) {
      PartitionGroup.Member largest = largest(gpus.sharePercent(place));
      return largest
          .terms()
          .mayStay(
              members.getFirst().terms(),
              gpus.services(place) + 1,
              gpus.l2Percent(place),
              gpus.watts(place),
              largest.limit());
    }

    private boolean willDo(IndexedGpu gpu) {
      PartitionGroup tenants = gpu.neighbours().partitions();
      return tenants != null && isComparable(tenants) && least(tenants) != null;
    }

    /** The newcomer in its largest free share, else in its smallest share. */
    private Newcomer closest(PartitionGroup tenants) {
      return newcomers.get(members.indexOf(largest(tenants.sharePercent())));
    }

    /** The newcomer in the smallest suitable share beside tenants; null without one. */
    @Nullable Newcomer least(PartitionGroup tenants) {
      Newcomer found = null;
      for (int i = 0; i < members.size(); i++) {
        PartitionGroup.Member own = members.get(i);
        double slowdown = tenants.slowdownOf(own.terms());
        if (slowdown <= own.limit()) {
          // A larger share demands no less of the tenants.
          if (!isFree(own, tenants.sharePercent()) || !tenants.tolerates(own.terms())) {
            break;
          }
          found = newcomers.get(i);
          double free = limitPercent - tenants.sharePercent() - own.partition().share().percent();
          double later = slack * free / Share.WHOLE.percent();
          if (Math.min(slowdown + later, 1 + slack) <= own.limit()) {
            break;
          }
        }
      }
      return found;
    }
  }

  /**
   * A newcomer with its share beside tenants.
   *
   * @param newcomer in the smallest suitable share if all tenants are profiled services, else
   *     unchanged
   * @param sharePercent of all together; NaN where shares do not count in place of utilizations
   */
  record Placed(Newcomer newcomer, double sharePercent) {}

  /**
   * Beside tenants.
   *
   * @param isUsedByOthers whether something else uses the GPU
   */
  static Placed placed(List<Tenant> tenants, Newcomer newcomer, boolean isUsedByOthers) {
    Shares shares = isUsedByOthers ? null : Shares.of(newcomer).orElse(null);
    PartitionGroup group = shares == null ? null : group(tenants).orElse(null);
    if (shares == null || group == null || !shares.isComparable(group)) {
      return new Placed(inFreeShare(tenants, newcomer), Double.NaN);
    }
    Newcomer least = shares.least(group);
    Newcomer chosen = least == null && !tenants.isEmpty() ? shares.closest(group) : least;
    return chosen == null || tenants.isEmpty()
        ? new Placed(chosen == null ? newcomer : chosen, Double.NaN)
        : new Placed(
            chosen,
            group.sharePercent()
                + Objects.requireNonNull(chosen.prediction().partition()).share().percent());
  }

  /**
   * In the largest of its shares that is still free beside services with shares, else the least.
   */
  private static Newcomer inFreeShare(List<Tenant> tenants, Newcomer newcomer) {
    double taken = sharePercent(tenants);
    ObjectivePrediction service = newcomer.prediction().service();
    if (Double.isNaN(taken)
        || service == null
        || isWithin(taken + sharePercent(newcomer), newcomer.limits())) {
      return newcomer;
    }
    List<ObjectivePrediction.SmallerShare> smaller = service.smaller();
    for (int i = smaller.size() - 1; i >= 0; i--) {
      if (i == 0 || isWithin(taken + smaller.get(i).share().percent(), newcomer.limits())) {
        return newcomer.in(smaller.get(i));
      }
    }
    return newcomer;
  }

  /**
   * The shares of tenants that are all profiled services, percent; NaN where one is not, or none.
   */
  static double sharePercent(List<Tenant> tenants) {
    double percent = tenants.isEmpty() ? Double.NaN : 0;
    for (Tenant tenant : tenants) {
      percent += sharePercent(tenant.partition());
    }
    return percent;
  }

  /** The share of a newcomer, percent; NaN where it is no profiled service. */
  static double sharePercent(Newcomer newcomer) {
    return sharePercent(newcomer.prediction().partition());
  }

  /** The least of its shares, percent; NaN where it is no profiled service. */
  static double leastSharePercent(Newcomer newcomer) {
    ObjectivePrediction service = newcomer.prediction().service();
    double own = sharePercent(newcomer);
    return Double.isNaN(own) || service == null || service.smaller().isEmpty()
        ? own
        : service.smaller().getFirst().share().percent();
  }

  private static double sharePercent(@Nullable ServicePartition partition) {
    return partition instanceof ProfiledPartition profiled
        ? profiled.share().percent()
        : Double.NaN;
  }

  /**
   * Of the profiled services among the tenants and the newcomer, the newcomer last if it is one.
   * Empty with fewer than two, and where the model has no figure: for shares beyond the GPU, beyond
   * what was profiled, or with coefficients of several devices.
   */
  static List<Effect> effects(List<Tenant> tenants, Newcomer newcomer) {
    List<Named> named = named(tenants);
    if (newcomer.prediction().partition() instanceof ProfiledPartition own) {
      named.add(new Named(newcomer.name(), own, newcomer.limits().slowdown()));
    }
    return evaluated(named);
  }

  /** The same of tenants alone. */
  static List<Effect> effects(List<Tenant> tenants) {
    return evaluated(named(tenants));
  }

  private record Named(String name, ProfiledPartition partition, Slowdown limit) {}

  private static List<Named> named(List<Tenant> tenants) {
    List<Named> named = new ArrayList<>();
    for (Tenant tenant : tenants) {
      if (tenant.partition() instanceof ProfiledPartition partition) {
        named.add(new Named(tenant.name(), partition, tenant.slowdownLimit()));
      }
    }
    return named;
  }

  private static List<Effect> evaluated(List<Named> named) {
    if (named.size() < 2) {
      return List.of();
    }
    List<PartitionGroup.Member> members = new ArrayList<>();
    for (Named one : named) {
      PartitionGroup.Member member = member(one.partition, one.limit);
      if (member == null) {
        return List.of();
      }
      members.add(member);
    }
    return PartitionGroup.of(members).map(group -> effects(named, group)).orElse(List.of());
  }

  private static List<Effect> effects(List<Named> named, PartitionGroup group) {
    List<Effect> effects = new ArrayList<>();
    for (int i = 0; i < named.size(); i++) {
      PartitionGroup.Member member = group.members().get(i);
      Named one = named.get(i);
      effects.add(
          new Effect(
              one.name,
              one.partition,
              one.limit,
              group.slowdown(member),
              member.terms().l2Percent()));
    }
    return effects;
  }
}
