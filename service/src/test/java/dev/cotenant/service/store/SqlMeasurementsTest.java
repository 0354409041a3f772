package dev.cotenant.service.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.engine.lifetime.LifetimeStore.Lifetime;
import dev.cotenant.engine.profile.ProfileStore;
import dev.cotenant.engine.profile.StoredProfile;
import dev.cotenant.engine.profile.StoredRuns;
import dev.cotenant.engine.rate.RateStore.HourlyRate;
import dev.cotenant.engine.risk.MeasuredSpeed;
import dev.cotenant.engine.risk.SpeedSource;
import dev.cotenant.engine.serving.ServingStart;
import dev.cotenant.engine.serving.ServingVersion;
import dev.cotenant.engine.serving.ServingVersion.Grounds;
import dev.cotenant.engine.testing.SampleRows;
import dev.cotenant.interference.risk.SharedJob;
import dev.cotenant.service.lifecycle.MeasurementExpiry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SqlMeasurementsTest {
  private static final Duration RETENTION = Duration.ofDays(180);
  private static final Instant NOW = Instant.parse("2026-11-28T10:00:00.000001Z");

  /** Received just within the retention, and just before. */
  private static final Instant KEPT = NOW.minus(RETENTION);

  private static final Instant EXPIRED = KEPT.minus(1, ChronoUnit.MICROS);
  private static final Map<String, Integer> NONE =
      Map.of("run", 0, "speed", 0, "start", 0, "stay", 0, "rate", 0);

  @TempDir Path directory;

  private DatabaseSettings settings(String database) throws Exception {
    return database.equals("embedded")
        ? DatabaseSettings.embedded(directory)
        : TestDatabases.postgres();
  }

  private static ProfileStore profiles(Database database) {
    return new SqlModelStore(database, DeviceCatalogue::builtIn).profiles();
  }

  private static MeasuredSpeed speed(Instant at) {
    return new MeasuredSpeed(
        "team-a",
        "pod",
        "t4",
        new SharedJob("own b32", "own", 0.4, 0.2),
        List.of(),
        100,
        at,
        SpeedSource.PROGRESS,
        "");
  }

  private static ServingStart start(String release, Instant at) {
    return new ServingStart("team-a", release, "m", "pod", "{}", release + " at " + at, at);
  }

  private static ServingVersion version(String release) {
    return new ServingVersion(
        "team-a", release, 1, EXPIRED, "cotenant", Grounds.BETTER, null, 3, "{}", "0.1 GiB");
  }

  private static Lifetime stay(Instant at) {
    return new Lifetime("team-a", "workload", Duration.ofHours(1), at);
  }

  private static HourlyRate rate(Instant at) {
    return new HourlyRate("team-a", "workload", 12.5, at);
  }

  private static void fill(Database database) {
    ProfileStore profiles = profiles(database);
    profiles.add("team-a", List.of(SampleRows.row(1, 50)), EXPIRED);
    profiles.add("team-a", List.of(SampleRows.row(2, 50)), KEPT);
    profiles.add(ProfileStore.SHARED, List.of(SampleRows.row(3, 50)), EXPIRED);
    new SqlSpeeds(database).add(List.of(speed(EXPIRED), speed(KEPT)));
    SqlServing servers = new SqlServing(database);
    servers.add(List.of(start("0.23", EXPIRED), start("0.24", EXPIRED), start("0.24", KEPT)));
    servers.add(version("0.23"));
    servers.add(version("0.24"));
    new SqlLifetimes(database).add(List.of(stay(EXPIRED), stay(KEPT)));
    new SqlRates(database).add(List.of(rate(EXPIRED), rate(KEPT)));
  }

  private static void requireWithinRetention(Database database) {
    assertThat(profiles(database).all())
        .extracting(StoredProfile::receivedAt)
        .containsExactly(KEPT, EXPIRED);
    assertThat(profiles(database).all().getLast().namespace()).isEqualTo(ProfileStore.SHARED);
    assertThat(new SqlSpeeds(database).of("team-a")).containsExactly(speed(KEPT));
    SqlServing servers = new SqlServing(database);
    assertThat(servers.starts("team-a")).extracting(ServingStart::at).containsExactly(KEPT);
    assertThat(servers.versions("team-a")).containsExactly(version("0.24"));
    assertThat(new SqlLifetimes(database).all()).containsExactly(stay(KEPT));
    assertThat(new SqlRates(database).all()).containsExactly(rate(KEPT));
  }

  @ParameterizedTest
  @ValueSource(strings = {"embedded", "postgresql"})
  void whatIsOlderThanTheRetentionIsDeletedOnce(String kind) throws Exception {
    DatabaseSettings settings = settings(kind);
    try (Database database = Database.of(settings)) {
      SqlMeasurements measurements = new SqlMeasurements(database);
      assertThat(measurements.deleteBefore(KEPT)).isEqualTo(NONE);
      fill(database);

      assertThat(measurements.deleteBefore(KEPT))
          .isEqualTo(Map.of("run", 1, "speed", 1, "start", 2, "stay", 1, "rate", 1));

      requireWithinRetention(database);
      assertThat(measurements.deleteBefore(KEPT)).isEqualTo(NONE);
    }
    try (Database database = Database.of(settings)) {
      requireWithinRetention(database);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"embedded", "postgresql"})
  void aClockThatIsSetBackDeletesNothing(String kind) throws Exception {
    DatabaseSettings settings = settings(kind);
    try (Database database = Database.of(settings)) {
      fill(database);
      SqlMeasurements measurements = new SqlMeasurements(database);

      expire(measurements, NOW.minus(Duration.ofMinutes(10)));
      assertThat(profiles(database).count()).isEqualTo(3);
      expire(measurements, Instant.EPOCH);
      assertThat(profiles(database).count()).isEqualTo(3);
    }
    try (Database database = Database.of(settings)) {
      expire(new SqlMeasurements(database), NOW);
      requireWithinRetention(database);
    }
  }

  private static void expire(SqlMeasurements measurements, Instant now) {
    new MeasurementExpiry(measurements, RETENTION, new SimpleMeterRegistry(), () -> now).expire();
  }

  /** A row is as old as its first arrival, whatever it says and however often it is sent. */
  @ParameterizedTest
  @ValueSource(strings = {"embedded", "postgresql"})
  void aRowThatIsSentAgainStaysAsOldAsItIs(String kind) throws Exception {
    try (Database database = Database.of(settings(kind))) {
      ProfileStore profiles = profiles(database);
      profiles.add("team-a", List.of(SampleRows.row(1, 50)), EXPIRED);
      assertThat(profiles.add("team-a", List.of(SampleRows.row(1, 50)), NOW))
          .containsExactly(false);
      StoredRuns runs = new StoredRuns(profiles, () -> EXPIRED);
      runs.refresh();
      assertThat(runs.get().configurations()).isEqualTo(1);

      new SqlMeasurements(database).deleteBefore(KEPT);

      runs.refresh();
      assertThat(runs.get().configurations()).isZero();
      assertThat(profiles.newest(10, "team-a", "a100-40gb")).isEmpty();
      assertThat(profiles.add("team-a", List.of(SampleRows.row(1, 50)), NOW)).containsExactly(true);
    }
  }
}
