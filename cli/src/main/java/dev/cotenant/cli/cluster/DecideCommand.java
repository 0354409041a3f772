package dev.cotenant.cli.cluster;

import dev.cotenant.admission.decision.DecisionRecord;
import dev.cotenant.admission.decision.ReasonOrder;
import dev.cotenant.admission.pod.PodRequest;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.pod.PodRequestReader;
import dev.cotenant.cli.files.Installation;
import dev.cotenant.cli.files.PodManifest;
import dev.cotenant.cli.terminal.Console;
import dev.cotenant.cli.terminal.Failures;
import dev.cotenant.cli.terminal.Words;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.Evidence;
import dev.cotenant.domain.decision.Grant;
import dev.cotenant.domain.prediction.EngineMemory;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.engine.Engine;
import dev.cotenant.engine.model.ModelRegistry;
import dev.cotenant.engine.view.DecisionView;
import dev.cotenant.engine.view.ReasonView;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What would happen to a pod on a recorded cluster, and what would fit. */
@Command(
    name = "decide",
    mixinStandardHelpOptions = true,
    description =
        "Decides about pods as the webhook would, on a recorded cluster; records nothing.")
public final class DecideCommand implements Callable<Integer> {
  private static final String NAMESPACE = "default";

  private final Console console;
  private final Supplier<Engine> engine;
  private final Installation installation;

  @Option(
      names = {"-f", "--file"},
      required = true,
      paramLabel = "POD.yaml",
      description =
          "A manifest with pods, Deployments, Jobs or other controllers of pods; - is standard"
              + " input.")
  private Path file = Path.of("");

  @Mixin private SnapshotOption recorded = new SnapshotOption();

  @Option(
      names = "--models",
      paramLabel = "DIR",
      description =
          "Every NAME.onnx in it is registered, and every NAME.json that describes a language model"
              + " (default examples/models).")
  private @Nullable Path models;

  @Option(
      names = "--volume",
      paramLabel = "NAME=DIR",
      description =
          "Local directory of a path of the pod's containers, or of the language model that they"
              + " name; repeatable.")
  private Map<String, Path> volumes = new LinkedHashMap<>();

  @Option(names = "--json", description = "JSON output.")
  private boolean json;

  private @Nullable PodPreview preview;

  public DecideCommand(Console console, Supplier<Engine> engine, Installation installation) {
    this.console = console;
    this.engine = engine;
    this.installation = installation;
  }

  @Override
  public Integer call() {
    int exitCode = 0;
    List<PodManifest> pods = PodManifest.readPods(file);
    for (PodManifest manifest : pods) {
      try {
        decide(manifest);
      } catch (InputException e) {
        if (pods.size() == 1) {
          throw e;
        }
        console.error(e.getMessage());
        exitCode = Failures.JOB_FAILED;
      }
    }
    return exitCode;
  }

  private void decide(PodManifest manifest) {
    switch (read(manifest)) {
      case PodRequest.NoGpu _ -> unmanaged("it requests no GPU");
      case PodRequest.OptedOut _ -> unmanaged("it has opted out by label");
      case PodRequest.MigInstance(String container, String resource, _) ->
          unmanaged(container + " requests " + resource + ", and MIG instances are not shared");
      case PodRequest.Invalid(_, List<String> problems, _) ->
          throw InputException.malformed(
              "bad-annotations", file + ": " + String.join("; ", problems));
      case Colocatable pod -> decide(pod);
    }
  }

  private PodRequest read(PodManifest manifest) {
    try {
      return new PodRequestReader().read(manifest.pod(), NAMESPACE);
    } catch (InputException e) {
      throw new InputException(e.kind(), e.code(), file + ": " + e.getMessage(), e);
    }
  }

  private void unmanaged(String why) {
    if (json) {
      throw InputException.malformed("no-pod-in-document", file + ": " + why + ".");
    }
    console.line(file + ": the webhook would not manage this pod, " + why + ".");
  }

  private void decide(Colocatable pod) {
    PodPreview preview = preview();
    DecisionRecord made = preview.decide(pod);
    Decision decision = ReasonOrder.ordered(made.decision());
    if (json) {
      console.json(DecisionView.of(pod.pod().toString(), pod.model(), decision));
      return;
    }
    pod.workload()
        .unknownLines()
        .forEach(line -> console.note("warning: " + pod.pod() + ": " + line));
    console.line(pod.pod() + ": " + result(decision));
    made.prediction().ifPresent(this::print);
    switch (decision) {
      case Decision.Admitted(List<Grant> grants, Evidence evidence) -> {
        grants.forEach(this::print);
        console.line("  " + evidence.sentence());
      }
      case Decision.Held held -> print(ReasonView.of(held.reasons()), preview, pod);
      case Decision.Denied denied -> print(ReasonView.of(denied.reasons()), preview, pod);
    }
  }

  /** One preview for all pods of the file, each decided independently. */
  private PodPreview preview() {
    PodPreview made = preview;
    if (made == null) {
      made = new PodPreview(engine.get(), registry(), snapshot(), paths());
      preview = made;
    }
    return made;
  }

  private ModelRegistry registry() {
    Path directory = Objects.requireNonNullElse(models, installation.models());
    ModelRegistry registry = ModelRegistry.of(engine.get());
    registry.loadDirectory(directory).forEach(line -> console.note("warning: " + line));
    volumes.forEach((name, folder) -> {
      if (!name.startsWith("/")) {
        registry.register(name, folder);
      }
    });
    return registry;
  }

  private Map<String, Path> paths() {
    Map<String, Path> paths = new LinkedHashMap<>(volumes);
    paths.keySet().removeIf(name -> !name.startsWith("/"));
    return paths;
  }

  private ClusterSnapshot snapshot() {
    Path cluster = recorded.file(installation);
    ClusterSnapshot read = engine.get().snapshot(engine.get().readCluster(cluster));
    String where = "On the recorded cluster " + cluster.getFileName() + " (--snapshot):";
    if (json) {
      console.note(where);
    } else {
      console.line(where);
    }
    return read;
  }

  private static String result(Decision decision) {
    return switch (decision) {
      case Decision.Admitted _ -> "admitted";
      case Decision.Held _ -> "held, it fits on no GPU now";
      case Decision.Denied _ -> "denied, it can never fit on this cluster";
    };
  }

  private void print(Prediction prediction) {
    console.line(
        String.format(
            Locale.ROOT,
            "  predicted on %s: utilization %s, peak memory %s; calibration rows: %s",
            prediction.device(),
            Words.of(prediction.utilization()),
            Words.of(prediction.peakMemory()),
            Words.calibration(prediction)));
    EngineMemory engineMemory = prediction.engine();
    if (engineMemory != null && !engineMemory.advice().isEmpty()) {
      console.line("  " + engineMemory.advice());
    }
  }

  private void print(Grant grant) {
    console.line("  on " + grant.gpuUuid() + " of node " + grant.node());
  }

  private void print(List<ReasonView> reasons, PodPreview preview, Colocatable pod) {
    for (ReasonView reason : reasons) {
      console.line("  " + reason.number() + ". " + reason.code() + ": " + reason.message());
    }
    preview
        .largestBatch(pod)
        .ifPresentOrElse(
            fit -> {
              Grant grant = fit.decision().grants().getFirst();
              console.line(
                  "  What would fit: batch "
                      + fit.batchSize()
                      + ", on "
                      + grant.gpuUuid()
                      + " of node "
                      + grant.node());
            },
            () -> console.line("  What would fit: no smaller batch"));
  }
}
