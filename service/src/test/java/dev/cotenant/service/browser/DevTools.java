package dev.cotenant.service.browser;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A tab of a headless Chromium that is driven over the Chrome DevTools Protocol, since a page with
 * an open stream of events never ends loading.
 */
final class DevTools implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private final Chromium chromium;
  private final WebSocket socket;
  private final Answers answers;
  private final AtomicInteger number = new AtomicInteger();

  private DevTools(Chromium chromium, WebSocket socket, Answers answers) {
    this.chromium = chromium;
    this.socket = socket;
    this.answers = answers;
  }

  /** Collects messages: answers by their number, and what the page complains about. */
  private static final class Answers implements WebSocket.Listener {
    private final Map<Integer, CompletableFuture<JsonNode>> open = new ConcurrentHashMap<>();
    private final List<String> complaints = new CopyOnWriteArrayList<>();
    private final StringBuilder part = new StringBuilder();

    @Override
    public CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean isLast) {
      part.append(data);
      if (isLast) {
        take(part.toString());
        part.setLength(0);
      }
      socket.request(1);
      return CompletableFuture.completedFuture(null);
    }

    private void take(String text) {
      JsonNode message = parse(text);
      CompletableFuture<JsonNode> answer = open.remove(message.path("id").asInt(-1));
      if (answer != null) {
        answer.complete(message);
      }
      switch (message.path("method").asText()) {
        case "Runtime.exceptionThrown", "Log.entryAdded" ->
            complaints.add(message.at("/params").toString());
        default -> {}
      }
    }
  }

  private static JsonNode parse(String text) {
    try {
      return JSON.readTree(text);
    } catch (IOException e) {
      throw new IllegalStateException(text, e);
    }
  }

  /**
   * Opens a page in a window; the test is skipped where there is no chromium.
   *
   * @param folder for the profile
   */
  static DevTools open(Path folder, String url, int width, int height) throws Exception {
    Chromium chromium =
        Chromium.open(
            folder,
            "about:blank",
            "--remote-debugging-port=0",
            "--hide-scrollbars",
            "--font-render-hinting=none",
            "--force-color-profile=srgb");
    int port = chromium.debuggingPort();
    Answers answers = new Answers();
    HttpClient client = HttpClient.newHttpClient();
    JsonNode tabs =
        parse(
            client
                .send(
                    HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/json"))
                        .build(),
                    HttpResponse.BodyHandlers.ofString())
                .body());
    String address =
        tabs.valueStream()
            .filter(tab -> tab.path("type").asText().equals("page"))
            .map(tab -> tab.path("webSocketDebuggerUrl").asText())
            .findFirst()
            .orElseThrow();
    WebSocket socket =
        client
            .newWebSocketBuilder()
            .buildAsync(URI.create(address), answers)
            .get(1, TimeUnit.MINUTES);
    DevTools tools = new DevTools(chromium, socket, answers);
    tools.command("Runtime.enable", Map.of());
    tools.command("Log.enable", Map.of());
    tools.command("Page.enable", Map.of());
    tools.size(width, height);
    tools.go(url);
    return tools;
  }

  /** Sends a command and waits for its answer. */
  JsonNode command(String method, Map<String, Object> parameters) throws Exception {
    int id = number.incrementAndGet();
    CompletableFuture<JsonNode> answer = new CompletableFuture<>();
    answers.open.put(id, answer);
    ObjectNode message = JSON.createObjectNode().put("id", id).put("method", method);
    message.set("params", JSON.valueToTree(parameters));
    socket.sendText(message.toString(), true).get(1, TimeUnit.MINUTES);
    JsonNode found = answer.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    if (found.has("error")) {
      throw new IllegalStateException(method + ": " + found.path("error"));
    }
    return found.path("result");
  }

  /** Makes the window so large, in CSS pixels. */
  void size(int width, int height) throws Exception {
    command(
        "Emulation.setDeviceMetricsOverride",
        Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
  }

  /** Prefers the dark scheme, or the light one. */
  void scheme(String scheme) throws Exception {
    command(
        "Emulation.setEmulatedMedia",
        Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", scheme))));
  }

  void go(String url) throws Exception {
    command("Page.navigate", Map.of("url", url));
  }

  /** Runs a script before those of every page that is opened from now on. */
  void inEveryPage(String script) throws Exception {
    command("Page.addScriptToEvaluateOnNewDocument", Map.of("source", script));
  }

  /** Presses and releases a key. */
  void press(String key, int code) throws Exception {
    for (String type : List.of("keyDown", "keyUp")) {
      command(
          "Input.dispatchKeyEvent",
          Map.of("type", type, "key", key, "code", key, "windowsVirtualKeyCode", code));
    }
  }

  /** Value of an expression of JavaScript. */
  JsonNode evaluate(String expression) throws Exception {
    JsonNode result =
        command(
            "Runtime.evaluate",
            Map.of("expression", expression, "returnByValue", true, "awaitPromise", true));
    if (result.has("exceptionDetails")) {
      throw new IllegalStateException(result.path("exceptionDetails").toString());
    }
    return result.at("/result/value");
  }

  /** Text of the whole page. */
  String text() throws Exception {
    return evaluate("document.body?.innerText ?? ''").asText();
  }

  /** Waits until an expression is true. */
  void await(String expression) throws Exception {
    Instant end = Instant.now().plus(PATIENCE);
    while (!evaluate("Boolean(" + expression + ")").asBoolean()) {
      if (Instant.now().isAfter(end)) {
        throw new AssertionError("never: " + expression + ", but: " + text());
      }
      Thread.sleep(100);
    }
  }

  /** Waits until the page shows a text. */
  void awaitText(String text) throws Exception {
    await("document.body?.innerText.includes(" + JSON.writeValueAsString(text) + ")");
  }

  /** The window as a PNG file. */
  byte[] screenshot() throws Exception {
    return Base64.getDecoder()
        .decode(command("Page.captureScreenshot", Map.of()).path("data").asText());
  }

  /** Exceptions and messages of the console since the start. */
  List<String> complaints() {
    return List.copyOf(answers.complaints);
  }

  @Override
  public void close() {
    socket.abort();
    chromium.close();
  }
}
