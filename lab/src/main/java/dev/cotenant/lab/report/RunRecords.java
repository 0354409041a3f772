package dev.cotenant.lab.report;

import dev.cotenant.lab.figure.Watch;
import dev.cotenant.lab.requests.ServingTotals;
import dev.cotenant.simulator.world.Observer;
import dev.cotenant.simulator.world.Totals;
import dev.cotenant.simulator.world.recorder.RecordedRun;
import dev.cotenant.simulator.world.recorder.Recorder;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Records the first run of each policy of each table. */
public final class RunRecords implements Watch {
  private final Map<String, List<RecordedRun>> runs = new LinkedHashMap<>();
  private final Map<String, List<ServedRun>> served = new LinkedHashMap<>();
  private final Set<List<String>> seen = new HashSet<>();
  private @Nullable Recorder recorder;

  @Override
  public void step(String text) {}

  @Override
  public Observer starts(Run run) {
    boolean isFirst = seen.add(List.of(run.table(), run.policy()));
    recorder = isFirst ? new Recorder() : null;
    return isFirst ? Objects.requireNonNull(recorder) : _ -> {};
  }

  @Override
  public void ended(Run run, Totals totals) {
    Recorder recorded = recorder;
    if (recorded != null) {
      runs.computeIfAbsent(run.table(), _ -> new ArrayList<>())
          .add(new RecordedRun(run.policy(), totals, recorded));
    }
  }

  @Override
  public void served(String table, String policy, ServingTotals totals) {
    if (seen.add(List.of(table, policy))) {
      served.computeIfAbsent(table, _ -> new ArrayList<>()).add(new ServedRun(policy, totals));
    }
  }

  /** The runs of request streams of a table, in their order; empty where none was watched. */
  public List<ServedRun> servedOf(String table) {
    return List.copyOf(served.getOrDefault(table, List.of()));
  }

  /** The runs of a table, in their order; empty where none was watched. */
  public List<RecordedRun> of(String table) {
    return List.copyOf(runs.getOrDefault(table, List.of()));
  }
}
