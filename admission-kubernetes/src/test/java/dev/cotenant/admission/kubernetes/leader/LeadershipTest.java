package dev.cotenant.admission.kubernetes.leader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cotenant.admission.kubernetes.Bench;
import dev.cotenant.admission.kubernetes.testing.Eventually;
import dev.cotenant.admission.kubernetes.testing.FakeApiServer.Scripted;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LeadershipTest {
  @TempDir static Path folder;

  private final Bench bench = new Bench(folder);
  private final List<String> told = new CopyOnWriteArrayList<>();
  private final Leadership one = candidate("one");
  private final Leadership two = candidate("two");

  private Leadership candidate(String identity) {
    return new Leadership(
        bench.loopContext(),
        settings(identity),
        new Told(identity),
        bench.log::add,
        InstantSource.system());
  }

  private static Leadership.Settings settings(String identity) {
    return new Leadership.Settings(
        "cotenant-system",
        "cotenant",
        identity,
        Duration.ofSeconds(2),
        Duration.ofMillis(1_200),
        Duration.ofMillis(50));
  }

  private final class Told implements Leadership.Follower {
    private final String identity;

    Told(String identity) {
      this.identity = identity;
    }

    @Override
    public void gained(long term) {
      told.add(identity + " gained " + term);
    }

    @Override
    public void lost() {
      told.add(identity + " lost");
    }
  }

  @AfterEach
  void close() {
    one.close();
    two.close();
    bench.close();
  }

  private ObjectNode lease() {
    return bench.fake.find("leases", "cotenant-system", "cotenant").orElseThrow();
  }

  @Test
  void oneOfTwoLeadsAndHandsOverWhenItStops() {
    one.start();
    Eventually.holds("one leads", one::isLeading);
    two.start();
    long first = one.term();
    one.close();
    Eventually.holds("two leads", two::isLeading);

    assertThat(two.term()).isEqualTo(first + 1);
    assertThat(one.isLeading()).isFalse();
    assertThat(told)
        .containsExactly("one gained " + first, "one lost", "two gained " + (first + 1));
    assertThat(lease().at("/spec/holderIdentity").asText()).isEqualTo("two");
  }

  @Test
  void anUnchangedLeaseOfSomebodyElseIsTakenWhenItIsNotValidAnyMore() {
    one.start();
    Eventually.holds("one leads", one::isLeading);
    long first = one.term();
    bench.fake.script(request ->
        request.body().contains("\"one\"")
            ? Optional.of(Scripted.HANG_UP)
            : Optional.empty()); // nothing that one writes arrives any more
    two.start();
    Eventually.holds("two leads", two::isLeading);

    assertThat(told)
        .containsExactly("one gained " + first, "one lost", "two gained " + (first + 1));
  }

  @Test
  void aLeaderThatComesBackBeginsANewTerm() {
    one.start();
    Eventually.holds("one leads", one::isLeading);
    long first = one.term();
    bench.fake.script(_ -> Optional.of(Scripted.of(500, "")));
    Eventually.holds("one leads no longer", () -> told.contains("one lost"));
    assertThat(one.isLeading()).isFalse();
    bench.fake.script(_ -> Optional.empty());
    Eventually.holds("one leads again", one::isLeading);

    assertThat(one.term()).isGreaterThan(first);
  }

  @Test
  void aLeaderWhoseLeaseSomebodyElseTookEndsAtOnce() {
    one.start();
    Eventually.holds("one leads", one::isLeading);
    ObjectNode taken = lease();
    taken.withObject("/spec").put("holderIdentity", "three").put("leaseDurationSeconds", 3_600);
    bench.fake.replace("leases", taken);
    Eventually.holds("one leads no longer", () -> told.contains("one lost"));

    assertThat(lease().at("/spec/holderIdentity").asText()).isEqualTo("three");
  }

  @Test
  void aLeaderWhoseLeaseSomebodyAnnotatedGoesOn() {
    one.start();
    Eventually.holds("one leads", one::isLeading);
    ObjectNode changed = lease();
    changed.withObject("/metadata/annotations").put("looked", "at");
    String version = bench.fake.replace("leases", changed).at("/metadata/resourceVersion").asText();
    Eventually.holds(
        "it was renewed afterwards",
        () -> !lease().at("/metadata/resourceVersion").asText().equals(version));

    assertThat(told).hasSize(1);
    assertThat(lease().at("/metadata/annotations/looked").asText()).isEqualTo("at");
  }

  @Test
  void aDeletedLeaseDoesNotBringBackOldTerms() {
    one.start();
    Eventually.holds("one leads", one::isLeading);
    long first = one.term();
    bench.fake.delete("leases", "cotenant-system", "cotenant");
    Eventually.holds("one leads in another term", () -> one.term() > first);

    assertThat(told).containsExactly("one gained " + first, "one lost", "one gained " + one.term());
  }

  @Test
  void forbiddenLeasesAreSaidOnce() {
    bench.fake.script(_ -> Optional.of(Scripted.of(403, "{\"message\": \"leases is forbidden\"}")));
    one.start();
    Eventually.holds("it was tried again", () -> bench.fake.requests().size() > 3);

    assertThat(bench.log).hasSize(1).first().asString().contains("leases is forbidden");
    assertThat(one.isLeading()).isFalse();
  }

  @Test
  void aLeaseThatIsRenewedTooRarelyIsNoLease() {
    assertThatThrownBy(() ->
            new Leadership.Settings(
                "n", "n", "i", Duration.ofSeconds(1), Duration.ofSeconds(1), Duration.ofMillis(1)))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
