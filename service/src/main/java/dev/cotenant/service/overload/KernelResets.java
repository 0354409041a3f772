package dev.cotenant.service.overload;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;

/**
 * TCP resets that the kernel sent in this network namespace, a pod's own unless it uses the host's
 * network: what a connection to a closed port gets. Counter {@code OutRsts} of the MIB of TCP [RFC
 * 4022], as Linux states it.
 */
final class KernelResets {
  private static final Path FILE = Path.of("/proc/self/net/snmp");
  private static final String TCP = "Tcp:";
  private static final String SENT = "OutRsts";

  private KernelResets() {}

  /** Since the namespace exists; empty where the system does not say. */
  static OptionalLong sent() {
    try {
      return sent(Files.readAllLines(FILE));
    } catch (IOException unknown) {
      return OptionalLong.empty();
    }
  }

  /** From a line of names and a line of numbers in the same order. */
  static OptionalLong sent(List<String> lines) {
    List<List<String>> tcp =
        lines.stream()
            .filter(line -> line.startsWith(TCP))
            .map(line -> List.of(line.split(" ")))
            .toList();
    int column = tcp.isEmpty() ? -1 : tcp.getFirst().indexOf(SENT);
    return column < 0 || tcp.size() < 2 || tcp.get(1).size() <= column
        ? OptionalLong.empty()
        : OptionalLong.of(Long.parseLong(tcp.get(1).get(column)));
  }
}
