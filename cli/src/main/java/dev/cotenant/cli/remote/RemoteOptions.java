package dev.cotenant.cli.remote;

import dev.cotenant.domain.InputException;
import dev.cotenant.engine.files.InputFiles;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The address of the service and the caller's credentials. */
final class RemoteOptions {
  private static final int MAX_TOKEN_BYTES = 16 << 10;

  @Option(
      names = "--url",
      paramLabel = "URL",
      defaultValue = "http://127.0.0.1:8080",
      description = "The service (default ${DEFAULT-VALUE}).")
  private String url = "";

  @Option(
      names = "--token",
      paramLabel = "TOKEN",
      description = "Bearer token; prefer --token-file.")
  private @Nullable String token;

  @Option(names = "--token-file", paramLabel = "FILE", description = "File with the token.")
  private @Nullable Path tokenFile;

  @Option(
      names = "--ca-file",
      paramLabel = "FILE.pem",
      description = "CA certificates (PEM) of an https:// URL.")
  private @Nullable Path authority;

  /**
   * The service.
   *
   * @throws InputException ({@code bad-url}, {@code two-tokens}, {@code bad-token})
   */
  RemoteService service() {
    if (token != null && tokenFile != null) {
      throw InputException.invalidArgument("two-tokens", "Give --token or --token-file, not both.");
    }
    return RemoteService.at(base(), holderOf(), authority);
  }

  private URI base() {
    return parsed()
        .filter(base ->
            Set.of("http", "https").contains(String.valueOf(base.getScheme()))
                && base.getHost() != null
                && base.getQuery() == null
                && base.getFragment() == null)
        .orElseThrow(() ->
            InputException.invalidArgument(
                "bad-url",
                "--url must be http://HOST:PORT or https://HOST:PORT, is '" + url + "'."));
  }

  private Optional<URI> parsed() {
    try {
      return Optional.of(new URI(url.replaceAll("/+$", "")));
    } catch (URISyntaxException e) {
      return Optional.empty();
    }
  }

  private @Nullable String holderOf() {
    @Nullable String bearer = tokenFile == null ? token : read(tokenFile);
    if (bearer != null && !bearer.matches("[\\x21-\\x7e]+")) {
      throw InputException.malformed(
          "bad-token",
          (tokenFile == null ? "--token" : tokenFile.toString())
              + " holds no token: it is empty, or contains spaces or non-ASCII characters.");
    }
    return bearer;
  }

  private static String read(Path file) {
    byte[] bytes = InputFiles.read(file, "a token", MAX_TOKEN_BYTES);
    return new String(bytes, StandardCharsets.UTF_8).strip();
  }
}
