package dev.cotenant.service.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.net.SocketAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TokenFilterTest {
  @ParameterizedTest
  @CsvSource({
    "127.0.0.1, true",
    "127.8.9.10, true",
    "::1, true",
    "10.0.0.7, false",
    "192.168.1.1, false",
    "0.0.0.0, false",
    "2001:db8::1, false",
    "::ffff:127.0.0.1, true", // an IPv4 peer on a dual-stack socket
    "::ffff:10.0.0.7, false",
  })
  void knowsThisMachine(String address, boolean loopback) {
    assertThat(TokenFilter.isLoopback(SocketAddress.inetSocketAddress(4711, address)))
        .isEqualTo(loopback);
  }

  @Test
  void trustsNoPeerWithoutAnIpAddress() {
    assertThat(TokenFilter.isLoopback(null)).isFalse();
    assertThat(TokenFilter.isLoopback(SocketAddress.domainSocketAddress("/run/x.sock"))).isFalse();
  }
}
