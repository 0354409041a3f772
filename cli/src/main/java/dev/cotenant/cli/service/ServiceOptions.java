package dev.cotenant.cli.service;

import dev.cotenant.cli.terminal.PortOption;
import dev.cotenant.domain.InputException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** Where the service listens. */
final class ServiceOptions {
  @Option(
      names = "--port",
      paramLabel = "N",
      defaultValue = "8080",
      description = "HTTP port of pages, REST, health and metrics (default 8080).")
  private int port;

  @Option(
      names = "--https-port",
      paramLabel = "N",
      defaultValue = "8443",
      description = "HTTPS port of the webhooks (default 8443).")
  private int httpsPort;

  int port() {
    return port;
  }

  int httpsPort() {
    return httpsPort;
  }

  /**
   * Makes sure that the service can have its ports, before a JVM is started for it.
   *
   * @throws InputException ({@code bad-port}, {@code port-in-use})
   */
  void requireFreePorts() {
    if (port == httpsPort) {
      throw InputException.invalidArgument(
          "bad-port", "--port and --https-port must differ, both are " + port + ".");
    }
    List<PortOption> taken = new ArrayList<>();
    IOException cause = null;
    for (PortOption option :
        List.of(new PortOption(port, "--port"), new PortOption(httpsPort, "--https-port"))) {
      try (ServerSocket socket = new ServerSocket()) {
        socket.setReuseAddress(true);
        socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), option.numberFrom(1)));
      } catch (IOException e) {
        taken.add(option);
        cause = e;
      }
    }
    if (cause != null) {
      throw PortOption.notOpened(taken, cause);
    }
  }
}
