package dev.cotenant.service.rest.decision;

import dev.cotenant.admission.capacity.CapacityLedger;
import dev.cotenant.admission.capacity.LocalCapacityLedger;
import dev.cotenant.admission.decision.DecisionPorts;
import dev.cotenant.admission.decision.PodDecisions;
import dev.cotenant.admission.ledger.GrantState;
import dev.cotenant.admission.ledger.Ledger;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.policy.Policies;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.admission.reservation.Reservation;
import dev.cotenant.admission.reservation.ReservationOutcome;
import dev.cotenant.admission.reservation.ReservationStore;
import dev.cotenant.admission.reservation.Reservations;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.testing.FuzzOracle;
import dev.cotenant.engine.Engine;
import dev.cotenant.engine.model.ModelRegistry;
import dev.cotenant.engine.model.RegisteredModelPredictor;
import dev.cotenant.interference.FallbackInterferenceModel;
import dev.cotenant.placement.SharingDecider;
import dev.cotenant.service.access.Visibility;
import dev.cotenant.service.rest.IdempotencyKey;
import dev.cotenant.service.rest.JsonBody;
import dev.cotenant.service.rest.decision.ReservationDocument.ConfirmationDocument;
import dev.cotenant.service.rest.decision.ReservationView.RefusedView;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * Bodies of reservations and of their confirmations, and the answers to those that can be read, on
 * a cluster with two models; see {@link FuzzOracle}.
 */
public final class ReservationFuzzTarget {
  private static final Path EXAMPLES = Path.of("..", "examples");
  private static final Engine ENGINE = Engine.standard();
  private static final ClusterSnapshot CLUSTER =
      ENGINE.snapshot(ENGINE.readCluster(EXAMPLES.resolve("clusters/busy.json")));
  private static final DecisionPorts PORTS =
      new DecisionPorts(
          () -> CLUSTER,
          new RegisteredModelPredictor(models(), ENGINE),
          new SharingDecider(FallbackInterferenceModel.builtIn()),
          CLUSTER::takenAt);

  private ReservationFuzzTarget() {}

  private static ModelRegistry models() {
    ModelRegistry registry = ModelRegistry.of(ENGINE);
    for (String name : List.of("resnet18", "mobilenet_v2")) {
      registry.put(registry.read(name, EXAMPLES.resolve("models/" + name + ".onnx")));
    }
    return registry;
  }

  /** Called by the fuzzer before: a first decision loads the classes of all. */
  public static void fuzzerInitialize() {
    reserve("{\"workload\":{\"model\":\"resnet18\"}}".getBytes(StandardCharsets.UTF_8));
  }

  /** Called by the fuzzer. */
  public static void fuzzerTestOneInput(byte[] body) {
    FuzzOracle.check(() -> reserve(body));
    FuzzOracle.check(
        () -> JsonBody.read(new ByteArrayInputStream(body), ConfirmationDocument.class));
  }

  private static void reserve(byte[] body) {
    Colocatable pod =
        JsonBody.read(new ByteArrayInputStream(body), ReservationDocument.class).requested();
    Ledger ledger = new Ledger(PORTS.clock(), Duration.ofMinutes(2));
    CapacityLedger capacity = new LocalCapacityLedger(() -> CLUSTER, ledger);
    Reservations reservations =
        new Reservations(
            new PodDecisions(PORTS, Policies.of(Policy.DEFAULT), ledger),
            capacity,
            new Reservations.Ports(ReservationStore.PROCESS, PORTS.clock(), () -> "id"));
    Reservations.Request request =
        new Reservations.Request(
            new Reservation.RequestKey("caller", "key", IdempotencyKey.fingerprint(body)), pod);
    ReservationOutcome outcome = reservations.reserve(request);
    switch (outcome) {
      case ReservationOutcome.Reserved(Reservation made) ->
          ReservationView.of(made, GrantState.ALLOCATED);
      case ReservationOutcome.Refused refused -> RefusedView.of(refused, Visibility.EVERYTHING);
      case ReservationOutcome.KeyReused _ -> throw new AssertionError("the key is new");
    }
    if (!reservations.reserve(request).equals(outcome)) {
      throw new AssertionError("another answer to the same request: " + outcome);
    }
  }
}
