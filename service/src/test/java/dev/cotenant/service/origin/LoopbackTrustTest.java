package dev.cotenant.service.origin;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.net.SocketAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LoopbackTrustTest {
  @ParameterizedTest
  @CsvSource({
    "127.0.0.1, true",
    "::1, true",
    "::ffff:127.0.0.1, true", // an IPv4 peer on a dual-stack socket
    "127.0.0.6, false", // what a mesh's sidecar passes on
    "127.8.9.10, false",
    "::ffff:127.0.0.6, false",
    "10.0.0.7, false",
    "0.0.0.0, false",
    "2001:db8::1, false",
    "::ffff:10.0.0.7, false",
  })
  void coversTwoAddresses(String address, boolean covered) {
    SocketAddress peer = SocketAddress.inetSocketAddress(4711, address);

    assertThat(LoopbackTrust.ON.covers(peer)).isEqualTo(covered);
    assertThat(LoopbackTrust.OFF.covers(peer)).isFalse();
  }

  @Test
  void coversNoPeerWithoutAnIpAddress() {
    assertThat(LoopbackTrust.ON.covers(null)).isFalse();
    assertThat(LoopbackTrust.ON.covers(SocketAddress.domainSocketAddress("/run/x.sock"))).isFalse();
  }
}
