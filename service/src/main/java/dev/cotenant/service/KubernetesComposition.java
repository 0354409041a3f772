package dev.cotenant.service;

import dev.cotenant.admission.gate.port.GateSettings;
import dev.cotenant.admission.gate.port.OomBackoff;
import dev.cotenant.admission.kubernetes.access.SubjectAccessReviews;
import dev.cotenant.admission.kubernetes.access.TokenReviews;
import dev.cotenant.admission.kubernetes.api.ApiServer;
import dev.cotenant.admission.kubernetes.api.LoopContext;
import dev.cotenant.admission.kubernetes.read.PodLookup;
import dev.cotenant.admission.ledger.Ledger;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.admission.supervision.Supervisor;
import dev.cotenant.domain.prediction.WorkloadPredictor;
import dev.cotenant.engine.Engine;
import dev.cotenant.engine.cluster.ReadingsSource;
import dev.cotenant.service.access.AccessMetrics;
import dev.cotenant.service.configuration.KubernetesSettings;
import dev.cotenant.service.configuration.ServiceSettings;
import dev.cotenant.service.decisions.DecisionRecorder;
import dev.cotenant.service.devices.LabelledProducts;
import dev.cotenant.service.gate.GateControllerRuntime;
import dev.cotenant.service.gate.GrantCheck;
import dev.cotenant.service.gate.KubernetesParts;
import dev.cotenant.service.tracing.Tracing;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Makes what talks to a cluster, where one is configured. */
final class KubernetesComposition {
  @Produces
  @Singleton
  KubernetesParts kubernetes(
      ServiceSettings settings,
      GateControllerRuntime.Parts parts,
      Ledger ledger,
      Polling polling,
      MeterRegistry meters,
      Supervisor supervisor) {
    if (settings.kubernetes().isEmpty()) {
      return KubernetesParts.NONE;
    }
    KubernetesSettings kubernetes = settings.kubernetes().get();
    ApiServer server = ApiServer.of(kubernetes.kubeconfig(), kubernetes.requestTimeout());
    if (settings.policies().use(Policy.Mode.IMMEDIATE)) {
      PodLookup pods = new PodLookup(server);
      return parts(
          server, kubernetes, meters, new Decides(null, new GrantCheck(ledger, pods::presence)));
    }
    if (!kubernetes.gate()) {
      return parts(server, kubernetes, meters, new Decides(null, null)); // no pod is held
    }
    GateControllerRuntime gate =
        new GateControllerRuntime(
            new LoopContext(server, supervisor),
            new GateControllerRuntime.Identified(kubernetes.lease(), identity()),
            parts,
            meters);
    polling.onRefresh(gate::readingsRefreshed);
    return parts(server, kubernetes, meters, new Decides(gate, null));
  }

  /** The gate controller, or the webhook with a check of its grants; neither where none is held. */
  private record Decides(@Nullable GateControllerRuntime gate, @Nullable GrantCheck grants) {}

  private static KubernetesParts parts(
      ApiServer server, KubernetesSettings kubernetes, MeterRegistry meters, Decides decides) {
    AccessMetrics metrics = new AccessMetrics(meters);
    return new KubernetesParts(
        Optional.of(server),
        Optional.ofNullable(decides.gate()),
        Optional.ofNullable(decides.grants()),
        new TokenReviews(
            server, kubernetes.tokenAudiences(), InstantSource.system(), metrics::reviewed),
        new SubjectAccessReviews(server, InstantSource.system(), metrics::reviewed));
  }

  @Produces
  @Singleton
  GateControllerRuntime.Parts gateParts(
      ServiceSettings settings,
      ReadingsSource readings,
      WorkloadPredictor predictor,
      OomBackoff corrections,
      Engine engine,
      DecisionRecorder recorder,
      Tracing tracing) {
    return new GateControllerRuntime.Parts(
        readings::snapshot,
        predictor,
        engine.decider(),
        settings.policies(),
        new LabelledProducts(engine::devices),
        corrections,
        GateSettings.DEFAULT.withUnschedulableAfter(settings.unschedulableAfter()),
        tracing.gate(),
        recorder,
        InstantSource.system());
  }

  /** The pod's name and something that a restart changes. */
  private static String identity() {
    return pod(System.getenv()) + "_" + UUID.randomUUID().toString().substring(0, 8);
  }

  /** The host's name is the pod's only where the pod has a network of its own. */
  static String pod(Map<String, String> environment) {
    return Stream.of("POD_NAME", "HOSTNAME")
        .map(name -> environment.getOrDefault(name, ""))
        .filter(name -> !name.isBlank())
        .findFirst()
        .orElse("cotenant");
  }
}
