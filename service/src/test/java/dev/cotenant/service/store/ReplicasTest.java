package dev.cotenant.service.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.engine.lifecycle.BaseModel;
import dev.cotenant.engine.lifecycle.KnownVersions;
import dev.cotenant.engine.lifecycle.Promotions;
import dev.cotenant.engine.lifecycle.Serving;
import dev.cotenant.engine.lifecycle.StoreException;
import dev.cotenant.engine.lifecycle.Training;
import dev.cotenant.engine.lifecycle.Trainings;
import dev.cotenant.engine.profile.ProfileStore;
import dev.cotenant.engine.testing.SampleRows;
import dev.cotenant.predictor.Predictor;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

/** Two replicas on one PostgreSQL. */
class ReplicasTest {
  private static final DeviceCatalogue DEVICES = DeviceCatalogue.builtIn();

  private static Serving serving(SqlModelStore store) {
    return new Serving(
        store, BaseModel.Reader.STANDARD, Predictor.builtInFile(), InstantSource.system());
  }

  private static String answer(Serving serving) {
    return serving
        .predictor()
        .predict(SampleRows.features(8), RunSettings.DEFAULT, DEVICES.require("a100-40gb"))
        .modelVersion();
  }

  @Test
  void serveTheSamePromotedVersionAfterTheirNextLook()
      throws IOException, InterruptedException, SQLException {
    DatabaseSettings settings = TestDatabases.postgres();
    try (Database one = Database.of(settings);
        Database other = Database.of(settings)) {
      SqlModelStore store = new SqlModelStore(one, () -> DEVICES);
      Serving first = serving(store);
      Serving second = serving(new SqlModelStore(other, () -> DEVICES));
      first.refresh();
      second.refresh();
      assertThat(store.versions().promotions()).hasSize(1);
      store.profiles().add(ProfileStore.SHARED, rows(), Instant.now());
      store.trainings().enqueue("t1", Instant.now());
      Trainings trainings =
          new Trainings(store, first, () -> DEVICES, "r1", InstantSource.system());
      Training.Outcome outcome = trainings.runNext().orElseThrow();
      assertThat(outcome.state()).as(outcome.message()).isEqualTo(Training.State.FINISHED);
      new Promotions(store, first, () -> DEVICES, InstantSource.system())
          .promote(String.valueOf(outcome.version()), "alice", Optional.of("a drill"));
      assertThat(answer(first)).startsWith("corrected-2-");
      assertThat(answer(second)).isNotEqualTo(answer(first));
      second.refresh();
      assertThat(answer(second)).isEqualTo(answer(first));
    }
  }

  private static List<ProfileRow> rows() {
    List<ProfileRow> rows = new ArrayList<>();
    for (int batch = 1; batch <= 40; batch++) {
      rows.add(SampleRows.row(batch, 50));
    }
    return rows;
  }

  @RepeatedTest(5)
  void bringTheSchemaUpTogether()
      throws IOException, InterruptedException, SQLException, ExecutionException {
    DatabaseSettings settings = TestDatabases.postgres();
    List<Future<Long>> counts = new ArrayList<>();
    try (ExecutorService pool = Executors.newFixedThreadPool(4)) {
      for (int i = 0; i < 4; i++) {
        counts.add(
            pool.submit(() -> {
              try (Database database = Database.of(settings)) {
                return new SqlModelStore(database, () -> DEVICES).profiles().count();
              }
            }));
      }
      for (Future<Long> count : counts) {
        assertThat(count.get()).isZero();
      }
    }
  }

  @Test
  void goOnServingWhileTheDatabaseIsDownAndRecover()
      throws IOException, InterruptedException, SQLException {
    DatabaseSettings nowhere =
        new DatabaseSettings(
            Optional.of("jdbc:postgresql://127.0.0.1:1/none"),
            Optional.of("u"),
            Optional.of("secret-word"),
            java.nio.file.Path.of("/none"));
    try (Database database = Database.of(nowhere)) {
      Serving serving = serving(new SqlModelStore(database, () -> DEVICES));
      assertThatThrownBy(serving::refresh)
          .isInstanceOf(StoreException.class)
          .hasMessageStartingWith("PostgreSQL at jdbc:postgresql://127.0.0.1:1/none cannot be used")
          .message()
          .doesNotContain("secret-word")
          .hasLineCount(1);
      assertThat(answer(serving)).isNotEmpty();
      assertThat(
              new KnownVersions(new SqlModelStore(database, () -> DEVICES).versions(), Instant::now)
                  .listing()
                  .current())
          .isFalse();
    }
    try (PostgresServer server = PostgresServer.start();
        Database database = Database.of(server.newDatabase("restarts"))) {
      Serving serving = serving(new SqlModelStore(database, () -> DEVICES));
      serving.refresh();
      server.restart();
      assertThat(serving.refresh()).isEqualTo(new Serving.Refreshed.Same());
    }
  }
}
