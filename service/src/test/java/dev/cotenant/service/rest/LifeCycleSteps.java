package dev.cotenant.service.rest;

import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.profile.Measurement;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.engine.lifecycle.ModelStore;
import dev.cotenant.engine.lifecycle.ModelVersion;
import dev.cotenant.engine.lifecycle.Promotions;
import dev.cotenant.engine.lifecycle.Training;
import dev.cotenant.engine.lifecycle.Trainings;
import dev.cotenant.engine.profile.ProfileStore;
import dev.cotenant.engine.serving.ServingMemory;
import dev.cotenant.engine.serving.ServingStart;
import dev.cotenant.engine.serving.ServingStore;
import dev.cotenant.engine.testing.MeasuredServers;
import dev.cotenant.engine.testing.SampleRows;
import dev.cotenant.llm.serving.VllmVersion;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;

/** Brings the service under test to where an example starts. */
@Singleton
public class LifeCycleSteps {
  private static final InstantSource CLOCK = InstantSource.system();

  @Inject ModelStore store;
  @Inject Trainings trainings;
  @Inject Promotions promotions;
  @Inject ServingStore servers;
  @Inject ServingMemory constants;

  /** Forty runs of one model that keep a V100 half as busy as anything, and one that is new. */
  void addRows() {
    List<ProfileRow> rows = new ArrayList<>();
    int unused = 1_000 + store.profiles().all().size();
    for (int batch : IntStream.rangeClosed(0, 40).map(i -> i == 0 ? unused : i).toArray()) {
      ProfileRow row = SampleRows.row(batch, 50);
      rows.add(
          new ProfileRow(
              row.source(),
              row.family(),
              row.topology(),
              row.features(),
              RunSettings.DEFAULT,
              new DeviceId("v100-16gb"),
              Measurement.NONE.withUtilization(Utilization.ofPercent(5)),
              row.licence(),
              row.quality()));
    }
    store.profiles().add(ProfileStore.SHARED, rows, CLOCK.instant());
  }

  /** The number of a row that was just added, of a source and unlike all others. */
  long addRowOf(String source) {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    ProfileRow row = SampleRows.row(random.nextInt(41, 400), random.nextDouble(1, 99));
    store.profiles().add(ProfileStore.SHARED, List.of(row.withSource(source)), CLOCK.instant());
    return store.profiles().all().getLast().number();
  }

  /** A correction that was trained here, of rows that no other was. */
  public ModelVersion trained() {
    addRows();
    endTrainings();
    openTraining();
    Training.Outcome outcome = trainings.runNext().orElseThrow();
    return store.versions().find(String.valueOf(outcome.version())).orElseThrow();
  }

  /** The label of a correction that was just promoted. */
  String promoted() {
    String label = trained().label();
    promotions.promote(label, "test", Optional.of("for a test"));
    return label;
  }

  /** Constants of servers in a namespace that are in force. */
  void learnConstants(String namespace, VllmVersion release) {
    Instant now = Instant.now();
    for (int i = 0; i < 4; i++) {
      servers.add(
          List.of(
              ServingStart.of(
                  namespace,
                  MeasuredServers.REFERENCE,
                  "test",
                  MeasuredServers.run(release, 1 + 0.001 * i),
                  null,
                  now)));
    }
    while (!constants.of(namespace).isPromoted(release)) {
      constants.refresh();
    }
  }

  /** The training that a version came from. */
  String trainingOf(String label) {
    String sha256 = store.versions().find(label).orElseThrow().sha256();
    return store.trainings().newest(100).stream()
        .filter(training -> sha256.equals(training.version()))
        .map(Training::id)
        .findFirst()
        .orElseThrow();
  }

  /** A training that waits. */
  String openTraining() {
    endTrainings();
    return store.trainings().enqueue(UUID.randomUUID().toString(), CLOCK.instant()).id();
  }

  /** Cancels what waits or runs. */
  public void endTrainings() {
    store.trainings().newest(10).stream()
        .filter(training ->
            Set.of(Training.State.QUEUED, Training.State.RUNNING).contains(training.state()))
        .forEach(this::cancel);
  }

  private void cancel(Training training) {
    try {
      store.trainings().cancel(training.id(), CLOCK.instant());
    } catch (dev.cotenant.engine.lifecycle.ConflictException e) {
      return; // it has ended by itself
    }
  }
}
