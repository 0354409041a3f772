package dev.cotenant.service.access;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.text.Sha256;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Reads the tokens file: a line is {@code NAME ROLE sha256:DIGEST [NAMESPACE,…]}; empty lines and
 * lines that start with {@code #} mean nothing.
 */
final class TokenEntries {
  private static final int MAX_ENTRIES = 1_000;
  private static final int MIN_WORDS = 3;
  private static final int MAX_WORDS = 4;
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._@-]{0,63}");
  private static final Pattern DIGEST = Pattern.compile("sha256:[0-9a-f]{64}");
  private static final String OF_NOTHING = Sha256.of("");

  private final String file;
  private final Map<String, Caller> byDigest = new HashMap<>();
  private final Set<String> names = new HashSet<>();

  private TokenEntries(String file) {
    this.file = file;
  }

  /**
   * The holders by the hexadecimal SHA-256 of their tokens.
   *
   * @throws InputException ({@code bad-tokens-file}) naming file and line, never with a token in it
   */
  static Map<String, Caller> read(String file, byte[] content) {
    TokenEntries entries = new TokenEntries(file);
    List<String> lines = entries.text(content).lines().toList();
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i).strip();
      if (!line.isEmpty() && !line.startsWith("#")) {
        entries.add(i + 1, line.split("[ \t]+"));
      }
    }
    return Map.copyOf(entries.byDigest);
  }

  private String text(byte[] content) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(content)).toString();
    } catch (CharacterCodingException e) {
      throw wrong(1, "is not UTF-8 text");
    }
  }

  private void add(int line, String[] words) {
    if (words.length < MIN_WORDS || words.length > MAX_WORDS) {
      throw wrong(line, "must be NAME ROLE sha256:DIGEST [NAMESPACE,…]");
    }
    String name = words[0];
    if (!NAME.matcher(name).matches()) {
      throw wrong(line, "the name must match " + NAME);
    }
    Role role =
        Role.named(words[1])
            .orElseThrow(
                () -> wrong(line, "the role must be one of " + Arrays.toString(Role.values())));
    String digest = digest(line, words[2]);
    Set<String> namespaces = words.length == MAX_WORDS ? namespaces(line, words[3]) : Set.of();
    if (role == Role.SCHEDULER && !namespaces.isEmpty()) {
      throw wrong(line, "role scheduler concerns the whole cluster: leave out the namespaces");
    }
    if (!names.add(name)) {
      throw wrong(line, "the name duplicates an earlier line");
    }
    Caller holder = new Caller.Holder("token " + name, role, namespaces);
    if (byDigest.putIfAbsent(digest, holder) != null) {
      throw wrong(line, "the digest duplicates an earlier line");
    }
    if (byDigest.size() > MAX_ENTRIES) {
      throw wrong(line, "is one of more than " + MAX_ENTRIES + " entries");
    }
  }

  private String digest(int line, String word) {
    if (!DIGEST.matcher(word).matches()) {
      throw wrong(
          line,
          "the token must be given as its SHA-256 digest (sha256: and 64 hexadecimal digits), not"
              + " in plain text");
    }
    String digest = word.substring(word.indexOf(':') + 1);
    if (digest.equals(OF_NOTHING)) {
      throw wrong(line, "the digest is that of an empty token");
    }
    return digest;
  }

  private Set<String> namespaces(int line, String word) {
    Set<String> namespaces = new HashSet<>();
    for (String namespace : word.split(",", -1)) {
      if (!Namespaces.isValid(namespace)) {
        throw wrong(line, "the namespaces must be names separated by commas");
      }
      namespaces.add(namespace);
    }
    return namespaces;
  }

  private InputException wrong(int line, String what) {
    return InputException.malformed("bad-tokens-file", file + ":" + line + ": " + what + ".");
  }
}
