package dev.cotenant.engine.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.domain.text.Sha256;
import dev.cotenant.engine.testing.FakeModelStore;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class KnownVersionsTest {
  private static final Instant NOON = Instant.parse("2026-11-21T12:00:00Z");

  private final FakeModelStore store = new FakeModelStore();
  private Instant now = NOON;
  private final KnownVersions known = new KnownVersions(store.versions(), () -> now);

  private void add(String label) {
    byte[] file = label.getBytes(StandardCharsets.UTF_8);
    store
        .versions()
        .add(
            new ModelVersion(
                Sha256.of(file),
                label,
                ModelVersion.Kind.BASE,
                ModelVersion.Origin.UPLOADED,
                null,
                now,
                "# Card",
                "seed: 1\n",
                Map.of()),
            file);
  }

  @Test
  void showsWhatTheStoreHasNow() {
    known.refresh();
    add("a");
    now = NOON.plusSeconds(5);
    KnownVersions.Listing listing = known.listing();
    assertThat(listing.versions()).extracting(ModelVersion::label).containsExactly("a");
    assertThat(listing.readAt()).isEqualTo(now);
    assertThat(listing.current()).isTrue();
  }

  @Test
  void showsWhatItLastReadWhileTheStoreIsDown() {
    add("a");
    known.refresh();
    store.setDown(true);
    now = NOON.plusSeconds(5);
    KnownVersions.Listing listing = known.listing();
    assertThat(listing.versions()).extracting(ModelVersion::label).containsExactly("a");
    assertThat(listing.readAt()).isEqualTo(NOON);
    assertThat(listing.current()).isFalse();
    assertThatThrownBy(known::refresh).isInstanceOf(StoreException.class);
  }

  @Test
  void asksAStoreThatWasDownOnlyOnceItWasReadAgain() {
    known.refresh();
    store.setDown(true);
    known.listing();
    store.setDown(false);
    add("a");
    assertThat(known.listing().versions()).isEmpty();
    known.refresh();
    assertThat(known.listing().versions()).hasSize(1);
    assertThat(known.listing().current()).isTrue();
  }

  @Test
  void knowsNothingBeforeTheStoreWasRead() {
    store.setDown(true);
    assertThat(known.listing())
        .isEqualTo(new KnownVersions.Listing(List.of(), List.of(), null, false));
  }
}
