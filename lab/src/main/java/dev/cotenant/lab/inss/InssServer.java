package dev.cotenant.lab.inss;

import dev.cotenant.datasets.named.ZooGraphs;
import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.device.PeakRates;
import dev.cotenant.domain.graph.GraphWork;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Share;
import dev.cotenant.domain.workload.Precision;
import dev.cotenant.interference.cold.ColdDevice;
import dev.cotenant.interference.cold.ColdStart;
import dev.cotenant.interference.profile.WorkloadProfile;
import dev.cotenant.interference.profile.WorkloadProfile.ActiveTime;
import dev.cotenant.placement.fleet.Arrivals;
import dev.cotenant.placement.fleet.DeviceType;
import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.Service;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * The cluster and the models of the InSS paper [InSS, section 6.1]: two RTX 2060 Super and two RTX
 * 2060.
 *
 * <p>Coefficients were not published. The form of a time comes from the graph, its height from the
 * one latency of the model that tables 2 and 3 print, taken as that of the RTX 2060; MobileNet has
 * none and takes MnasNet's ratio. Interference coefficients are a V100's.
 */
final class InssServer {
  private static final Device SUPER = device("rtx-2060-super", 8_000, 7.2, 448, 34, 4, 175);
  private static final Device PLAIN = device("rtx-2060", 6_000, 6.5, 336, 30, 3, 160);
  private static final int BATCH = 4;

  /** A CUDA process with its libraries, as profilers of PyTorch report it. */
  private static final MemorySize PROCESS = MemorySize.ofMiB(600);

  /**
   * A model of the paper.
   *
   * @param name in the paper
   * @param network in the zoo
   * @param sloMillis its objective
   * @param measuredMillis of a batch of 4 at a share
   * @param sharePercent the share
   */
  record Model(
      String name, String network, double sloMillis, double measuredMillis, double sharePercent) {}

  private static final List<Model> SIX =
      List.of(
          new Model("AlexNet", "alexnet", 25, 5.674, 30),
          new Model("ResNet50", "resnet50", 80, 23.285, 30),
          new Model("VGG16", "vgg16", 150, 62.009, 30),
          new Model("MnasNet", "mnasnet1_0", 50, 4.241, 24),
          new Model("MobileNet", "mobilenet_v1", 60, 0, 24),
          new Model("EfficientNet", "efficientnet_b0", 40, 15.515, 18));

  private static final List<Model> TWO_MORE =
      List.of(
          new Model("ResNet18", "resnet18", 60, 11.446, 24),
          new Model("VGG19", "vgg19", 200, 91.690, 24));

  private final Map<String, Map<String, WorkloadProfile>> profiles = new HashMap<>();
  private final Map<String, GraphWork> works = new HashMap<>();
  private final List<Model> models;
  private final int supers;
  private final int plains;

  private InssServer(List<Model> models, int supers, int plains) {
    this.models = models;
    this.supers = supers;
    this.plains = plains;
    for (Model model : models) {
      double scale = scale(model.measuredMillis() > 0 ? model : SIX.get(3));
      Map<String, WorkloadProfile> byDevice = new HashMap<>();
      for (Device device : List.of(SUPER, PLAIN)) {
        byDevice.put(device.id().value(), scaled(model, device, scale));
      }
      profiles.put(model.name(), byDevice);
      works.put(model.name(), ZooGraphs.image(model.network()));
    }
  }

  /** Six models on two GPUs of each kind [InSS, section 6.3]. */
  static InssServer ofSix() {
    return new InssServer(SIX, 2, 2);
  }

  /**
   * All eight models [InSS, section 6.3, "heavy workload"] on GPUs of the first kind and others.
   */
  static InssServer ofEight(int supers, int plains) {
    return new InssServer(Stream.concat(SIX.stream(), TWO_MORE.stream()).toList(), supers, plains);
  }

  private static Device device(
      String id,
      long memoryMiB,
      double teraflops,
      double bandwidth,
      int processors,
      long l2MiB,
      double watts) {
    return new Device(
        new DeviceId(id),
        id,
        MemorySize.ofMiB(memoryMiB),
        new PeakRates(Map.of(Precision.FP32, teraflops)),
        bandwidth,
        processors,
        MemorySize.ofMiB(l2MiB),
        watts,
        "InSS, section 6.1");
  }

  /** What each GPU has, in the order of the fleet's devices. */
  List<MemorySize> memory() {
    return Stream.concat(
            Collections.nCopies(supers, SUPER.memory()).stream(),
            Collections.nCopies(plains, PLAIN.memory()).stream())
        .toList();
  }

  /**
   * Bytes of a model's process with a batch: {@link #PROCESS}, weights, and all activations of all
   * requests, since what an engine frees in between is not known.
   */
  double memory(String model, int batch) {
    GraphWork work = Objects.requireNonNull(works.get(model), model);
    return PROCESS.bytes() + work.parameterBytes() + batch * work.activationBytesPerSample();
  }

  List<Model> models() {
    return models;
  }

  Map<String, Integer> gpus() {
    return Map.of(SUPER.id().value(), supers, PLAIN.id().value(), plains);
  }

  /** The fleet at rates by model; models without requests are left out. */
  Fleet fleet(Map<String, Double> requestsPerSecond) {
    List<Service> services = new ArrayList<>();
    for (Model model : models) {
      double rate = requestsPerSecond.getOrDefault(model.name(), 0.0);
      if (rate > 0) {
        services.add(
            new Service(
                model.name(),
                model.sloMillis(),
                rate,
                null,
                Objects.requireNonNull(profiles.get(model.name()))));
      }
    }
    List<DeviceType> devices = List.of(type(SUPER, supers), type(PLAIN, plains));
    return new Fleet(devices, services, List.of(), List.of(), Arrivals.CONSTANT);
  }

  /** Requests a second of a model on a whole RTX 2060 in batches of 4, which sets its rate. */
  double wholeRate(Model model) {
    return wholeRate(model, BATCH);
  }

  /** Maximum rate of a whole GPU at a batch size. */
  double wholeRate(Model model, int batch) {
    ActiveTime time =
        Objects.requireNonNull(
                Objects.requireNonNull(profiles.get(model.name())).get(PLAIN.id().value()))
            .activeTime();
    return 1_000 * batch / time.millis(batch, Share.WHOLE.percent());
  }

  private static DeviceType type(Device device, int count) {
    return new DeviceType(
        device.id().value(), device.memory(), 1, count, ColdDevice.profile(device));
  }

  private static double scale(Model model) {
    double guessed = guess(model, PLAIN).activeTime().millis(BATCH, model.sharePercent());
    return model.measuredMillis() / guessed;
  }

  private static WorkloadProfile guess(Model model, Device device) {
    return ColdStart.profile(
        model.name(), ZooGraphs.image(model.network()), device, Share.WHOLE.percent());
  }

  private static WorkloadProfile scaled(Model model, Device device, double by) {
    WorkloadProfile guess = guess(model, device);
    return guess.with(guess.activeTime().scaledBy(by));
  }
}
