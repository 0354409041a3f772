package dev.cotenant.service.tracing;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * A collector for OTLP over HTTP; reads the spans of the protobuf messages that it is sent. Tests
 * get them by HTTP too, because the service's settings come from another class loader.
 */
public final class FakeCollector {
  /** Field numbers of opentelemetry/proto/trace/v1/trace.proto and of its service. */
  private static final int NESTED = 2;

  private static final String RECEIVED = "/received";
  private static final int RESOURCE_SPANS = 1;
  private static final int TRACE_ID = 1;
  private static final int SPAN_ID = 2;
  private static final int PARENT_SPAN_ID = 4;
  private static final int NAME = 5;

  private final List<Received> spans = new CopyOnWriteArrayList<>();
  private final HttpServer server;

  /** A span; ids in hexadecimal, the parent's empty for a root. */
  record Received(String trace, String id, String parent, String name) {
    private static Received of(String line) {
      String[] fields = line.split(",", -1);
      return new Received(fields[0], fields[1], fields[2], fields[3]);
    }

    private String line() {
      return String.join(",", trace, id, parent, name) + "\n";
    }
  }

  /** Listens on a free port of this machine. */
  public FakeCollector() {
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    server.createContext(
        "/v1/traces",
        exchange -> {
          read(ByteBuffer.wrap(exchange.getRequestBody().readAllBytes()));
          exchange.sendResponseHeaders(200, -1);
          exchange.close();
        });
    server.createContext(
        RECEIVED,
        exchange -> {
          byte[] lines =
              spans.stream()
                  .map(Received::line)
                  .collect(Collectors.joining())
                  .getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(200, 0);
          exchange.getResponseBody().write(lines);
          exchange.close();
        });
    server.start();
  }

  /** Where it takes spans. */
  public String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  /** What the collector at this address has received. */
  static List<Received> receivedBy(String url) {
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client
          .send(
              HttpRequest.newBuilder(URI.create(url + RECEIVED)).build(),
              HttpResponse.BodyHandlers.ofLines())
          .body()
          .map(Received::of)
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private void read(ByteBuffer request) {
    messages(
        request,
        RESOURCE_SPANS,
        resource ->
            messages(
                resource, NESTED, scope -> messages(scope, NESTED, span -> spans.add(of(span)))));
  }

  private static void messages(ByteBuffer message, int wanted, Consumer<ByteBuffer> field) {
    fields(
        message,
        (number, value) -> {
          if (number == wanted) {
            field.accept(value);
          }
        });
  }

  private static Received of(ByteBuffer span) {
    String[] values = {"", "", "", ""};
    fields(
        span,
        (number, value) -> {
          byte[] bytes = new byte[value.remaining()];
          value.get(bytes);
          switch (number) {
            case TRACE_ID -> values[0] = HexFormat.of().formatHex(bytes);
            case SPAN_ID -> values[1] = HexFormat.of().formatHex(bytes);
            case PARENT_SPAN_ID -> values[2] = HexFormat.of().formatHex(bytes);
            case NAME -> values[3] = new String(bytes, StandardCharsets.UTF_8);
            default -> {}
          }
        });
    return new Received(values[0], values[1], values[2], values[3]);
  }

  /** Every field with a length, of a message in protobuf's wire format. */
  private static void fields(ByteBuffer message, BiConsumer<Integer, ByteBuffer> field) {
    message.order(ByteOrder.LITTLE_ENDIAN);
    while (message.hasRemaining()) {
      long tag = varint(message);
      switch ((int) (tag & 7)) {
        case 0 -> varint(message);
        case 1 -> message.getLong();
        case 2 -> {
          int length = (int) varint(message);
          field.accept((int) (tag >>> 3), message.slice(message.position(), length));
          message.position(message.position() + length);
        }
        case 5 -> message.getInt();
        default -> throw new IllegalArgumentException("wire type of tag " + tag);
      }
    }
  }

  private static long varint(ByteBuffer message) {
    long value = 0;
    for (int shift = 0; ; shift += 7) {
      byte next = message.get();
      value |= (long) (next & 0x7f) << shift;
      if (next >= 0) {
        return value;
      }
    }
  }
}
