package dev.cotenant.engine.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.domain.text.Sha256;
import dev.cotenant.engine.lifecycle.ConflictException;
import dev.cotenant.engine.lifecycle.ModelStore;
import dev.cotenant.engine.lifecycle.ModelVersion;
import dev.cotenant.engine.lifecycle.Promotion;
import dev.cotenant.engine.lifecycle.QuotaException;
import dev.cotenant.engine.lifecycle.RegisteredModelStore;
import dev.cotenant.engine.lifecycle.VersionStore;
import dev.cotenant.engine.profile.ProfileStore;
import dev.cotenant.engine.profile.StoredProfile;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What every store keeps to; each test gets an empty one. */
public abstract class ModelStoreContract {
  protected static final Instant NOON = Instant.parse("2026-11-21T12:00:00Z");

  /** The store under test, empty before each test. */
  protected abstract ModelStore store();

  private static ModelVersion version(byte[] file, String label, @Nullable String parent) {
    return new ModelVersion(
        Sha256.of(file),
        label,
        parent == null ? ModelVersion.Kind.BASE : ModelVersion.Kind.CORRECTION,
        parent == null ? ModelVersion.Origin.SHIPPED : ModelVersion.Origin.TRAINED,
        parent,
        NOON,
        "# Card of " + label + "\n\nüber 100 %",
        "seed: 1\nrows: 20",
        Map.of("held_out_rmsle", 0.125, "rows", 20.0));
  }

  private static byte[] bytes(int length, int seed) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  @Test
  void keepsAVersionAndItsFile() {
    byte[] base = bytes(3_000_000, 1);
    byte[] correction = bytes(0, 2);
    ModelVersion first = version(base, "forest-1", null);
    ModelVersion second = version(correction, "corrected-1", first.sha256());
    assertThat(store().versions().add(first, base)).isTrue();
    assertThat(store().versions().add(second, correction)).isTrue();
    assertThat(store().versions().all()).containsExactly(first, second);
    assertThat(store().versions().find("corrected-1")).contains(second);
    assertThat(store().versions().find(first.sha256())).contains(first);
    assertThat(store().versions().find("none")).isEmpty();
    assertThat(store().versions().file(first.sha256())).contains(base);
    assertThat(store().versions().file(second.sha256())).contains(correction);
    assertThat(store().versions().file("none")).isEmpty();
  }

  @Test
  void keepsAFileOnce() {
    byte[] file = bytes(10, 1);
    assertThat(store().versions().add(version(file, "a", null), file)).isTrue();
    assertThat(store().versions().add(version(file, "b", null), file)).isFalse();
    assertThat(store().versions().all()).hasSize(1);
  }

  @Test
  void numbersPromotionsAndRefusesTheSlowerOfTwo() {
    byte[] file = bytes(10, 1);
    ModelVersion version = version(file, "a", null);
    store().versions().add(version, file);
    assertThat(store().versions().promoted()).isEmpty();
    Promotion.Request request =
        new Promotion.Request(
            version.sha256(), "operator", Promotion.Grounds.OVERRIDE, "we know better");
    Promotion first = store().versions().promote(request, 0, NOON);
    assertThat(first)
        .isEqualTo(
            new Promotion(
                1,
                version.sha256(),
                NOON,
                "operator",
                Promotion.Grounds.OVERRIDE,
                "we know better"));
    assertThatThrownBy(() -> store().versions().promote(request, 0, NOON))
        .isInstanceOfSatisfying(
            ConflictException.class, e -> assertThat(e.code()).isEqualTo("promotion-conflict"));
    Promotion second = store().versions().promote(request, 1, NOON.plusSeconds(1));
    assertThat(store().versions().promoted()).contains(second);
    assertThat(store().versions().promotions()).containsExactly(first, second);
  }

  @Test
  void recognisesRowsThatAreThere() {
    assertThat(
            store()
                .profiles()
                .add(
                    ProfileStore.SHARED,
                    List.of(SampleRows.row(8, 50), SampleRows.row(16, 70), SampleRows.row(8, 50)),
                    NOON))
        .containsExactly(true, true, false);
    assertThat(store().profiles().add(ProfileStore.SHARED, List.of(SampleRows.row(16, 70)), NOON))
        .containsExactly(false);
    assertThat(store().profiles().count()).isEqualTo(2);
    List<StoredProfile> all = store().profiles().all();
    assertThat(all)
        .extracting(StoredProfile::row)
        .containsExactly(SampleRows.row(8, 50), SampleRows.row(16, 70));
    assertThat(all).extracting(StoredProfile::receivedAt).containsOnly(NOON);
    assertThat(store().profiles().page(all.getFirst().number(), 10)).containsExactly(all.get(1));
    assertThat(store().profiles().page(0, 1)).containsExactly(all.getFirst());
  }

  @Test
  void readsAFileOfAModelByItsHash() {
    byte[] file = bytes(1_500_000, 3);
    byte[] other = bytes(5, 4);
    RegisteredModelStore models = store().models();
    assertThat(put(models, "b", null, file)).isTrue();
    assertThat(put(models, "a", null, file)).isTrue();
    assertThat(put(models, "b", null, other)).isTrue();
    assertThat(models.names())
        .containsExactly(
            new RegisteredModelStore.Name("a", Sha256.of(file)),
            new RegisteredModelStore.Name("b", Sha256.of(other)));
    assertThat(models.read(Sha256.of(file), ModelStoreContract::all)).isEqualTo(file);
    assertThat(models.read(Sha256.of(other), ModelStoreContract::all)).isEqualTo(other);
    assertThatThrownBy(() -> models.read("0".repeat(64), ModelStoreContract::all))
        .isInstanceOf(InputException.class);
  }

  private static boolean put(
      RegisteredModelStore models, String name, @Nullable String before, byte[] file) {
    return models.put(
        new RegisteredModelStore.Name(name, Sha256.of(file)),
        before,
        new ByteArrayInputStream(file),
        NOON);
  }

  @Test
  void forgetsVersionsThatNothingRestsOn() {
    byte[] base = bytes(10, 1);
    byte[] correction = bytes(10, 2);
    ModelVersion first = version(base, "forest-1", null);
    ModelVersion second = version(correction, "corrected-1", first.sha256());
    VersionStore versions = store().versions();
    versions.add(first, base);
    versions.add(second, correction);
    assertThat(versions.remove(first.sha256())).as("another rests on it").isFalse();
    assertThat(versions.remove("0".repeat(64))).as("unknown").isFalse();
    assertThat(versions.remove(second.sha256())).isTrue();
    assertThat(versions.file(second.sha256())).isEmpty();
    versions.promote(
        new Promotion.Request(
            first.sha256(), "operator", Promotion.Grounds.OVERRIDE, "we know better"),
        0,
        NOON);
    assertThat(versions.remove(first.sha256())).as("promoted").isFalse();
    assertThat(versions.all()).containsExactly(first);
    assertThat(versions.add(second, correction)).as("as if it was never there").isTrue();
  }

  @Test
  void keepsAsManyVersionsAsMayBeAndShippedOnes() {
    VersionStore versions = store().versions();
    byte[] base = bytes(1, 0);
    ModelVersion first = version(base, "forest", null);
    versions.add(first, base);
    ModelVersion second = first;
    for (int i = 1; i < VersionStore.MAX_VERSIONS; i++) {
      byte[] file = bytes(10, i);
      second = version(file, "corrected-" + i, first.sha256());
      versions.add(second, file);
    }
    byte[] more = bytes(10, VersionStore.MAX_VERSIONS);
    ModelVersion beyond = version(more, "beyond", first.sha256());

    assertThatThrownBy(() -> versions.add(beyond, more))
        .isInstanceOf(QuotaException.class)
        .hasMessageContaining("limited to 500");
    assertThat(versions.all()).hasSize(VersionStore.MAX_VERSIONS).doesNotContain(beyond);
    assertThat(versions.file(beyond.sha256())).isEmpty();
    assertThat(versions.add(version(bytes(2, 0), "shipped", null), bytes(2, 0))).isTrue();
    assertThat(versions.remove(second.sha256())).isTrue();
  }

  @Test
  void replacesOnlyTheFileThatTheCallerSaw() {
    byte[] first = bytes(10, 1);
    byte[] second = bytes(10, 2);
    byte[] third = bytes(10, 3);
    RegisteredModelStore models = store().models();
    assertThat(put(models, "m", Sha256.of(third), first)).as("a new name").isTrue();
    assertThat(put(models, "m", Sha256.of(third), second)).as("another was seen").isFalse();
    assertThat(put(models, "m", Sha256.of(third), first)).as("nothing changes").isTrue();
    assertThat(models.names())
        .containsExactly(new RegisteredModelStore.Name("m", Sha256.of(first)));
    assertThat(put(models, "m", Sha256.of(first), second)).isTrue();
    assertThat(models.remove("m")).isTrue();
    assertThat(models.remove("m")).isFalse();
    assertThat(models.names()).isEmpty();
    assertThat(put(models, "m", Sha256.of(first), second)).as("a new name again").isTrue();
    assertThat(models.read(Sha256.of(second), ModelStoreContract::all)).isEqualTo(second);
  }

  @Test
  void withdrawsRowsByNumberAndBySource() {
    ProfileStore profiles = store().profiles();
    profiles.add(
        ProfileStore.SHARED,
        List.of(
            SampleRows.row(8, 50).withSource("alice"),
            SampleRows.row(16, 70).withSource("bob"),
            SampleRows.row(32, 80).withSource("bob")),
        NOON);
    List<StoredProfile> all = profiles.all();
    assertThat(profiles.page(0, 10, new ProfileStore.Selection("bob", null)))
        .containsExactly(all.get(1), all.get(2));
    assertThat(profiles.page(0, 10, new ProfileStore.Selection(null, "no-such-device"))).isEmpty();
    assertThat(profiles.remove(all.get(1).number())).isTrue();
    assertThat(profiles.remove(all.get(1).number())).isFalse();
    assertThat(profiles.removeFrom("carol")).isZero();
    assertThat(profiles.removeFrom("bob")).isOne();
    assertThat(profiles.all()).containsExactly(all.getFirst());
    assertThat(
            profiles.add(
                ProfileStore.SHARED, List.of(SampleRows.row(32, 80).withSource("bob")), NOON))
        .as("withdrawn rows are new again")
        .containsExactly(true);
    assertThat(profiles.all().getLast().number()).isGreaterThan(all.getLast().number());
  }

  /** Names that are registered anew and anew do not fill the disk. */
  @Test
  void deletesAFileOnceNoNameMeansIt() {
    byte[] file = bytes(1_500_000, 3);
    byte[] other = bytes(5, 4);
    RegisteredModelStore models = store().models();
    put(models, "a", null, file);
    put(models, "b", null, file);
    for (String name : List.of("a", "b")) {
      assertThat(models.read(Sha256.of(file), ModelStoreContract::all)).isEqualTo(file);
      put(models, name, null, other);
    }

    assertThatThrownBy(() -> models.read(Sha256.of(file), ModelStoreContract::all))
        .isInstanceOf(InputException.class);
    assertThat(models.read(Sha256.of(other), ModelStoreContract::all)).isEqualTo(other);
  }

  /** Rows of one namespace are no duplicates of another's, and its newest replace its oldest. */
  @Test
  void keepsTheRowsOfANamespaceToItselfAndWithinItsRoom() {
    ProfileStore profiles = store().profiles();
    assertThat(profiles.add("team-a", List.of(SampleRows.row(8, 50)), NOON)).containsExactly(true);
    assertThat(profiles.add("team-b", List.of(SampleRows.row(8, 50)), NOON)).containsExactly(true);
    assertThat(profiles.add("team-b", List.of(SampleRows.row(8, 50)), NOON)).containsExactly(false);
    assertThat(profiles.add(ProfileStore.SHARED, List.of(SampleRows.row(8, 50)), NOON))
        .containsExactly(true);
    assertThat(profiles.all())
        .extracting(StoredProfile::namespace)
        .containsExactly("team-a", "team-b", ProfileStore.SHARED);

    profiles.add(
        "team-b",
        IntStream.rangeClosed(1, ProfileStore.MAX_OF_NAMESPACE)
            .mapToObj(i -> SampleRows.row(8, i / 100.0))
            .toList(),
        NOON);

    List<StoredProfile> kept = profiles.all();
    assertThat(kept).filteredOn(row -> row.namespace().equals("team-a")).hasSize(1);
    assertThat(kept).filteredOn(row -> row.namespace().equals(ProfileStore.SHARED)).hasSize(1);
    assertThat(kept)
        .filteredOn(row -> row.namespace().equals("team-b"))
        .hasSizeBetween(1, ProfileStore.MAX_OF_NAMESPACE)
        .last()
        .satisfies(row ->
            assertThat(row.row().utilization())
                .isEqualTo(Utilization.ofPercent(ProfileStore.MAX_OF_NAMESPACE / 100.0)));
  }

  @Test
  void refusesSharedRowsBeyondTheirRoomAndStoresNone() {
    ProfileStore profiles = store().profiles();
    List<ProfileRow> tooMany =
        IntStream.rangeClosed(1, ProfileStore.MAX_SHARED + 1)
            .mapToObj(i -> SampleRows.row(8, i / 1_000.0))
            .toList();

    assertThatThrownBy(() -> profiles.add(ProfileStore.SHARED, tooMany, NOON))
        .isInstanceOfSatisfying(
            QuotaException.class, e -> assertThat(e.code()).isEqualTo("too-many-rows"));

    assertThat(profiles.count()).isZero();
  }

  private static byte[] all(InputStream in) {
    try {
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
