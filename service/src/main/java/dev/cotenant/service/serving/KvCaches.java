package dev.cotenant.service.serving;

import dev.cotenant.admission.gate.GateView;
import dev.cotenant.admission.gate.GateView.Holding;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.workload.EngineRun;
import dev.cotenant.engine.lifecycle.ConflictException;
import dev.cotenant.engine.model.Described;
import dev.cotenant.engine.model.LanguageModelRuns;
import dev.cotenant.engine.serving.KvCacheAdvice;
import dev.cotenant.engine.serving.KvHistory;
import dev.cotenant.forecast.prometheus.PrometheusHistory;
import dev.cotenant.forecast.prometheus.PrometheusSettings;
import dev.cotenant.llm.model.LanguageModel;
import dev.cotenant.llm.pod.Value;
import dev.cotenant.llm.serving.KvDemand;
import dev.cotenant.llm.serving.VllmVersion;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The KV caches that suffice for the servers that hold GPUs, from what their requests used. Reads
 * the metrics server, one caller at a time. Thread safe.
 */
public final class KvCaches {
  private final Optional<PrometheusSettings> metrics;
  private final Supplier<GateView> view;
  private final LanguageModelRuns models;
  private final InstantSource clock;
  private final ReentrantLock reading = new ReentrantLock();

  /**
   * @param metrics the metrics server; empty where none is configured
   * @param view of the gate; without grants where this process does not lead
   */
  public KvCaches(
      Optional<PrometheusSettings> metrics,
      Supplier<GateView> view,
      LanguageModelRuns models,
      InstantSource clock) {
    this.metrics = metrics;
    this.view = view;
    this.models = models;
    this.clock = clock;
  }

  /**
   * What is wanted.
   *
   * @param history that is read
   * @param window whose 99th percentile is to fit
   * @param level probability that it suffices
   */
  public record Wanted(Duration history, Duration window, double level) {}

  /**
   * What suffices.
   *
   * @param servers by {@code namespace/pod}, one entry per engine
   * @param skipped one line for each pod without an entry
   */
  public record Advised(List<KvCacheAdvice> servers, List<String> skipped) {
    public Advised {
      servers = List.copyOf(servers);
      skipped = List.copyOf(skipped);
    }
  }

  /**
   * Reads the history of all servers of a namespace.
   *
   * @param namespace null for all
   * @throws ConflictException ({@code kv-caches-running}) while another caller is served
   * @throws InputException ({@code metrics-unavailable}) where the metrics server does not answer
   */
  public Advised advise(@Nullable String namespace, Wanted wanted) {
    Map<String, EngineRun> servers = servers(namespace);
    List<String> skipped = new ArrayList<>();
    if (servers.isEmpty()) {
      return new Advised(List.of(), skipped);
    }
    if (metrics.isEmpty()) {
      servers
          .keySet()
          .forEach(pod ->
              skipped.add(pod + ": no metrics server is configured: set cotenant.prometheus.url"));
      return new Advised(List.of(), skipped);
    }
    if (!reading.tryLock()) {
      throw new ConflictException(
          "kv-caches-running", "The history of servers is being read for another caller: retry.");
    }
    try {
      return advise(servers, history(metrics.get(), namespace, wanted.history()), wanted, skipped);
    } finally {
      reading.unlock();
    }
  }

  private Advised advise(
      Map<String, EngineRun> servers,
      Map<KvHistory.Server, List<KvDemand.Sample>> history,
      Wanted wanted,
      List<String> skipped) {
    List<KvCacheAdvice> advised = new ArrayList<>();
    Set<String> seen = new HashSet<>();
    history.forEach((server, samples) -> {
      String pod = server.namespace() + "/" + server.pod();
      @Nullable EngineRun run = servers.get(pod);
      if (run != null) {
        seen.add(pod);
        try {
          KvDemand demand = KvDemand.of(samples, (double) wanted.window().toSeconds());
          advised.add(KvCacheAdvice.of(pod, demand, pool(run), wanted.level()));
        } catch (InputException e) {
          skipped.add(pod + ": " + e.getMessage());
        }
      }
    });
    servers.keySet().stream()
        .filter(pod -> !seen.contains(pod))
        .forEach(pod ->
            skipped.add(pod + ": the metrics server has no vllm:kv_cache_usage_perc for it"));
    return new Advised(advised, skipped);
  }

  private Map<String, EngineRun> servers(@Nullable String namespace) {
    Map<String, EngineRun> servers = new TreeMap<>();
    for (Holding held : view.get().granted().values()) {
      PodIdentity pod = held.pod().pod();
      EngineRun run =
          held.pod().request() instanceof Colocatable request ? request.workload().engine() : null;
      if (run != null
          && run.kind() == EngineRun.Kind.SERVER
          && (namespace == null || namespace.equals(pod.namespace()))) {
        servers.put(pod.toString(), run);
      }
    }
    return servers;
  }

  private Map<KvHistory.Server, List<KvDemand.Sample>> history(
      PrometheusSettings settings, @Nullable String namespace, Duration length) {
    String all = settings.metrics().matchers();
    String own = namespace == null ? "" : "namespace=\"" + namespace + "\"";
    String matchers = all.isEmpty() || own.isEmpty() ? all + own : all + "," + own;
    try (PrometheusHistory server = new PrometheusHistory(settings)) {
      return new KvHistory(server, matchers, clock.instant(), length, KvHistory.step(length))
          .read();
    } catch (InputException e) {
      if (e.code().equals(KvHistory.NO_ENGINES)) {
        return Map.of();
      }
      throw e;
    }
  }

  private KvCacheAdvice.Pool pool(EngineRun run) {
    String reference = run.model();
    if (reference == null) {
      throw InputException.notFound("unknown-model", "its arguments name no model.");
    }
    LanguageModel model =
        switch (models.describe(run.namespace(), reference)) {
          case Described.Known(LanguageModel known) -> known;
          case Described.BeingRead _ ->
              throw InputException.notFound(
                  "unknown-model", "the description of its model is being read: retry.");
          case Described.Missing(String why) -> throw InputException.notFound("unknown-model", why);
        };
    Map<String, Value> flags = new LinkedHashMap<>();
    run.settings().forEach((name, text) -> flags.put(name, new Value(text, "container")));
    String version = run.version();
    return KvCacheAdvice.Pool.of(
        model, version == null ? VllmVersion.MEASURED : VllmVersion.of(version), flags);
  }
}
