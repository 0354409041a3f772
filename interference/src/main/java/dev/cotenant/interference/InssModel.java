package dev.cotenant.interference;

import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.interference.partition.Inss;
import dev.cotenant.interference.profile.DeviceProfile;
import dev.cotenant.interference.profile.ProfileBook;
import java.util.ArrayList;
import java.util.List;

/**
 * Inference in MPS partitions with requests that wait for their batch [InSS, section 4]: answers
 * where every member was profiled for InSS and its arrival rate is known.
 */
public final class InssModel implements InterferenceModel {
  static final String NAME = "inss";

  /*
   * t_inf of each as Inss gives it, T of a request over it, h = b / t_inf. The paper states a mean
   * prediction error below 4 %; of normally distributed errors that is a standard deviation of
   * 0.04·sqrt(π/2) = 5.0 %, which the bounds are made of. T grows with t_inf, so that its bounds are
   * those of t_inf put through the queue: the queue itself is taken as given.
   */
  private static final double DEVIATION = 0.04 * Math.sqrt(Math.PI / 2);
  private static final double MILLIS_PER_SECOND = 1000;
  private static final double FULL_PERCENT = 100;
  private static final double ROUNDING = 1e-9;
  private static final double BYTES_PER_MEBIBYTE = 1 << 20;

  private final ProfileBook book;
  private final DeviceCatalogue catalogue;

  /**
   * @param book coefficients of devices
   * @param catalogue how much memory they have
   */
  public InssModel(ProfileBook book, DeviceCatalogue catalogue) {
    this.book = book;
    this.catalogue = catalogue;
  }

  @Override
  public String name() {
    return NAME;
  }

  /** One member in its partition, with its queue. */
  private record Queued(String name, Inss.Placed placed, Inss.Arrival arrival) {}

  @Override
  public UtilizationAlone onUtilizationAlone() {
    return new UtilizationAlone.CannotSay();
  }

  @Override
  public GraphsKnown onGraphsKnown() {
    return new GraphsKnown.CannotSay();
  }

  @Override
  public Answer answer(Colocation colocation) {
    DeviceProfile device = book.device(colocation.device()).orElse(null);
    Device hardware = catalogue.find(colocation.device()).orElse(null);
    if (device == null || hardware == null) {
      return cannot("no interference coefficients for device '" + colocation.device() + "'");
    }
    List<Queued> queued = new ArrayList<>();
    double shares = 0;
    for (Colocation.Member member : colocation.members()) {
      MpsShare share = member.share();
      if (share == null) {
        return cannot("'" + member.name() + "' has no partition");
      }
      if (!(member.knowledge() instanceof Knowledge.Queued(var known, var arrival))) {
        return cannot("no arrival rate or no InSS profile of '" + member.name() + "'");
      }
      if (!known.base().device().equals(device.device())) {
        return cannot("'" + member.name() + "' was profiled on " + known.base().device());
      }
      Inss.Placed placed = new Inss.Placed(known, member.batch(), share.percent());
      queued.add(new Queued(member.name(), placed, arrival));
      shares += share.percent();
    }
    if (shares > FULL_PERCENT + ROUNDING) {
      return cannot("the shares add up to more than 100 %");
    }
    return evaluate(device, hardware, queued);
  }

  private Answer evaluate(DeviceProfile device, Device hardware, List<Queued> queued) {
    List<Inss.Placed> all = queued.stream().map(Queued::placed).toList();
    double needed = Inss.memoryMebibytes(all);
    double there = hardware.memory().bytes() / BYTES_PER_MEBIBYTE;
    if (!(needed <= there)) {
      return cannot(
          "the batches need "
              + Math.round(needed)
              + " MiB of memory, the device has "
              + Math.round(there));
    }
    List<Answer.Effect> effects = new ArrayList<>();
    for (int i = 0; i < all.size(); i++) {
      double together = Inss.latencyMillis(device, all, i);
      double alone = Inss.latencyMillis(device, List.of(all.get(i)), 0);
      if (!(alone > 0 && together > 0 && together < Double.POSITIVE_INFINITY)) {
        return cannot("the profile of '" + queued.get(i).name() + "' gives no positive time");
      }
      effects.add(effect(queued.get(i), together, alone));
    }
    return new Answer.Estimated(NAME, effects, null);
  }

  private static Answer.Effect effect(Queued own, double together, double alone) {
    int batch = own.placed().batch();
    Interval inference = Interval.logNormal(Math.max(together, alone), DEVIATION);
    Interval request =
        new Interval(
            own.arrival().latencyMillis(batch, inference.mean()),
            own.arrival().latencyMillis(batch, inference.lower()),
            own.arrival().latencyMillis(batch, inference.upper()));
    return new Answer.Effect(
        own.name(),
        Interval.logNormal(inference.mean() / alone, DEVIATION).atLeast(1),
        new Answer.Serving(inference, inference.under(MILLIS_PER_SECOND * batch), request),
        null);
  }

  private static Answer cannot(String reason) {
    return new Answer.CannotSay(NAME, reason);
  }
}
