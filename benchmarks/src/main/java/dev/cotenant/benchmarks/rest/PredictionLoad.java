package dev.cotenant.benchmarks.rest;

import dev.cotenant.benchmarks.load.PacedLoad;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;

/** Asks a service on this machine for predictions of a registered model at a fixed rate. */
public final class PredictionLoad {
  private static final int WARM_UP_SECONDS = 10;

  private PredictionLoad() {}

  /** Arguments: port, requests a second, seconds, model. */
  public static void main(String[] arguments) throws InterruptedException {
    int port = Integer.parseInt(arguments[0]);
    int perSecond = Integer.parseInt(arguments[1]);
    int seconds = Integer.parseInt(arguments[2]);
    String body = "{\"model\":\"" + arguments[3] + "\",\"device\":\"a100-40gb\",\"batch_size\":32}";
    PacedLoad load =
        new PacedLoad(
            new PacedLoad.Target(
                () -> connect(port),
                PacedLoad.Target.post("/v1/predictions", body),
                answer -> true),
            perSecond);
    load.run(WARM_UP_SECONDS);
    System.out.println(load.run(seconds));
  }

  private static Socket connect(int port) throws IOException {
    Socket socket = new Socket();
    socket.setTcpNoDelay(true);
    socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    return socket;
  }
}
