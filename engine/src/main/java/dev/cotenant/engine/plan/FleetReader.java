package dev.cotenant.engine.plan;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.graph.GraphFeatures;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Share;
import dev.cotenant.domain.text.Suggestion;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.domain.workload.Precision;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.engine.Engine;
import dev.cotenant.engine.plan.FleetDocument.DeviceEntry;
import dev.cotenant.engine.plan.FleetDocument.JobEntry;
import dev.cotenant.engine.plan.FleetDocument.MemoryEntry;
import dev.cotenant.engine.plan.FleetDocument.ShareEntry;
import dev.cotenant.engine.plan.FleetDocument.WorkloadEntry;
import dev.cotenant.engine.plan.FleetPlanRequest.Refused;
import dev.cotenant.interference.cold.ColdDevice;
import dev.cotenant.interference.profile.DeviceProfile;
import dev.cotenant.interference.profile.ProfileBook;
import dev.cotenant.interference.profile.WorkloadProfile;
import dev.cotenant.placement.fleet.Arrivals;
import dev.cotenant.placement.fleet.DeviceType;
import dev.cotenant.placement.fleet.FixedShare;
import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.Job;
import dev.cotenant.placement.fleet.MemoryByBatch;
import dev.cotenant.placement.fleet.Service;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Turns a document into a fleet: profiles by name, models through the predictor.
 *
 * <p>An invalid document or device is an {@link InputException}; an unreadable workload is refused
 * by name without effect on the others.
 */
final class FleetReader {
  private static final RunSettings INFERENCE =
      RunSettings.of(ExecutionMode.INFERENCE, Precision.FP32);
  private static final double MAX_GIB = 1 << 14;
  private static final double MILLIS_PER_MINUTE = 60_000;
  private static final double MAX_MINUTES = 60 * 24 * 365;
  private static final Duration HOUR = Duration.ofHours(1);

  /**
   * The batches that memory is predicted at, from the smallest to the largest of InSS's search
   * [InSS, section 5.2]; linear between them.
   */
  private static final List<Integer> MEMORY_BATCHES = List.of(1, 2, 4, 8, 16, 32);

  private static final int MAX_POINTS = 64;
  private static final int MAX_BATCH = 1 << 16;

  private final Engine engine;
  private final ProfileBook book;
  private final ModelSource models;
  private final String name;
  private final List<Refused> refused = new ArrayList<>();
  private final Set<String> notes = new TreeSet<>();
  private final Map<String, Device> hardware = new HashMap<>();
  private final Set<String> names = new HashSet<>();

  /**
   * @param name stands for the document in messages
   */
  FleetReader(Engine engine, ProfileBook book, ModelSource models, String name) {
    this.engine = engine;
    this.book = book;
    this.models = models;
    this.name = name;
  }

  FleetPlanRequest read(FleetDocument document) {
    List<DeviceType> devices = devices(FleetDocument.present(document.devices()));
    List<Service> services = new ArrayList<>();
    List<@Nullable WorkloadEntry> workloads = FleetDocument.present(document.workloads());
    for (int i = 0; i < workloads.size(); i++) {
      String at = "workloads[" + i + "]";
      WorkloadEntry entry = present(workloads.get(i), at);
      String who = unique(present(entry.name(), at + ".name"), at);
      try {
        services.add(service(who, entry, devices));
      } catch (InputException e) {
        refused.add(new Refused(who, e.getMessage()));
      }
    }
    List<Job> packed = jobs(FleetDocument.present(document.jobs()));
    if (workloads.isEmpty() && FleetDocument.present(document.jobs()).isEmpty()) {
      throw bad("workloads", "there is nothing to plan: give workloads, jobs or both");
    }
    List<FixedShare> placement = placement(FleetDocument.present(document.placement()));
    Fleet fleet = new Fleet(devices, services, packed, placement, arrivals(document.arrivals()));
    return new FleetPlanRequest(fleet, refused, List.copyOf(notes));
  }

  private List<DeviceType> devices(List<@Nullable DeviceEntry> entries) {
    if (entries.isEmpty()) {
      throw bad("devices", "name at least one device to plan on");
    }
    List<DeviceType> devices = new ArrayList<>();
    for (int i = 0; i < entries.size(); i++) {
      String at = "devices[" + i + "]";
      DeviceEntry entry = present(entries.get(i), at);
      String id = present(entry.id(), at + ".id");
      Device device = engine.devices().require(id);
      if (hardware.put(id, device) != null) {
        throw bad(at, "the device '" + id + "' is listed twice");
      }
      Double price = entry.pricePerHour();
      Integer count = entry.maxCount();
      devices.add(
          new DeviceType(
              id,
              device.memory(),
              price == null ? 1 : price,
              count == null ? Integer.MAX_VALUE : count,
              profile(device)));
    }
    return devices;
  }

  private DeviceProfile profile(Device device) {
    String id = device.id().value();
    return book.device(id)
        .orElseGet(() -> {
          notes.add(id + " was never profiled: a V100's interference coefficients stand in");
          return ColdDevice.profile(device);
        });
  }

  private Service service(String who, WorkloadEntry entry, List<DeviceType> devices) {
    String profile = entry.profile();
    String model = entry.model();
    if ((profile == null) == (model == null)) {
      throw wrong(who, "give either 'profile' or 'model'");
    }
    double slo = required(who, "slo_latency_ms", entry.sloLatencyMillis());
    double rate = required(who, "request_rate_per_second", entry.requestRatePerSecond());
    MemorySize memory = memory(who, "memory_gib", entry.memoryGib());
    MemoryByBatch byBatch = memoryByBatch(who, entry.memoryByBatch());
    if (memory != null && byBatch != null) {
      throw wrong(who, "give either 'memory_gib' or 'memory_by_batch'");
    }
    Service stated = new Service(who, slo, rate, memory, Map.of());
    Service served = byBatch == null ? stated : stated.with(byBatch);
    return profile != null
        ? served.with(profiles(who, profile, devices))
        : modelled(served, Objects.requireNonNull(model));
  }

  private @Nullable MemoryByBatch memoryByBatch(
      String who, @Nullable List<@Nullable MemoryEntry> entries) {
    if (entries == null) {
      return null;
    }
    String key = "memory_by_batch";
    if (entries.isEmpty() || entries.size() > MAX_POINTS) {
      throw wrong(who, "'" + key + "' must have from 1 to " + MAX_POINTS + " batches");
    }
    NavigableMap<Integer, MemorySize> points = new TreeMap<>();
    for (int i = 0; i < entries.size(); i++) {
      String at = key + "[" + i + "]";
      MemoryEntry entry = entries.get(i);
      Integer batch = entry == null ? null : entry.batch();
      MemorySize memory = entry == null ? null : memory(who, at + ".memory_gib", entry.memoryGib());
      if (batch == null || memory == null) {
        throw wrong(who, "'" + at + "' needs batch and memory_gib");
      }
      if (batch < 1 || batch > MAX_BATCH || points.put(batch, memory) != null) {
        throw wrong(
            who,
            "'%s.batch' must be from 1 to %d and stated once, is %d"
                .formatted(at, MAX_BATCH, batch));
      }
    }
    try {
      return new MemoryByBatch(points);
    } catch (InputException e) {
      throw wrong(who, "'" + key + "': " + e.getMessage());
    }
  }

  private Map<String, WorkloadProfile> profiles(
      String who, String profile, List<DeviceType> devices) {
    Map<String, WorkloadProfile> found = new HashMap<>();
    for (DeviceType type : devices) {
      String id = Objects.requireNonNull(hardware.get(type.id())).id().value();
      book.workloads().stream()
          .filter(known -> known.name().equals(profile) && known.device().equals(id))
          .findFirst()
          .ifPresent(known -> found.put(type.id(), known));
    }
    if (found.isEmpty() && book.workload(profile).isEmpty()) {
      Set<String> known =
          new TreeSet<>(book.workloads().stream().map(WorkloadProfile::name).toList());
      throw wrong(
          who,
          "there is no profile '%s'%s; those known are %s"
              .formatted(profile, Suggestion.words(profile, known), String.join(", ", known)));
    }
    return found;
  }

  /** Guessed from the graph and the predicted utilization, on every device. */
  private Service modelled(Service served, String model) {
    GraphFeatures one = models.features(model, 1);
    Map<String, WorkloadProfile> guesses = new HashMap<>();
    double factor = 1;
    for (Map.Entry<String, Device> device : hardware.entrySet()) {
      Prediction prediction = engine.predict(one, INFERENCE, device.getValue());
      double utilization = prediction.utilization().mean().percent();
      GuessedProfile guess =
          GuessedProfile.of(served.name(), one, device.getValue(), INFERENCE, utilization);
      guesses.put(device.getKey(), guess.profile());
      factor = Math.max(factor, guess.factor());
    }
    notes.add(
        String.format(
            Locale.ROOT,
            "%s was never profiled: its times are predicted from its graph, and at most %.2f times"
                + " as long in %s of cases",
            served.name(),
            factor,
            Coverage.STANDARD));
    Service guessed = served.with(guesses);
    return served.memory() == null ? guessed.with(predictedMemory(model)) : guessed;
  }

  /** Upper bounds, on the device with the largest. */
  private MemoryByBatch predictedMemory(String model) {
    NavigableMap<Integer, MemorySize> bounds = new TreeMap<>();
    for (int batch : MEMORY_BATCHES) {
      GraphFeatures features = models.features(model, batch);
      MemorySize most = MemorySize.ZERO;
      for (Device device : hardware.values()) {
        most = most.max(engine.predict(features, INFERENCE, device).peakMemory().upper());
      }
      bounds.put(batch, most);
    }
    return MemoryByBatch.rising(bounds);
  }

  private List<Job> jobs(List<@Nullable JobEntry> entries) {
    List<Job> jobs = new ArrayList<>();
    for (int i = 0; i < entries.size(); i++) {
      String at = "jobs[" + i + "]";
      JobEntry entry = present(entries.get(i), at);
      String who = unique(present(entry.name(), at + ".name"), at);
      try {
        jobs.add(job(who, entry));
      } catch (InputException e) {
        refused.add(new Refused(who, e.getMessage()));
      }
    }
    return jobs;
  }

  private Job job(String who, JobEntry entry) {
    String model = entry.model();
    if (model == null) {
      throw wrong(who, "'model' is missing");
    }
    Integer batch = entry.batchSize();
    String mode = entry.mode();
    RunSettings run =
        mode == null
            ? RunSettings.DEFAULT
            : RunSettings.of(ExecutionMode.parse(mode), Precision.FP32);
    GraphFeatures features = models.features(model, batch == null ? 1 : batch);
    Map<String, Job.DevicePrediction> predictions = new HashMap<>();
    MemorySize most = MemorySize.ZERO;
    for (Map.Entry<String, Device> device : hardware.entrySet()) {
      Prediction made = engine.predict(features, run, device.getValue());
      most = most.max(made.peakMemory().upper());
      predictions.put(
          device.getKey(),
          new Job.DevicePrediction(made.utilization().mean(), made.peakMemory().mean()));
    }
    MemorySize stated = memory(who, "memory_gib", entry.memoryGib());
    return new Job(
        who, duration(who, entry.durationMinutes()), stated == null ? most : stated, predictions);
  }

  private Duration duration(String who, @Nullable Double minutes) {
    if (minutes == null) {
      return HOUR;
    }
    if (!(minutes > 0 && minutes <= MAX_MINUTES)) {
      throw wrong(who, "'duration_minutes' must be above 0 and at most a year, is " + minutes);
    }
    return Duration.ofMillis(Math.max(1, Math.round(minutes * MILLIS_PER_MINUTE)));
  }

  private @Nullable MemorySize memory(String who, String key, @Nullable Double gib) {
    if (gib == null) {
      return null;
    }
    if (!(gib >= 0 && gib <= MAX_GIB)) {
      throw wrong(who, "'" + key + "' must be from 0 to " + (int) MAX_GIB + ", is " + gib);
    }
    return MemorySize.ofBytesRoundedUp(gib * MemorySize.GIB);
  }

  private List<FixedShare> placement(List<@Nullable ShareEntry> entries) {
    List<FixedShare> shares = new ArrayList<>();
    for (int i = 0; i < entries.size(); i++) {
      String at = "placement[" + i + "]";
      ShareEntry entry = present(entries.get(i), at);
      int gpu = present(entry.gpu(), at + ".gpu");
      String workload = present(entry.workload(), at + ".workload");
      double percent = present(entry.sharePercent(), at + ".share_percent");
      if (gpu < 0) {
        throw bad(at + ".gpu", "must be at least 0, is " + gpu);
      }
      if (!names.contains(workload)) {
        throw bad(
            at + ".workload",
            "there is no workload '" + workload + "'" + Suggestion.words(workload, names));
      }
      if (!Share.isShare(percent)) {
        throw bad(at + ".share_percent", "must be from 0.1 to 100 in steps of 0.1");
      }
      shares.add(new FixedShare(gpu, workload, Share.ofPercent(percent)));
    }
    return shares;
  }

  private Arrivals arrivals(@Nullable String text) {
    return switch (text) {
      case null -> Arrivals.POISSON;
      case "poisson" -> Arrivals.POISSON;
      case "constant" -> Arrivals.CONSTANT;
      default -> throw bad("arrivals", "must be constant or poisson, is '" + text + "'");
    };
  }

  private String unique(String who, String at) {
    if (!names.add(who)) {
      throw bad(at + ".name", "'" + who + "' is listed twice: give each its own name");
    }
    return who;
  }

  private double required(String who, String key, @Nullable Double value) {
    if (value == null) {
      throw wrong(who, "'" + key + "' is missing");
    }
    return value;
  }

  private <T> T present(@Nullable T value, String at) {
    if (value == null) {
      throw bad(at, "is missing");
    }
    return value;
  }

  private InputException bad(String at, String problem) {
    return FleetDocument.bad(name, at, problem);
  }

  private InputException wrong(String who, String problem) {
    return FleetDocument.bad(name, who, problem);
  }
}
