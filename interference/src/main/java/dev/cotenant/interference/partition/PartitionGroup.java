package dev.cotenant.interference.partition;

import dev.cotenant.domain.quantity.Rounding;
import dev.cotenant.domain.quantity.Share;
import dev.cotenant.interference.profile.DeviceProfile;
import dev.cotenant.interference.profile.ProfiledPartition;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Profiled services in partitions of one GPU, each with the slowdown that it tolerates, and what
 * one more would do, by iGniter's model [iGniter, section 3.1]. Immutable.
 */
public final class PartitionGroup {
  /** A GPU without services. */
  public static final PartitionGroup EMPTY = new PartitionGroup(List.of());

  private final List<Member> members;
  private final @Nullable DeviceProfile device;
  private final double sharePercent;
  private final double l2Percent;
  private final double watts;
  private final double toleratedL2Percent;
  private final double toleratedWatts;

  /**
   * A service.
   *
   * @param limit the largest slowdown that it tolerates, at least 1
   */
  public record Member(ProfiledPartition partition, PartitionTerms terms, double limit) {
    /** Empty where its profile gives no figure in this partition. */
    public static Optional<Member> of(ProfiledPartition partition, double limit) {
      return PartitionTerms.of(partition).map(terms -> new Member(partition, terms, limit));
    }
  }

  private PartitionGroup(List<Member> members) {
    this.members = List.copyOf(members);
    device = members.isEmpty() ? null : members.getFirst().terms().device();
    double share = 0;
    double l2 = 0;
    double power = 0;
    for (Member member : members) {
      share += member.partition().share().percent();
      l2 += member.terms().l2Percent();
      power += member.terms().watts();
    }
    sharePercent = share;
    l2Percent = l2;
    watts = power;
    double mostL2 = Double.POSITIVE_INFINITY;
    double mostWatts = Double.POSITIVE_INFINITY;
    for (Member member : members) {
      PartitionTerms own = member.terms();
      double otherL2 = l2 - own.l2Percent();
      double otherWatts = power - own.watts();
      int services = members.size() + 1;
      mostL2 =
          Math.min(mostL2, own.mostOtherL2Percent(services, otherWatts, member.limit()) - otherL2);
      mostWatts =
          Math.min(mostWatts, own.mostOtherWatts(services, otherL2, member.limit()) - otherWatts);
    }
    toleratedL2Percent = mostL2;
    toleratedWatts = mostWatts;
  }

  /**
   * The group of these; empty where they have coefficients of several devices or more than the
   * whole GPU together.
   */
  public static Optional<PartitionGroup> of(List<Member> members) {
    if (members.isEmpty()) {
      return Optional.of(EMPTY);
    }
    PartitionGroup group = new PartitionGroup(members);
    boolean sameDevice =
        members.stream().allMatch(member -> member.terms().device().equals(group.device));
    return sameDevice && group.sharePercent <= Share.WHOLE.percent() + Rounding.SLACK
        ? Optional.of(group)
        : Optional.empty();
  }

  /** The services. */
  public List<Member> members() {
    return members;
  }

  /** The share of the GPU's compute that they have together, percent. */
  public double sharePercent() {
    return sharePercent;
  }

  /** Σc of the services, percent of the device's L2. */
  public double l2Percent() {
    return l2Percent;
  }

  /** Σp of the services, watts. */
  public double watts() {
    return watts;
  }

  /** No further service with more L2 than that is tolerated by all, whatever its power; percent. */
  public double toleratedL2Percent() {
    return toleratedL2Percent;
  }

  /** No further service with more power than that is tolerated by all, whatever its L2; watts. */
  public double toleratedWatts() {
    return toleratedWatts;
  }

  /** Slowdown of a service beside the other services of the group, at least 1. */
  public double slowdown(Member member) {
    PartitionTerms own = member.terms();
    return own.slowdown(members.size(), l2Percent - own.l2Percent(), watts - own.watts());
  }

  /** The slowdown of a further service beside these, at least 1; NaN on another device. */
  public double slowdownOf(PartitionTerms further) {
    return isOfDevice(further)
        ? further.slowdown(members.size() + 1, l2Percent, watts)
        : Double.NaN;
  }

  /** Whether every service tolerates the interference of a further one. */
  public boolean tolerates(PartitionTerms further) {
    if (!isOfDevice(further)) {
      return false;
    }
    double l2 = l2Percent + further.l2Percent();
    double power = watts + further.watts();
    for (Member member : members) {
      PartitionTerms own = member.terms();
      double slowdown = own.slowdown(members.size() + 1, l2 - own.l2Percent(), power - own.watts());
      if (!(slowdown <= member.limit())) {
        return false;
      }
    }
    return true;
  }

  /** Whether a further service has coefficients of the same device. */
  @SuppressWarnings(
      "ReferenceEquality") // the same object in nearly all cases, which is quickly said
  public boolean isOfDevice(PartitionTerms further) {
    return device == null || device == further.device() || device.equals(further.device());
  }
}
