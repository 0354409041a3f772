package dev.cotenant.service;

import dev.cotenant.admission.access.Authorizer;
import dev.cotenant.admission.access.TokenAuthenticator;
import dev.cotenant.admission.capacity.CapacityLedger;
import dev.cotenant.admission.capacity.GateCalls;
import dev.cotenant.admission.capacity.GateCapacityLedger;
import dev.cotenant.admission.capacity.LocalCapacityLedger;
import dev.cotenant.admission.decision.PodDecisions;
import dev.cotenant.admission.extender.Extender;
import dev.cotenant.admission.extender.GatePlacement;
import dev.cotenant.admission.extender.LedgerPlacement;
import dev.cotenant.admission.extender.NodePlacement;
import dev.cotenant.admission.ledger.Ledger;
import dev.cotenant.admission.reservation.ReservationStore;
import dev.cotenant.admission.reservation.Reservations;
import dev.cotenant.admission.webhook.RandomIds;
import dev.cotenant.engine.Engine;
import dev.cotenant.engine.lifecycle.ModelStore;
import dev.cotenant.engine.model.ModelRegistry;
import dev.cotenant.predictor.Predictor;
import dev.cotenant.service.access.Access;
import dev.cotenant.service.access.TokensFile;
import dev.cotenant.service.cluster.Control;
import dev.cotenant.service.cluster.GrantAudit;
import dev.cotenant.service.cluster.LiveCluster;
import dev.cotenant.service.configuration.ServiceSettings;
import dev.cotenant.service.decisions.DecisionHistory;
import dev.cotenant.service.decisions.Explainer;
import dev.cotenant.service.decisions.PredictionGrounds;
import dev.cotenant.service.gate.GateControllerRuntime;
import dev.cotenant.service.gate.KubernetesParts;
import dev.cotenant.service.gate.MemoryShortages;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import java.time.InstantSource;
import java.util.Optional;

/** Makes the parts of reservations, explanations and the scheduler extender. */
final class ControlComposition {
  @Produces
  @Singleton
  Control control(
      LiveCluster cluster, Ledger ledger, ServiceSettings settings, KubernetesParts kubernetes) {
    return kubernetes
        .gate()
        .map(gate ->
            new Control(
                new GateCapacityLedger(new GateCalls(gate.loop(), gate::leader)),
                settings::policies,
                Optional.of(new Control.Controller(gate::view, gate::leader))))
        .orElseGet(
            () -> Control.immediate(new LocalCapacityLedger(cluster, ledger), settings.policies()));
  }

  @Produces
  @Singleton
  CapacityLedger capacity(Control control) {
    return control.capacity();
  }

  @Produces
  @Singleton
  MemoryShortages shortages(KubernetesParts kubernetes) {
    return new MemoryShortages(
        kubernetes.gate().map(gate -> new GateCalls(gate.loop(), gate::leader)));
  }

  @Produces
  @Singleton
  Explainer explainer(Control control, PodDecisions decisions, Explainer.Memory memory) {
    return new Explainer(control, decisions, memory, InstantSource.system());
  }

  @Produces
  @Singleton
  PredictionGrounds grounds(Engine engine, ModelRegistry models, ModelStore store) {
    return new PredictionGrounds(engine, models, store.profiles(), Predictor.builtIn());
  }

  @Produces
  @Singleton
  Explainer.Memory explained(Ledger ledger, DecisionHistory history, GrantAudit reviews) {
    return new Explainer.Memory(ledger, history, reviews);
  }

  @Produces
  @Singleton
  Reservations reservations(
      CapacityLedger capacity,
      PodDecisions decisions,
      ReservationStore store,
      KubernetesParts kubernetes) {
    Reservations reservations =
        new Reservations(
            decisions,
            capacity,
            new Reservations.Ports(store, InstantSource.system(), new RandomIds()));
    kubernetes.gate().ifPresent(gate -> gate.everyHalfMinute(reservations::tidy));
    return reservations;
  }

  /** In the cluster where another process may lead next; one that decides alone keeps nothing. */
  @Produces
  @Singleton
  ReservationStore reservationStore(KubernetesParts kubernetes) {
    return kubernetes
        .gate()
        .map(GateControllerRuntime::reservations)
        .orElse(ReservationStore.PROCESS);
  }

  @Produces
  @Singleton
  Extender extender(CapacityLedger capacity, PodDecisions decisions, KubernetesParts kubernetes) {
    NodePlacement onLedger = new LedgerPlacement(decisions, capacity);
    return new Extender(
        kubernetes
            .gate()
            .<NodePlacement>map(gate -> new GatePlacement(new GateCalls(gate.loop(), gate::leader)))
            .orElse(onLedger));
  }

  @Produces
  @Singleton
  TokenAuthenticator tokens(KubernetesParts kubernetes) {
    return kubernetes.tokens();
  }

  @Produces
  @Singleton
  Authorizer authorizer(KubernetesParts kubernetes) {
    return kubernetes.authorizer();
  }

  @Produces
  @Singleton
  Access access(ServiceSettings settings, TokenAuthenticator tokens) {
    return new Access(
        settings.rest().token(),
        settings.rest().tokensFile().map(file -> new TokensFile(file, InstantSource.system())),
        tokens);
  }
}
