package dev.cotenant.service.page;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The files of the page, in memory. Their paths hold a digest over all of them, so that browsers
 * may store them for ever, and modules find each other by their plain names.
 */
final class PageFiles {
  private static final String INDEX = "index.html";
  private static final int DIGITS = 16;

  /** Every file of the folder. */
  static final List<String> NAMES =
      List.of(
          "api.js",
          "app.js",
          "charts.js",
          "decisions.js",
          "dom.js",
          "evidence.js",
          "fleet.js",
          "format.js",
          "gpu.js",
          "heat-map.js",
          INDEX,
          "live.js",
          "names.js",
          "overview.js",
          "page.css",
          "plans.js",
          "pod.js",
          "predictors.js",
          "right-sizing.js",
          "runs.js",
          "services.js",
          "what-if.js",
          "words.js",
          "workloads.js");

  private final Map<String, File> assets;
  private final String index;
  private final String digest;

  /** A file in transfer form. */
  record File(String type, String content) {}

  private PageFiles(Map<String, File> assets, String index, String digest) {
    this.assets = Collections.unmodifiableMap(assets);
    this.index = index;
    this.digest = digest;
  }

  static PageFiles read() {
    Map<String, File> files = new TreeMap<>();
    MessageDigest sum = sha256();
    for (String name : NAMES) {
      byte[] content = read(name);
      sum.update(content);
      files.put(name, new File(type(name), new String(content, StandardCharsets.UTF_8)));
    }
    String digest = HexFormat.of().formatHex(sum.digest()).substring(0, DIGITS);
    File index = Objects.requireNonNull(files.remove(INDEX));
    return new PageFiles(
        files, index.content().replace("assets/", "assets/" + digest + "/"), digest);
  }

  private static byte[] read(String name) {
    try (InputStream file = PageFiles.class.getResourceAsStream(name)) {
      if (file == null) {
        throw new IllegalStateException("the page lacks " + name);
      }
      return file.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every Java has it
    }
  }

  private static String type(String name) {
    String ending = name.substring(name.lastIndexOf('.') + 1);
    return switch (ending) {
      case "html" -> "text/html; charset=utf-8";
      case "css" -> "text/css; charset=utf-8";
      default -> "text/javascript; charset=utf-8";
    };
  }

  /** The index page, which references the other files. */
  File index() {
    return new File(type(INDEX), index);
  }

  /** Of all files. */
  String digest() {
    return digest;
  }

  /** A file of this version. */
  Optional<File> asset(String version, String name) {
    return version.equals(digest) ? Optional.ofNullable(assets.get(name)) : Optional.empty();
  }
}
