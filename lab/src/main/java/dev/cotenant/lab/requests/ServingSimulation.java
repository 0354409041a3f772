package dev.cotenant.lab.requests;

import static dev.cotenant.lab.requests.ServingCluster.ordered;

import dev.cotenant.domain.quantity.Nanoseconds;
import dev.cotenant.lab.requests.RequestStream.Part;
import dev.cotenant.lab.requests.RequestStream.Stage;
import dev.cotenant.placement.fleet.FleetPlan;
import dev.cotenant.simulator.event.Timeline;
import dev.cotenant.simulator.event.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Simulates streams of requests on the partitions of a policy. Equal settings, streams and seeds
 * give equal figures.
 */
public final class ServingSimulation {
  /*
   * Events: one timer per stream for its next arrival, one per partition, one per running batch, one
   * for observations and periods, one per reorganisation. Requests are a long and an int in rings; the int is
   * ~stream for a request of one inference, else the slot of a request of several.
   *
   * Make before break: while new partitions are made ready the old ones serve as before; then requests
   * go to the new ones, those that wait in partitions that are gone move, batches that run end. Plans
   * with the same processes (device, shares, services) and other batches or rates apply at once.
   */
  private final ServingSettings settings;
  private final ServingPolicy policy;
  private final Timeline timeline = new Timeline();
  private final Progress progress = new Progress();
  private final List<StreamRecord> records = new ArrayList<>();
  private final SortedMap<String, Demand> demands = new TreeMap<>();
  private final Map<String, Routes> routes = new HashMap<>();
  private final ServingCluster cluster;
  private final SplittableRandom delays;
  private final SortedMap<String, BatchRecord> batches = new TreeMap<>();
  private final List<ServingTotals.Period> periods = new ArrayList<>();
  private ServingTotals.Counts counted = new ServingTotals.Counts(0, 0, 0, 0);
  private FleetPlan current = FleetPlan.of("none", List.of(), List.of());
  private @Nullable FleetPlan pending;
  private int reorganisations;

  private ServingSimulation(
      ServingSettings settings, List<RequestStream> streams, ServingPolicy policy) {
    this.settings = settings;
    this.policy = policy;
    SplittableRandom seeds = new SplittableRandom(settings.traffic().seed());
    delays = seeds.split();
    cluster = new ServingCluster(settings, timeline, new Results());
    for (RequestStream stream : streams) {
      declare(stream);
      open(stream, seeds.split());
    }
  }

  /**
   * Runs the streams for the duration of the settings.
   *
   * @throws IllegalArgumentException when the policy plans more than there is
   */
  public static ServingTotals run(
      ServingSettings settings, List<RequestStream> streams, ServingPolicy policy) {
    return new ServingSimulation(settings, streams, policy).run();
  }

  /** The observed requests of one service. */
  private static final class Demand {
    private long count;
    private double average;

    void observe(double seconds, double weight) {
      average += weight * (count / seconds - average);
      count = 0;
    }
  }

  private Demand demand(String service) {
    return demands.computeIfAbsent(service, _ -> new Demand());
  }

  /** What the operator states at the start. */
  private void declare(RequestStream stream) {
    for (Stage stage : stream.stages()) {
      for (Part part : stage.parts()) {
        Demand demand = demand(part.service());
        demand.average += part.count() * stream.rates().at(0);
      }
    }
  }

  private void open(RequestStream stream, SplittableRandom random) {
    int index = records.size();
    StreamRecord totals = new StreamRecord(stream);
    records.add(totals);
    ArrivalProcess arrivals =
        new ArrivalProcess(stream.rates(), settings.traffic().arrivals(), random);
    new Source(index, totals, arrivals).schedule();
  }

  /** Arrivals of one stream. */
  private final class Source {
    private final Timer timer = new Timer(this::arrive);
    private final int index;
    private final StreamRecord totals;
    private final ArrivalProcess arrivals;
    private final @Nullable String single;

    Source(int index, StreamRecord totals, ArrivalProcess arrivals) {
      this.index = index;
      this.totals = totals;
      this.arrivals = arrivals;
      RequestStream stream = totals.stream();
      single = stream.isSingle() ? stream.onlyService() : null;
    }

    void schedule() {
      long next = arrivals.next();
      if (next < Long.MAX_VALUE) {
        timeline.schedule(timer, next);
      }
    }

    private void arrive() {
      long now = timeline.now();
      totals.arrive(now);
      if (single == null) {
        begin(progress.open(index, now), 0);
      } else {
        send(single, now, ~index);
      }
      schedule();
    }
  }

  private void begin(int slot, int number) {
    Stage stage = records.get(progress.stream(slot)).stream().stages().get(number);
    int parts = stage.parts().stream().mapToInt(Part::count).sum();
    long since = progress.since(slot);
    progress.begin(slot, number, parts);
    for (Part part : stage.parts()) {
      for (int i = 0; i < part.count(); i++) {
        send(part.service(), since, slot);
      }
    }
  }

  private void send(String service, long since, int tag) {
    demand(service).count++;
    forward(service, since, tag);
  }

  private void forward(String service, long since, int tag) {
    Routes all = routes.get(service);
    if (all == null) {
      end(tag, since, true);
    } else {
      all.send(since, tag);
    }
  }

  /** Takes the results of partitions. */
  private final class Results implements PartitionServer.Outcomes {
    @Override
    public void served(int tag, long since) {
      end(tag, since, false);
    }

    @Override
    public void dropped(int tag) {
      end(tag, 0, true);
    }

    @Override
    public BatchRecord batches(String service) {
      return batches.computeIfAbsent(service, _ -> new BatchRecord());
    }

    @Override
    public long sloNanos(int tag) {
      return records.get(tag < 0 ? ~tag : progress.stream(tag)).sloNanos();
    }
  }

  private void end(int tag, long since, boolean dropped) {
    if (tag < 0) {
      finish(records.get(~tag), since, dropped);
    } else if (progress.end(tag, dropped)) {
      StreamRecord totals = records.get(progress.stream(tag));
      int next = progress.stage(tag) + 1;
      if (!progress.hasFailed(tag) && next < totals.stream().stages().size()) {
        begin(tag, next);
      } else {
        finish(totals, progress.since(tag), progress.hasFailed(tag));
        progress.close(tag);
      }
    }
  }

  private void finish(StreamRecord totals, long since, boolean dropped) {
    if (dropped) {
      totals.drop(timeline.now());
    } else {
      totals.serve(since, timeline.now());
    }
  }

  private ServingTotals run() {
    apply(ordered(policy.plan(observation())));
    new Monitor().schedule();
    long end = settings.traffic().duration().toNanos();
    while (timeline.size() > 0 && timeline.next() <= end) {
      timeline.step();
    }
    List<ServingTotals.Stream> streams = records.stream().map(each -> each.totals(end)).toList();
    List<ServingTotals.Batches> sizes = new ArrayList<>();
    batches.forEach((service, batch) -> sizes.add(batch.totals(service)));
    return new ServingTotals(
        streams, sizes, periods, reorganisations, end / Nanoseconds.PER_SECOND);
  }

  /**
   * Counts requests in each interval; a period ends with the interval that ends at that instant.
   */
  private final class Monitor {
    private final ServingSettings.Control control = settings.control();
    private final Timer timer = new Timer(this::tick);

    void schedule() {
      timeline.schedule(timer, timeline.now() + control.interval().toNanos());
    }

    private void tick() {
      double seconds = control.interval().toNanos() / Nanoseconds.PER_SECOND;
      demands.values().forEach(demand -> demand.observe(seconds, control.weight()));
      if (timeline.now() % control.period().toNanos() == 0) {
        review();
      }
      schedule();
    }
  }

  private Observation observation() {
    Map<String, Double> p99s = new HashMap<>();
    for (StreamRecord totals : records) {
      double p99 = totals.takeRecentP99Millis();
      if (totals.stream().isSingle()) {
        p99s.merge(totals.stream().onlyService(), p99, Math::max);
      }
    }
    SortedMap<String, Observation.Seen> seen = new TreeMap<>();
    demands.forEach((service, demand) -> {
      Routes all = routes.get(service);
      int queued = all == null ? 0 : all.queued();
      double p99 = p99s.getOrDefault(service, 0.0);
      seen.put(service, new Observation.Seen(demand.average, queued, p99));
    });
    return new Observation(Duration.ofNanos(timeline.now()), current, seen);
  }

  private void review() {
    record();
    if (pending != null) {
      return;
    }
    FleetPlan wanted = ordered(policy.plan(observation()));
    if (wanted.equals(current)) {
      return;
    }
    if (cluster.hasProcessesOf(wanted) || policy.hasStandby(wanted)) {
      apply(wanted);
    } else {
      reorganise(wanted);
    }
  }

  private void reorganise(FleetPlan wanted) {
    pending = wanted;
    reorganisations++;
    long shortest = settings.control().shortest().toNanos();
    long longest = settings.control().longest().toNanos();
    long delay = Math.round(shortest + (longest - shortest) * delays.nextDouble());
    timeline.schedule(
        new Timer(() -> {
          pending = null;
          apply(wanted);
        }),
        timeline.now() + delay);
  }

  private void apply(FleetPlan plan) {
    current = plan;
    cluster.apply(plan, routes, this::forward);
  }

  private void record() {
    ServingTotals.Counts all =
        records.stream()
            .map(StreamRecord::counts)
            .reduce(new ServingTotals.Counts(0, 0, 0, 0), ServingTotals.Counts::plus);
    double period = settings.control().period().toNanos() / Nanoseconds.PER_SECOND;
    double start = timeline.now() / Nanoseconds.PER_SECOND - period;
    periods.add(new ServingTotals.Period(start, all.minus(counted), current));
    counted = all;
  }
}
