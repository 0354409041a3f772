package dev.cotenant.llm.source;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.text.PlainText;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The HTTPS addresses below which headers of models may be read. A redirect stays below them, too.
 *
 * @param prefixes each a host, a port and the path that an address begins with
 */
public record AllowedUrls(List<Prefix> prefixes) {
  /** None, the default. */
  public static final AllowedUrls NONE = new AllowedUrls(List.of());

  private static final String CODE = "model-url-refused";
  private static final int HTTPS = 443;
  private static final int MAX_PORT = 65_535;
  private static final int MAX_LENGTH = 512;

  /** Of a redirect, whose signature alone may have a thousand characters. */
  private static final int MAX_LOCATION = 4_096;

  /** Possessive: other repetitions of groups take stack for each segment. */
  private static final Pattern PATH = Pattern.compile("(?:/[A-Za-z0-9._~+=@:-]++)*+/?");

  public AllowedUrls {
    prefixes = List.copyOf(prefixes);
  }

  /**
   * What addresses begin with.
   *
   * @param path from slash to slash
   * @param isInternal whether its host may have a private address
   */
  public record Prefix(String host, int port, String path, boolean isInternal) {
    private boolean holds(URI address) {
      return host.equals(hostOf(address))
          && port == portOf(address)
          && address.getRawPath().startsWith(path);
    }
  }

  /**
   * Of texts such as {@code https://models.example/meta-llama/}.
   *
   * @param open whose hosts must have public addresses
   * @param internal prefixes of hosts that may have private addresses
   * @throws InputException ({@code model-url-refused}) naming one that is no such prefix
   */
  public static AllowedUrls of(List<String> open, List<String> internal) {
    return new AllowedUrls(
        Stream.concat(
                open.stream().map(text -> prefix(text, false)),
                internal.stream().map(text -> prefix(text, true)))
            .toList());
  }

  private static Prefix prefix(String text, boolean isInternal) {
    URI address = parsed(text.strip());
    if (!address.getRawPath().endsWith("/")) {
      throw refused(text, "a prefix ends with a slash, such as https://host/folder/");
    }
    return new Prefix(hostOf(address), portOf(address), address.getRawPath(), isInternal);
  }

  /** Whether a text is a URL rather than a name or a path. */
  public static boolean isUrl(String reference) {
    return reference.regionMatches(true, 0, "http://", 0, 7)
        || reference.regionMatches(true, 0, "https://", 0, 8);
  }

  /**
   * The address that a text states.
   *
   * @throws InputException ({@code model-url-refused}) where it is below no prefix, has a user, a
   *     query or a fragment, or is no plain HTTPS address
   */
  URI require(String text) {
    URI address = parsed(text);
    if (prefixOf(address).isEmpty()) {
      throw refused(text, "it is below no allowed URL (--allow-url, cotenant.models.urls)");
    }
    return address;
  }

  /**
   * Where an answer redirects to. Its query, often a signature, is kept for the request alone.
   *
   * @throws InputException ({@code model-url-refused}) where that is not allowed
   */
  URI redirected(URI from, String location) {
    if (location.length() > MAX_LOCATION) {
      throw refused(
          shown(from), "it redirects to a URL of more than " + MAX_LOCATION + " characters");
    }
    try {
      URI to = from.resolve(new URI(location));
      if (isPlain(to) && prefixOf(to).isPresent()) {
        return to;
      }
      throw refused(shown(from), "it redirects to " + shown(to) + ", which is not allowed");
    } catch (URISyntaxException _) {
      throw refused(shown(from), "it redirects to an invalid URL");
    }
  }

  /** The prefix that allows an address; empty for none. */
  Optional<Prefix> prefixOf(URI address) {
    return prefixes.stream().filter(prefix -> prefix.holds(address)).findFirst();
  }

  private static URI parsed(String text) {
    if (text.length() > MAX_LENGTH) {
      throw refused(text, "it has more than " + MAX_LENGTH + " characters");
    }
    try {
      URI address = new URI(text);
      if (isPlain(address) && address.getRawQuery() == null) {
        return address;
      }
    } catch (URISyntaxException _) {
      // said below
    }
    throw refused(withoutSecrets(text), "use https://HOST/PATH without user, query and escapes");
  }

  /** Escapes and steps upward could leave a prefix unseen. */
  private static boolean isPlain(URI address) {
    String path = address.getRawPath();
    return "https".equalsIgnoreCase(address.getScheme())
        && address.getHost() != null
        && address.getRawUserInfo() == null
        && address.getRawFragment() == null
        && address.getPort() != 0
        && address.getPort() <= MAX_PORT
        && path != null
        && PATH.matcher(path).matches()
        && Stream.of(path.split("/")).noneMatch(part -> part.equals("..") || part.equals("."));
  }

  /** Host and port of an address, the same however they are written. */
  public static String origin(String url) {
    URI address = URI.create(url);
    return hostOf(address) + ":" + portOf(address);
  }

  private static String hostOf(URI address) {
    return address.getHost().toLowerCase(Locale.ROOT);
  }

  private static int portOf(URI address) {
    return address.getPort() < 0 ? HTTPS : address.getPort();
  }

  /** An address for messages, without its query. */
  static String shown(URI address) {
    return withoutSecrets(address.toString());
  }

  private static String withoutSecrets(String text) {
    String shown = text.replaceFirst("[?#].*$", "").replaceFirst("//[^/]*@", "//");
    return shown.substring(0, Math.min(MAX_LENGTH, shown.length()));
  }

  static InputException refused(String text, String problem) {
    return InputException.invalidArgument(
        CODE, PlainText.of(withoutSecrets(text)) + ": is not read: " + problem + ".");
  }
}
