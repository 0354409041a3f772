package dev.cotenant.service.serving;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.text.PlainText;
import dev.cotenant.engine.model.Described;
import dev.cotenant.engine.model.LanguageModelRuns;
import dev.cotenant.engine.serving.ServingStart;
import dev.cotenant.engine.serving.ServingStore;
import dev.cotenant.llm.model.LanguageModel;
import dev.cotenant.llm.serving.ServingCard;
import dev.cotenant.llm.serving.ServingRun;
import dev.cotenant.llm.serving.StartEvidence;
import dev.cotenant.llm.startup.EngineStart;
import dev.cotenant.llm.startup.StartRuns;
import dev.cotenant.llm.startup.StartupLog;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Takes in measured starts of servers. What disagrees with arithmetic on the model is refused, and
 * what is taken moves the predictions of its own namespace alone. Thread safe.
 */
public final class ServingReports {
  /** Most starts of one log. */
  private static final int MAX_OF_LOG = 100;

  private static final int MAX_MODEL = 600;
  private static final String UNKNOWN = "unknown-model";

  private final LanguageModelRuns models;
  private final Supplier<DeviceCatalogue> devices;
  private final ServingStore store;
  private final InstantSource clock;

  public ServingReports(
      LanguageModelRuns models,
      Supplier<DeviceCatalogue> devices,
      ServingStore store,
      InstantSource clock) {
    this.models = models;
    this.devices = devices;
    this.store = store;
    this.clock = clock;
  }

  /**
   * Measurements of one server, or of each start in its log.
   *
   * @param model registered name, or what containers call it; null for what the log says
   * @param device where it ran
   * @param evidence lines or values
   * @param process bytes that the whole process holds on its first GPU; NaN where unknown
   * @param pod that runs it now, in the namespace of the report; null where none is named
   */
  public record Reported(
      @Nullable String model,
      String device,
      Evidence evidence,
      double process,
      @Nullable String pod) {}

  /** Whether the server of a report has all its memory, and none of its starts is in doubt. */
  public static boolean isComplete(Reported report) {
    List<String> rejected = new ArrayList<>();
    List<EngineStart> starts = starts(report.evidence, rejected);
    return rejected.isEmpty() && starts.getLast().isComplete();
  }

  /** Lines of a log, values, or metrics. */
  public sealed interface Evidence {
    /** What vLLM logged. */
    record Log(String text) implements Evidence {}

    /** One start as stated. */
    record Values(EngineStart start) implements Evidence {}

    /**
     * One start as its server exports it.
     *
     * @param key of the pod and its start, which count once
     */
    record Exported(EngineStart start, String key) implements Evidence {}
  }

  /**
   * What became of a report.
   *
   * @param added starts that are new
   * @param duplicates starts that were there
   * @param rejected one line for each start that was not taken
   * @param later how many of these may be taken once more is known of their model
   */
  public record Result(int added, int duplicates, List<String> rejected, int later) {
    public Result {
      rejected = List.copyOf(rejected);
    }
  }

  /**
   * Stores what can be learned from.
   *
   * @param source who sends it
   * @return one result for each report
   * @throws dev.cotenant.engine.lifecycle.StoreException when it cannot be stored
   */
  public List<Result> add(String namespace, String source, List<Reported> reports) {
    List<Result> results = new ArrayList<>();
    for (Reported report : reports) {
      List<ServingStart> taken = new ArrayList<>();
      List<String> rejected = new ArrayList<>();
      int later = 0;
      for (EngineStart start : starts(report.evidence, rejected)) {
        try {
          taken.add(start(namespace, source, report, start));
        } catch (InputException e) {
          rejected.add(start.place() + ": " + e.getMessage());
          later += e.code().equals(UNKNOWN) ? 1 : 0;
        }
      }
      List<Boolean> added = taken.isEmpty() ? List.of() : store.add(taken);
      int fresh = (int) added.stream().filter(Boolean::booleanValue).count();
      results.add(new Result(fresh, taken.size() - fresh, rejected, later));
    }
    return results;
  }

  private static List<EngineStart> starts(Evidence evidence, List<String> rejected) {
    return switch (evidence) {
      case Evidence.Values(EngineStart start) -> List.of(start);
      case Evidence.Exported(EngineStart start, String _) -> List.of(start);
      case Evidence.Log(String text) -> {
        StartupLog log = read(text);
        rejected.addAll(log.rejected());
        if (log.starts().isEmpty() && rejected.isEmpty()) {
          rejected.add("log: it contains no start of vLLM");
        }
        if (log.starts().size() > MAX_OF_LOG) {
          rejected.add("log: more than " + MAX_OF_LOG + " starts; the rest is not read");
        }
        yield log.starts().stream().limit(MAX_OF_LOG).toList();
      }
    };
  }

  private static StartupLog read(String text) {
    try {
      return StartupLog.read(
          new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), "log");
    } catch (IOException e) {
      throw new UncheckedIOException("reading an array cannot fail", e);
    }
  }

  private ServingStart start(String namespace, String source, Reported report, EngineStart start) {
    Device device = devices.get().require(report.device);
    String reference = report.model == null ? start.model() : report.model;
    if (reference.isEmpty() || reference.length() > MAX_MODEL) {
      throw refused("no line names its model: state 'model'");
    }
    LanguageModel model =
        switch (models.describe(namespace, reference)) {
          case Described.Known(LanguageModel known) -> known;
          case Described.BeingRead _ ->
              throw unknown("the description of its model is being read: send it again");
          case Described.Missing(String why) ->
              throw unknown("its model is unknown: '" + PlainText.of(reference) + "': " + why);
        };
    String key = null;
    if (report.evidence instanceof Evidence.Exported(EngineStart _, String once)) {
      key = once;
      if (!model.layers().areAlike()) {
        throw refused("its metrics count the blocks of each kind of layers together");
      }
    }
    ServingRun stated = StartRuns.of(start, model, ServingCard.of(device));
    ServingRun run = StartEvidence.completed(stated, report.process);
    String problem = StartEvidence.problem(stated, run, (double) device.memory().bytes());
    if (problem != null) {
      throw refused(problem);
    }
    return ServingStart.of(namespace, reference, source, run, key, clock.instant());
  }

  private static InputException unknown(String why) {
    return InputException.invalidArgument(UNKNOWN, why + ".");
  }

  private static InputException refused(String why) {
    return InputException.invalidArgument("implausible-start", why + ".");
  }
}
