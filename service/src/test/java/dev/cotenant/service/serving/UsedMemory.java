package dev.cotenant.service.serving;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;

/**
 * A metrics server on which the pods {@code train-0} of two namespaces used 8,000 MiB all the time.
 */
final class UsedMemory {
  private UsedMemory() {}

  /** The address of one that answers on a free port of this machine until the process ends. */
  static String serve() {
    try {
      HttpServer server =
          HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
      server.createContext("/", exchange -> answer(exchange, form(exchange)));
      server.start();
      return "http://127.0.0.1:" + server.getAddress().getPort();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static String form(HttpExchange exchange) throws IOException {
    return URLDecoder.decode(
        new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8),
        StandardCharsets.UTF_8);
  }

  static void answer(HttpExchange exchange, String form) throws IOException {
    String series =
        form.contains("max_over_time") ? series("team-a", form) + "," + series("team-b", form) : "";
    byte[] text =
        ("{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\"result\":["
                + series
                + "]}}")
            .getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(200, text.length);
    exchange.getResponseBody().write(text);
    exchange.close();
  }

  private static String series(String namespace, String form) {
    StringBuilder values = new StringBuilder();
    long step = number(form, "step");
    for (long at = number(form, "start"); at <= number(form, "end"); at += step) {
      values.append(values.isEmpty() ? "" : ",").append("[" + at + ",\"8000\"]");
    }
    return "{\"metric\":{\"UUID\":\"GPU-"
        + namespace
        + "\",\"namespace\":\""
        + namespace
        + "\",\"pod\":\"train-0\"},\"values\":["
        + values
        + "]}";
  }

  private static long number(String form, String name) {
    return Long.parseLong(form.replaceAll("(?s).*\\b" + name + "=(\\d+).*", "$1"));
  }
}
