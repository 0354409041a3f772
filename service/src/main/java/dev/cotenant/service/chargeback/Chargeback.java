package dev.cotenant.service.chargeback;

import dev.cotenant.admission.gate.GateView;
import dev.cotenant.domain.cluster.GpuSnapshot;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Metrics by pod: of each GPU the parts of its memory, which add up to one, and its memory. Created
 * from one view of the gate at each scrape, so that they are consistent, and removed with the pod.
 */
public final class Chargeback {
  private final Supplier<GateView> view;

  /**
   * @param view of the gate; a process that does not lead shows nothing
   */
  public Chargeback(Supplier<GateView> view) {
    this.view = view;
  }

  /**
   * The metrics in the text format of Prometheus.
   *
   * @param namespace whose pods are named, others have no part; null for all of them
   */
  public String text(@Nullable String namespace) {
    PrometheusRegistry registry = new PrometheusRegistry();
    registry.register((MultiCollector) () -> snapshots(view.get(), namespace));
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try {
      PrometheusTextFormatWriter.create().write(bytes, registry.scrape());
    } catch (IOException e) {
      throw new UncheckedIOException(e); // there is none in memory
    }
    return bytes.toString(StandardCharsets.UTF_8);
  }

  private static MetricSnapshots snapshots(GateView view, @Nullable String namespace) {
    List<GaugeDataPointSnapshot> shares =
        GpuShares.of(view).stream()
            .filter(share -> namespace == null || share.namespace().equals(namespace))
            .map(Chargeback::point)
            .toList();
    List<GaugeDataPointSnapshot> memory =
        namespace == null
            ? view.cluster().gpus().stream().map(Chargeback::memory).toList()
            : List.of();
    return new MetricSnapshots(
        gauge("cotenant_gpu_share_ratio", "part of the memory of a GPU", shares),
        gauge("cotenant_gpu_usable_memory_bytes", "memory that workloads can use", memory));
  }

  private static GaugeSnapshot gauge(
      String name, String help, List<GaugeDataPointSnapshot> points) {
    GaugeSnapshot.Builder gauge = GaugeSnapshot.builder().name(name).help(help);
    points.forEach(gauge::dataPoint);
    return gauge.build();
  }

  private static GaugeDataPointSnapshot point(GpuShare share) {
    return GaugeDataPointSnapshot.builder()
        .labels(
            Labels.of(
                "gpu", share.gpu(),
                "node", share.node(),
                "product", share.product(),
                "namespace", share.namespace(),
                "pod", share.pod(),
                "part", share.part().label()))
        .value(share.ratio())
        .build();
  }

  private static GaugeDataPointSnapshot memory(GpuSnapshot gpu) {
    return GaugeDataPointSnapshot.builder()
        .labels(
            Labels.of("gpu", gpu.uuid(), "node", gpu.node(), "product", gpu.device().id().value()))
        .value((double) gpu.capacity().bytes())
        .build();
  }
}
