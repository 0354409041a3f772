package dev.cotenant.evaluation.interference;

import dev.cotenant.domain.colocation.SoloLatency;
import dev.cotenant.interference.partition.MeasuredSolo;
import dev.cotenant.interference.partition.UtilizationFactor;
import dev.cotenant.interference.profile.ProfileBook;
import dev.cotenant.interference.profile.WorkloadProfile;
import dev.cotenant.interference.solo.SoloFit.Fitted;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/** Profiling points of each model: sixteen, four batches by four shares. */
final class Profiles {
  private static final Set<Integer> BATCHES = Set.of(1, 2, 8, 32);
  private static final Set<Double> SHARES = Set.of(20.0, 40.0, 50.0, 80.0);

  private final ProfileBook book;
  private final Map<String, MeasuredSolo> measured = new HashMap<>();
  private final List<SoloLatency> runs;

  Profiles(ProfileBook book, List<SoloLatency> runs) {
    this.book = book;
    this.runs = runs;
    for (String model : models(runs)) {
      List<SoloLatency> own = sixteen(runs.stream().filter(r -> r.model().equals(model)).toList());
      if (MeasuredSolo.fit(own) instanceof Fitted<MeasuredSolo>(MeasuredSolo solo)) {
        measured.put(model, solo);
      }
    }
  }

  static SortedSet<String> models(List<SoloLatency> runs) {
    SortedSet<String> models = new TreeSet<>();
    runs.forEach(run -> models.add(run.model()));
    return models;
  }

  /** The runs at the profiled batches and shares. */
  static List<SoloLatency> sixteen(List<SoloLatency> runs) {
    return runs.stream()
        .filter(run -> BATCHES.contains(run.batch()) && SHARES.contains(run.sharePercent()))
        .toList();
  }

  ProfileBook book() {
    return book;
  }

  Optional<WorkloadProfile> profile(String model) {
    return book.workload(model);
  }

  Optional<MeasuredSolo> solo(String model) {
    return Optional.ofNullable(measured.get(model));
  }

  /** L2 and bandwidth as measured at exactly this batch and share. */
  Optional<UtilizationFactor.Usage> measured(String model, int batch, double sharePercent) {
    for (SoloLatency run : runs) {
      Double l2 = run.l2Percent();
      Double bandwidth = run.bandwidthPercent();
      boolean same =
          run.model().equals(model) && run.batch() == batch && run.sharePercent() == sharePercent;
      if (same && l2 != null && bandwidth != null) {
        return Optional.of(new UtilizationFactor.Usage(l2 / 100, bandwidth / 100));
      }
    }
    return Optional.empty();
  }
}
