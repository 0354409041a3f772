package dev.cotenant.service.rest;

import dev.cotenant.domain.InputException;
import dev.cotenant.service.lifecycle.SharedModels.Replaced;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Entity tags of registered models: their SHA-256 [RFC 9110, sections 8.8.3 and 13.1.1]. */
final class ModelTags {
  private static final String TAG = "\"[0-9a-f]{64}\"";
  private static final Pattern ONE = Pattern.compile("[0-9a-f]{64}");
  private static final Pattern LIST = Pattern.compile(TAG + "(\\s*,\\s*" + TAG + "){0,9}");

  private ModelTags() {}

  /**
   * What a caller replaces.
   *
   * @param ifMatch the header; null where there is none
   * @throws InputException ({@code bad-version})
   */
  static Replaced replaced(@Nullable String ifMatch) {
    if (ifMatch == null) {
      return new Replaced.Nothing();
    }
    String tags = ifMatch.strip();
    if (tags.equals("*")) {
      return new Replaced.Anything();
    }
    if (!LIST.matcher(tags).matches()) {
      throw InputException.invalidArgument(
          "bad-version",
          "If-Match names the model that is replaced by its ETag, the SHA-256 in double quotes, or"
              + " any with *.");
    }
    return new Replaced.Files(
        ONE.matcher(tags)
            .results()
            .map(MatchResult::group)
            .collect(Collectors.toUnmodifiableSet()));
  }

  /**
   * The answer to a caller that does not replace what a name means.
   *
   * @param sha256 of that; null where it means nothing
   */
  static ProblemView refusal(String name, @Nullable String sha256, Replaced replaced) {
    if (sha256 == null) {
      return ProblemView.of(
          412,
          "Precondition Failed",
          "unknown-model",
          "No model is registered as '" + name + "' yet: send it without If-Match.");
    }
    return replaced instanceof Replaced.Nothing
        ? ProblemView.of(
            428,
            "Precondition Required",
            "model-exists",
            "'"
                + name
                + "' is the name of a different model: send If-Match with its ETag \""
                + sha256
                + "\", or * for any, to replace it.")
        : ProblemView.of(
            412,
            "Precondition Failed",
            "model-changed",
            "'"
                + name
                + "' means a file with the ETag \""
                + sha256
                + "\", which If-Match does not name: look at it, and send that.");
  }
}
