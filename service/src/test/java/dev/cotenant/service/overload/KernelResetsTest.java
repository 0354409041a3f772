package dev.cotenant.service.overload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.domain.testing.FreePort;
import java.net.InetAddress;
import java.net.Socket;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

class KernelResetsTest {
  @Test
  void findsTheColumnByItsName() {
    assertThat(
            KernelResets.sent(
                List.of(
                    "Ip: Forwarding OutRsts",
                    "Ip: 1 5",
                    "Tcp: RtoAlgorithm MaxConn OutRsts InCsumErrors",
                    "Tcp: 1 -1 42 0")))
        .hasValue(42);
  }

  @Test
  void isEmptyWhereTheSystemDoesNotSay() {
    assertThat(KernelResets.sent(List.of())).isEmpty();
    assertThat(KernelResets.sent(List.of("Tcp: RtoAlgorithm", "Tcp: 1"))).isEmpty();
    assertThat(KernelResets.sent(List.of("Tcp: OutRsts"))).isEmpty();
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void countsARefusedConnection() throws Exception {
    int closed = FreePort.find();
    long before = KernelResets.sent().orElseThrow();
    assertThatThrownBy(() -> new Socket(InetAddress.getLoopbackAddress(), closed).close())
        .isInstanceOf(java.net.ConnectException.class);
    assertThat(KernelResets.sent().orElseThrow()).isGreaterThan(before);
  }
}
