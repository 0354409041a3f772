package dev.cotenant.service.overload;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** With 20 connections, 10 of them from one address and 5 before their first request. */
class ConnectionLimitsTest {
  private final List<ShedCause> shed = new ArrayList<>();
  private final ReviewSlots reviews = new ReviewSlots(6);
  private final ConnectionLimits limits = limits(true);

  private ConnectionLimits limits(boolean ofWebhooks) {
    return new ConnectionLimits(
        TestLoadShedding.withFewConnections(), ofWebhooks, reviews, (cause, _) -> shed.add(cause));
  }

  /** A channel from 10.0.0.PEER. */
  private static final class From extends EmbeddedChannel {
    private final int peer;

    private From(int peer) {
      this.peer = peer;
    }

    @Override
    protected SocketAddress remoteAddress0() {
      return new InetSocketAddress(InetAddress.ofLiteral("10.0.0." + peer), 4711);
    }
  }

  private Optional<Connection> admit(From channel) {
    return admit(limits, channel);
  }

  private static Optional<Connection> admit(ConnectionLimits limits, From channel) {
    Optional<Connection> connection = limits.admit(channel);
    connection.ifPresent(admitted -> channel.pipeline().addLast(admitted));
    return connection;
  }

  /** A connection with a request in progress. */
  private From busy(int peer) {
    From channel = new From(peer);
    limits.proven(admit(channel).orElseThrow());
    return channel;
  }

  @Test
  void admitsUpToTheBoundOfOneAddressAndOthersBeyondIt() {
    IntStream.range(0, 10).forEach(_ -> busy(1));
    assertThat(admit(new From(1))).isEmpty();
    assertThat(shed).containsExactly(ShedCause.CONNECTIONS);
    IntStream.range(0, 10).forEach(_ -> busy(2));
    assertThat(limits.size()).isEqualTo(20);
  }

  @Test
  void aPeerWithFewerConnectionsTakesAPlaceOfTheLargest() {
    List<From> largest = IntStream.range(0, 10).mapToObj(_ -> busy(1)).toList();
    IntStream.range(0, 9).forEach(_ -> busy(2));
    busy(3);
    assertThat(admit(new From(3))).isPresent();
    assertThat(limits.size()).isEqualTo(20);
    largest.forEach(EmbeddedChannel::runPendingTasks);
    assertThat(largest.stream().filter(From::isOpen)).hasSize(9);
  }

  @Test
  void onePeersHandshakesDoNotShutOutAnother() {
    IntStream.range(0, 50).forEach(_ -> admit(new From(1)));
    IntStream.range(0, 50).forEach(_ -> admit(new From(2)));
    IntStream.range(0, 50).forEach(_ -> admit(new From(3)));
    assertThat(admit(new From(4))).isPresent();
  }

  @Test
  void boundsHandshakesInProgress() {
    IntStream.range(0, 5).forEach(i -> assertThat(admit(new From(i))).isPresent());
    assertThat(admit(new From(9))).isEmpty();
  }

  @Test
  void refusesConnectionsBeyondTheReviewsThatMayBeInProgressWhileTheyAre() {
    IntStream.range(0, 7).forEach(_ -> busy(1));
    IntStream.range(0, 3).forEach(_ -> assertThat(reviews.take()).isTrue());
    assertThat(admit(new From(1))).isEmpty();
    assertThat(admit(new From(2))).as("a probe").isPresent();
    reviews.release();
    assertThat(admit(new From(1))).isPresent();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void refusesSurplusConnectionsOfWebhooksAloneWhileEventLoopsAreBehind(boolean ofWebhooks)
      throws InterruptedException {
    ConnectionLimits some = limits(ofWebhooks);
    List<From> open = IntStream.range(0, 7).mapToObj(_ -> new From(1)).toList();
    open.forEach(channel -> some.proven(admit(some, channel).orElseThrow()));
    some.sweep();
    some.measure(); // by tasks that wait for the event loops of these channels
    Thread.sleep(150);
    assertThat(admit(some, new From(1)).isPresent()).isEqualTo(!ofWebhooks);
    open.forEach(EmbeddedChannel::runPendingTasks);
    some.measure();
    open.forEach(EmbeddedChannel::runPendingTasks);
    assertThat(admit(some, new From(1))).isPresent();
  }

  /** Seven connections of peer 1 and half of the reviews in progress. */
  private void overload() {
    IntStream.range(0, 7).forEach(_ -> busy(1));
    IntStream.range(0, 3).forEach(_ -> assertThat(reviews.take()).isTrue());
  }

  private void refuse(int peer, int times) {
    IntStream.range(0, times).forEach(_ -> assertThat(admit(new From(peer))).isEmpty());
  }

  @Test
  void isFloodedOnceManyAreRefusedAtOnce() {
    overload();
    refuse(1, Refusals.MAX - 1);
    assertThat(limits.isFlooded()).isFalse();
    refuse(1, 1);
    assertThat(limits.isFlooded()).isTrue();
    limits.measure();
    assertThat(limits.isFlooded()).isFalse();
  }

  @Test
  void isFloodedAtTheFirstRefusalOfAPortThatWasClosed() {
    overload();
    limits.reopened();
    assertThat(limits.isFlooded()).isFalse();
    refuse(1, 1);
    assertThat(limits.isFlooded()).isTrue();
    limits.measure();
    refuse(1, 1);
    assertThat(limits.isFlooded()).isFalse();
  }

  @Test
  void isNotFloodedWhereRefusalsTakeNoTimeOfAnswers() {
    IntStream.range(0, 10).forEach(_ -> busy(1));
    refuse(1, 2 * Refusals.MAX);
    assertThat(limits.isFlooded()).isFalse();
  }

  @Test
  void isNotFloodedWhileAPeerIsConnectedThatIsNotRefused() {
    overload();
    From other = busy(2);
    refuse(1, 2 * Refusals.MAX);
    assertThat(limits.isFlooded()).isFalse();
    assertThat(other.close().isSuccess()).isTrue();
    assertThat(limits.isFlooded()).isTrue();
  }

  @Test
  void aClosedConnectionLeavesItsPlace() {
    List<From> open = IntStream.range(0, 10).mapToObj(_ -> busy(1)).toList();
    assertThat(open.getFirst().close().isSuccess()).isTrue();
    assertThat(limits.size()).isEqualTo(9);
    assertThat(admit(new From(1))).isPresent();
    assertThat(open).allMatch(channel -> channel.close().isSuccess());
    assertThat(limits.size()).isEqualTo(1);
  }
}
