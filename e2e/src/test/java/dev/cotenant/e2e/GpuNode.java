package dev.cotenant.e2e;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * A synthetic node as kubelet, device plugin and GPU feature discovery announce it.
 *
 * @param product of all its GPUs
 * @param gpus the number of GPUs
 * @param replicas how often the device plugin offers each of them; above 1 it shares them in time
 * @param labels beside those of the kubelet and of GPU feature discovery
 * @param resources allocatable amounts but GPUs
 */
record GpuNode(
    String name,
    Product product,
    int gpus,
    int replicas,
    Map<String, String> labels,
    Map<String, String> resources) {
  static final String GPU = "nvidia.com/gpu";
  static final String PRODUCT = "nvidia.com/gpu.product";

  private static final String ZONE = "topology.kubernetes.io/zone";

  /** A GPU product with its memory in MiB. */
  enum Product {
    A100("NVIDIA A100-SXM4-40GB", 40_960, 40_325),
    H100("NVIDIA H100 80GB HBM3", 81_920, 81_079),
    TITAN_RTX("NVIDIA TITAN RTX", 24_576, 24_190);

    private final String model;
    private final int memoryMib;
    private final int usableMib;

    Product(String model, int memoryMib, int usableMib) {
      this.model = model;
      this.memoryMib = memoryMib;
      this.usableMib = usableMib;
    }

    /** The name that the driver reports. */
    String model() {
      return model;
    }

    int usableMib() {
      return usableMib;
    }
  }

  GpuNode {
    labels = Map.copyOf(labels);
    resources = Map.copyOf(resources);
  }

  /** A node with one A100 that is offered once. */
  static GpuNode named(String name) {
    Map<String, String> resources = Map.of("cpu", "64", "memory", "256Gi", "pods", "110");
    return new GpuNode(name, Product.A100, 1, 1, Map.of(), resources);
  }

  GpuNode with(int number) {
    return new GpuNode(name, product, number, replicas, labels, resources);
  }

  GpuNode offeredEach(int times) {
    return new GpuNode(name, product, gpus, times, labels, resources);
  }

  GpuNode of(Product other) {
    return new GpuNode(name, other, gpus, replicas, labels, resources);
  }

  GpuNode inZone(String zone) {
    Map<String, String> all = new TreeMap<>(labels);
    all.put(ZONE, zone);
    return new GpuNode(name, product, gpus, replicas, all, resources);
  }

  GpuNode allocatable(String resource, String amount) {
    Map<String, String> all = new TreeMap<>(resources);
    all.put(resource, amount);
    return new GpuNode(name, product, gpus, replicas, labels, all);
  }

  /** Of all its GPUs. */
  List<String> uuids() {
    return IntStream.range(0, gpus).mapToObj(i -> "GPU-" + name + "-" + i).toList();
  }

  Map<String, String> allLabels() {
    Map<String, String> all = new TreeMap<>(labels);
    all.put("kubernetes.io/hostname", name);
    all.put("node.kubernetes.io/exclude-from-external-load-balancers", "true");
    all.put(PRODUCT, productLabel());
    all.put("nvidia.com/gpu.memory", Integer.toString(product.memoryMib));
    all.put("nvidia.com/gpu.count", Integer.toString(gpus));
    all.put("nvidia.com/gpu.replicas", Integer.toString(replicas));
    return all;
  }

  /** The product as GPU feature discovery writes it. */
  String productLabel() {
    return product.model.replace(' ', '-') + suffix();
  }

  private String suffix() {
    return replicas > 1 ? "-SHARED" : "";
  }

  /** The amounts that the kubelet admits pods against. */
  Map<String, String> allAllocatable() {
    Map<String, String> all = new TreeMap<>(resources);
    all.put(GPU, Integer.toString(gpus * replicas));
    return all;
  }
}
