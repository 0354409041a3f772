package dev.cotenant.service.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.admission.access.TokenAuthenticator;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.text.Sha256;
import dev.cotenant.service.access.Access.Outcome;
import dev.cotenant.service.access.Access.Presentation;
import dev.cotenant.service.access.Access.Scheme;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TokensFileTest {
  private static final String ALICE = "alice-has-a-long-token";
  private static final String BOB = "bob-has-a-long-token-too";

  @TempDir private Path folder = Path.of("");
  private Path file = Path.of("");
  private Instant now = Instant.parse("2026-11-21T10:00:00Z");

  @BeforeEach
  void name() {
    file = folder.resolve("tokens");
  }

  private static String entry(String name, String rest, String token) {
    return name + " " + rest.replace("DIGEST", "sha256:" + Sha256.of(token)) + "\n";
  }

  private TokensFile open(String content) throws IOException {
    Files.writeString(file, content);
    return new TokensFile(file, () -> now);
  }

  @Test
  void knowsHoldersByTheDigestsOfTheirTokens() throws IOException {
    TokensFile tokens =
        open(
            "# who may call\n\n"
                + entry("alice", "viewer DIGEST team-a,team-b", ALICE)
                + entry("ci@bob", "\toperator  DIGEST", BOB));

    assertThat(tokens.find(ALICE))
        .contains(new Caller.Holder("token alice", Role.VIEWER, Set.of("team-a", "team-b")));
    assertThat(tokens.find(BOB))
        .contains(new Caller.Holder("token ci@bob", Role.OPERATOR, Set.of()));
    assertThat(tokens.find(Sha256.of(ALICE))).isEmpty();
    assertThat(tokens.find("alice")).isEmpty();
    assertThat(tokens.find("")).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "alice viewer | must be NAME ROLE",
        "alice viewer DIGEST team-a team-b | must be NAME ROLE",
        "a/b viewer DIGEST | the name must match",
        "alice root DIGEST | the role must be one of [viewer, editor, operator, scheduler]",
        "alice VIEWER DIGEST | the role must be one of",
        "alice viewer alice-has-a-long-token | the token must be given as its SHA-256 digest",
        "alice viewer sha256:abc | the token must be given as its SHA-256 digest",
        "alice viewer EMPTY | the digest is that of an empty token",
        "alice viewer DIGEST team-a, | the namespaces must be names",
        "alice viewer DIGEST Team | the namespaces must be names",
        "alice viewer DIGEST * | the namespaces must be names",
        "alice scheduler DIGEST team-a | leave out the namespaces",
        "first viewer OTHER | the name duplicates an earlier line",
        "second viewer FIRST | the digest duplicates an earlier line",
      })
  void namesTheLineThatIsWrongAndNeverATokenInIt(String line, String says) throws IOException {
    String content =
        entry("first", "viewer DIGEST", "the-first-token-of-the-file")
            + "\n"
            + line.replace("DIGEST", "sha256:" + Sha256.of(ALICE))
                .replace("OTHER", "sha256:" + Sha256.of(BOB))
                .replace("FIRST", "sha256:" + Sha256.of("the-first-token-of-the-file"))
                .replace("EMPTY", "sha256:" + Sha256.of(""));

    assertThatThrownBy(() -> open(content))
        .isInstanceOf(InputException.class)
        .hasMessageContaining(file + ":3: ")
        .hasMessageContaining(says)
        .hasMessageNotContaining(ALICE);
  }

  @Test
  void refusesFilesThatAreTooLargeOrNoText() throws IOException {
    Files.write(file, new byte[] {'a', (byte) 0xff, '\n'});
    assertThatThrownBy(() -> new TokensFile(file, () -> now)).hasMessageContaining("UTF-8");

    assertThatThrownBy(() -> open("#".repeat(300_000))).hasMessageContaining("larger than");
    String many =
        IntStream.range(0, 1_001)
            .mapToObj(i -> entry("n" + i, "viewer DIGEST", "token-" + i))
            .collect(Collectors.joining());
    assertThatThrownBy(() -> open(many)).hasMessageContaining(":1001: is one of more than 1000");
    assertThatThrownBy(() -> new TokensFile(folder.resolve("none"), () -> now))
        .hasMessageContaining("no such file");
    assertThatThrownBy(() -> new TokensFile(folder, () -> now)).hasMessageContaining("directory");
  }

  @Test
  void followsChangesOfTheFile() throws IOException {
    TokensFile tokens = open(entry("alice", "viewer DIGEST", ALICE));
    Files.writeString(file, entry("bob", "editor DIGEST", BOB));
    assertThat(tokens.find(BOB)).isEmpty(); // within the second

    now = now.plusSeconds(1);
    assertThat(tokens.find(BOB)).isPresent();
    assertThat(tokens.find(ALICE)).isEmpty();
  }

  @Test
  void aFileThatBreaksLeavesTheTokensBeforeItInForce() throws IOException {
    TokensFile tokens = open(entry("alice", "viewer DIGEST", ALICE));
    Files.writeString(file, entry("bob", "root DIGEST", BOB));
    now = now.plusSeconds(1);
    assertThat(tokens.find(ALICE)).isPresent();
    assertThat(tokens.find(BOB)).isEmpty();

    Files.delete(file);
    now = now.plusSeconds(1);
    assertThat(tokens.find(ALICE)).isPresent();

    Files.writeString(file, "");
    now = now.plusSeconds(1);
    assertThat(tokens.find(ALICE)).isEmpty();
  }

  @Test
  void tokensThatAreShortEnoughToBeGuessedOpenNothing() throws IOException {
    TokensFile tokens =
        open(
            entry("weak", "operator DIGEST", "short-token-15c")
                + entry("ok", "viewer DIGEST", ALICE));
    Access access = new Access(Optional.empty(), Optional.of(tokens), TokenAuthenticator.NONE);

    assertThat(access.check(new Presentation("Bearer short-token-15c", Scheme.BEARER, "p")))
        .isInstanceOf(Outcome.Refused.class);
    assertThat(access.check(new Presentation("Bearer " + ALICE, Scheme.BEARER, "p")))
        .isInstanceOf(Outcome.Granted.class);
  }

  @Test
  void namesOfCallersAreOneShortLine() {
    String name = "x".repeat(300);
    Caller long1 =
        new Caller.ClusterUser(
            new dev.cotenant.admission.access.User(name + "1", "", Set.of(), Map.of()));
    Caller long2 =
        new Caller.ClusterUser(
            new dev.cotenant.admission.access.User(name + "2", "", Set.of(), Map.of()));
    Caller lines =
        new Caller.ClusterUser(
            new dev.cotenant.admission.access.User("a\nb\u2028c", "", Set.of(), Map.of()));

    assertThat(long1.recorded()).hasSize(200).isNotEqualTo(long2.recorded());
    assertThat(lines.recorded()).isEqualTo("user a\uFFFDb\uFFFDc");
    assertThat(
            new String(
                long1.recorded().getBytes(StandardCharsets.US_ASCII), StandardCharsets.US_ASCII))
        .isEqualTo(long1.recorded());
  }
}
