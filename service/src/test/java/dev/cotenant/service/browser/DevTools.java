package dev.cotenant.service.browser;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cotenant.service.RunningService;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.file.Files;
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
 * A window of a headless Chromium that is driven over the Chrome DevTools Protocol, since a page
 * with an open stream of events never ends loading. All are of one browser, and share no storage.
 */
final class DevTools implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  /** Tests of two profiles are loaded apart: they share no object, but this property. */
  private static final String BROWSER = "cotenant.test.browser";

  private final WebSocket socket;
  private final Answers answers;
  private final AtomicInteger number = new AtomicInteger();

  /** Of the window; empty before there is one. */
  private String session = "";

  private DevTools(WebSocket socket, Answers answers) {
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

  /** Opens a page in a window of its own; the test is skipped where there is no chromium. */
  static DevTools open(String url, int width, int height) throws Exception {
    Answers answers = new Answers();
    WebSocket socket =
        HttpClient.newHttpClient()
            .newWebSocketBuilder()
            .buildAsync(browser(), answers)
            .get(1, TimeUnit.MINUTES);
    DevTools tools = new DevTools(socket, answers);
    String context =
        tools
            .command("Target.createBrowserContext", Map.of("disposeOnDetach", true))
            .path("browserContextId")
            .asText();
    String tab =
        tools
            .command(
                "Target.createTarget", Map.of("url", "about:blank", "browserContextId", context))
            .path("targetId")
            .asText();
    tools.session =
        tools
            .command("Target.attachToTarget", Map.of("targetId", tab, "flatten", true))
            .path("sessionId")
            .asText();
    tools.command("Runtime.enable", Map.of());
    tools.command("Log.enable", Map.of());
    tools.command("Page.enable", Map.of());
    tools.command("Emulation.setFocusEmulationEnabled", Map.of("enabled", true));
    tools.size(width, height);
    tools.go(url);
    return tools;
  }

  /** The browser of this process, which ends with it. */
  private static URI browser() throws IOException, InterruptedException {
    String known = System.getProperty(BROWSER);
    if (known != null) {
      return URI.create(known);
    }
    Path folder = RunningService.root().resolve("service/target/chromium");
    Chromium chromium =
        Chromium.open(
            Files.createDirectories(folder),
            "about:blank",
            "--remote-debugging-port=0",
            "--hide-scrollbars",
            "--font-render-hinting=none",
            "--force-color-profile=srgb");
    Runtime.getRuntime().addShutdownHook(new Thread(chromium::close));
    URI debugger = chromium.debugger();
    System.setProperty(BROWSER, debugger.toString());
    return debugger;
  }

  /** Sends a command and waits for its answer. */
  JsonNode command(String method, Map<String, Object> parameters) throws Exception {
    int id = number.incrementAndGet();
    CompletableFuture<JsonNode> answer = new CompletableFuture<>();
    answers.open.put(id, answer);
    ObjectNode message = JSON.createObjectNode().put("id", id).put("method", method);
    message.set("params", JSON.valueToTree(parameters));
    if (!session.isEmpty()) {
      message.put("sessionId", session);
    }
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
      Thread.sleep(25);
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
    socket.abort(); // which closes the window
  }
}
