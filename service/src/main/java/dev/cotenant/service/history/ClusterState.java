package dev.cotenant.service.history;

import dev.cotenant.admission.guard.Signal;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.cluster.Tenant;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.device.DeviceId;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * All GPUs of a cluster in one line each, and their totals.
 *
 * @param rows in snapshot order
 * @param figures totals; a figure that is not known is absent
 */
public record ClusterState(List<GpuRow> rows, Map<Figure, Double> figures) {
  public ClusterState {
    rows = List.copyOf(rows);
    figures = Map.copyOf(figures);
  }

  /** Predicts the largest slowdown of tenants that share a GPU. */
  @FunctionalInterface
  public interface Slowdowns {
    double worst(DeviceId device, List<Tenant> tenants);
  }

  /**
   * What the totals depend on beside the GPUs.
   *
   * @param waiting gated pods
   * @param unschedulable nodes that take no pods, and why
   * @param harm measured harm of colocated pods
   * @param prices of a GPU hour, by device
   */
  public record Context(
      int waiting,
      Map<String, String> unschedulable,
      List<MeasuredHarm.Harm> harm,
      SharingLimits limits,
      Map<String, Double> prices,
      Slowdowns slowdowns) {}

  /** A cluster as it is. */
  public static ClusterState of(ClusterSnapshot cluster, Context context) {
    List<GpuRow> rows = cluster.gpus().stream().map(gpu -> row(gpu, context)).toList();
    return new ClusterState(rows, new Totals(rows).figures(context));
  }

  private static GpuRow row(GpuSnapshot gpu, Context context) {
    double worst =
        gpu.tenancy() instanceof Tenancy.Shared(List<Tenant> tenants) && tenants.size() > 1
            ? context.slowdowns.worst(gpu.device().id(), tenants)
            : 1;
    return GpuRow.of(gpu, worst, context.unschedulable.get(gpu.node()));
  }

  private record Totals(List<GpuRow> rows) {
    Map<Figure, Double> figures(Context context) {
      Map<Figure, Double> all = new EnumMap<>(Figure.class);
      states(all);
      savings(all, context.prices);
      memory(all, context.limits);
      utilization(all);
      all.put(Figure.WAITING_PODS, (double) context.waiting);
      all.put(Figure.GUARDED_GPUS, (double) rows.stream().filter(GpuRow::guarded).count());
      all.put(
          Figure.WORST_SLOWDOWN, rows.stream().mapToDouble(GpuRow::worstSlowdown).max().orElse(1));
      harm(all, context.harm);
      return all;
    }

    private static void harm(Map<Figure, Double> all, List<MeasuredHarm.Harm> measured) {
      List<Double> slowdowns =
          measured.stream()
              .filter(one -> one.signal() == Signal.SLOWDOWN)
              .map(MeasuredHarm.Harm::value)
              .toList();
      all.put(Figure.MEASURED_PODS, (double) slowdowns.size());
      all.put(
          Figure.HARMED_PODS,
          (double) measured.stream().filter(MeasuredHarm.Harm::isBeyond).count());
      if (!slowdowns.isEmpty()) {
        all.put(
            Figure.MEASURED_SLOWDOWN,
            slowdowns.stream().mapToDouble(Double::doubleValue).average().orElse(1));
        all.put(Figure.WORST_MEASURED_SLOWDOWN, Collections.max(slowdowns));
      }
    }

    private void states(Map<Figure, Double> all) {
      all.put(Figure.GPUS, (double) rows.size());
      for (GpuState state : GpuState.values()) {
        all.put(state.figure(), (double) rows.stream().filter(row -> row.state() == state).count());
      }
    }

    private void savings(Map<Figure, Double> all, Map<String, Double> prices) {
      int pods = 0;
      int saved = 0;
      double money = 0;
      for (GpuRow row : rows) {
        if (row.state() == GpuState.SHARED || row.state() == GpuState.SINGLE) {
          int more = row.tenants().size() - 1;
          pods += row.tenants().size();
          saved += more;
          money += more * prices.getOrDefault(row.device(), 0.0);
        }
      }
      all.put(Figure.SHARING_PODS, (double) pods);
      all.put(Figure.SAVED_GPUS, (double) saved);
      if (!prices.isEmpty()) {
        all.put(Figure.SAVED_MONEY_PER_HOUR, money);
      }
    }

    private void memory(Map<Figure, Double> all, SharingLimits limits) {
      double part = 1 - limits.memoryHeadroomFraction();
      double capacity = 0;
      double used = 0;
      int beyond = 0;
      for (GpuRow row : rows) {
        @Nullable Long sample = row.usedBytes();
        if (sample != null) {
          capacity += row.capacityBytes();
          used += sample;
        }
        beyond += row.expectedBytes() > part * row.capacityBytes() ? 1 : 0;
      }
      all.put(Figure.MEMORY_CAPACITY_BYTES, capacity);
      all.put(Figure.MEMORY_USED_BYTES, used);
      all.put(Figure.GPUS_BEYOND_MEMORY, (double) beyond);
      all.put(
          Figure.MEMORY_PREDICTED_BYTES, rows.stream().mapToDouble(GpuRow::predictedBytes).sum());
      all.put(Figure.MEMORY_GRANTED_BYTES, rows.stream().mapToDouble(GpuRow::grantedBytes).sum());
    }

    private void utilization(Map<Figure, Double> all) {
      rows.stream()
          .map(GpuRow::utilizationPercent)
          .flatMap(java.util.stream.Stream::ofNullable)
          .mapToDouble(Double::doubleValue)
          .average()
          .ifPresent(mean -> all.put(Figure.UTILIZATION_MEASURED_PERCENT, mean));
      rows.stream()
          .mapToDouble(GpuRow::predictedPercent)
          .average()
          .ifPresent(mean -> all.put(Figure.UTILIZATION_PREDICTED_PERCENT, mean));
      rows.stream()
          .mapToDouble(GpuRow::grantedPercent)
          .average()
          .ifPresent(mean -> all.put(Figure.UTILIZATION_GRANTED_PERCENT, mean));
    }
  }
}
