package dev.cotenant.service.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.engine.lifecycle.ModelStore;
import dev.cotenant.engine.profile.ProfileStore;
import dev.cotenant.engine.profile.StoredProfile;
import dev.cotenant.engine.profile.StoredRuns;
import dev.cotenant.engine.testing.ModelStoreContract;
import dev.cotenant.engine.testing.SampleRows;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedStoreTest extends ModelStoreContract {
  @TempDir Path directory;
  private @Nullable Database database;

  @BeforeEach
  void open() {
    database = Database.of(DatabaseSettings.embedded(directory));
  }

  @AfterEach
  void close() {
    if (database != null) {
      database.close();
    }
  }

  @Override
  protected ModelStore store() {
    return new SqlModelStore(Objects.requireNonNull(database), DeviceCatalogue::builtIn);
  }

  /** Runs of a device that was in the device file once, between others. */
  @Test
  void passesOverRowsOfADeviceThatIsGone() {
    ProfileStore before = store().profiles();
    for (int batch = 1; batch <= 9; batch++) {
      ProfileRow row = SampleRows.row(batch, 50);
      before.add(ProfileStore.SHARED, List.of(batch % 3 == 0 ? row : on("t4", row)), Instant.EPOCH);
    }

    Device a100 = DeviceCatalogue.builtIn().require("a100-40gb");
    ProfileStore after =
        new SqlModelStore(
                Objects.requireNonNull(database), () -> new DeviceCatalogue(List.of(a100)))
            .profiles();

    assertThat(after.count()).isEqualTo(9);
    assertThat(after.page(0, 2)).extracting(StoredProfile::number).containsExactly(3L, 6L);
    assertThat(after.page(6, 2)).extracting(StoredProfile::number).containsExactly(9L);
    assertThat(after.all()).hasSize(3);
  }

  @Test
  void readsRowsOfADeviceThatTheCatalogueListsLater() {
    AtomicReference<DeviceCatalogue> devices =
        new AtomicReference<>(
            new DeviceCatalogue(List.of(DeviceCatalogue.builtIn().require("a100-40gb"))));
    store()
        .profiles()
        .add(ProfileStore.SHARED, List.of(on("t4", SampleRows.row(32, 50))), Instant.EPOCH);
    ProfileStore profiles =
        new SqlModelStore(Objects.requireNonNull(database), devices::get).profiles();
    StoredRuns runs = new StoredRuns(profiles, () -> Instant.EPOCH);
    runs.refresh();
    assertThat(runs.get().configurations()).isZero();

    devices.set(DeviceCatalogue.builtIn());
    runs.outdate();
    runs.refresh();

    assertThat(runs.get().configurations()).isEqualTo(1);
  }

  private static ProfileRow on(String device, ProfileRow row) {
    return new ProfileRow(
        row.source(),
        row.family(),
        row.topology(),
        row.features(),
        row.settings(),
        new DeviceId(device),
        row.measurement(),
        row.licence(),
        row.quality());
  }
}
