package dev.cotenant.service.rest.query;

import dev.cotenant.domain.InputException;
import jakarta.ws.rs.QueryParam;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.eclipse.microprofile.openapi.annotations.parameters.Parameter;
import org.jspecify.annotations.Nullable;

/**
 * The page of a list that a caller wants, as in the API of Kubernetes: a limit, and the token that
 * came with the page before [Kubernetes API Concepts, Retrieving large results sets in chunks].
 */
public final class PageParameters {
  private static final int MAX_ENTRIES = 1_000;

  @QueryParam("limit")
  @Parameter(
      description =
          "Maximum number of entries, up to 1000; absent: all, unless the operation states a"
              + " default",
      example = "10")
  @Nullable String limit;

  @QueryParam("continue")
  @Parameter(
      description =
          "The continue token of the previous page, with the same other parameters; 410"
              + " (page-gone) if the last entry of that page no longer exists")
  @Nullable String token;

  /**
   * The wanted page.
   *
   * @param all the list in its order
   * @param key unique key of an entry
   * @param standard how many entries without a limit
   * @throws InputException ({@code bad-number}, {@code bad-continue})
   * @throws GonePageException where the page before ended with an entry that is gone
   */
  public <T> Page<T> of(List<T> all, Function<? super T, String> key, int standard) {
    int most = most(standard);
    int from = token == null ? 0 : behind(decoded(token), all.stream().map(key).toList());
    List<T> entries = all.subList(from, from + Math.min(most, all.size() - from));
    boolean isLast = from + entries.size() == all.size();
    return new Page<>(entries, isLast ? null : encoded(key.apply(entries.getLast())));
  }

  /** As {@link #of(List, Function, int)}, everything without a limit. */
  public <T> Page<T> of(List<T> all, Function<? super T, String> key) {
    return of(all, key, Integer.MAX_VALUE);
  }

  /** Reads at most so many entries whose numbers are below one, the largest number first. */
  @FunctionalInterface
  public interface Reader<T> {
    List<T> read(long below, int limit);
  }

  /**
   * The wanted page of a list by falling numbers, which is read from where the page before ended;
   * an entry that is gone by now does not matter.
   *
   * @param standard how many entries without a limit
   * @throws InputException ({@code bad-number}, {@code bad-continue})
   */
  public <T> Page<T> behind(Reader<T> reader, ToLongFunction<T> number, int standard) {
    int most = most(standard);
    List<T> found = reader.read(token == null ? Long.MAX_VALUE : number(token), most + 1);
    List<T> entries = found.subList(0, Math.min(most, found.size()));
    return new Page<>(
        entries,
        found.size() <= most
            ? null
            : encoded(String.valueOf(number.applyAsLong(entries.getLast()))));
  }

  private int most(int standard) {
    return limit == null
        ? standard
        : Math.min(MAX_ENTRIES, QueryNumbers.positiveOr(standard, "limit", limit));
  }

  private static long number(String token) {
    try {
      return Long.parseLong(decoded(token));
    } catch (NumberFormatException e) {
      throw invalidToken(e);
    }
  }

  /** Whether an entry passes a filter; an absent one lets all pass. */
  public static boolean passes(@Nullable String filter, String value) {
    return filter == null || filter.equals(value);
  }

  private static int behind(String last, List<String> keys) {
    int at = keys.lastIndexOf(last);
    if (at < 0) {
      throw new GonePageException();
    }
    return at + 1;
  }

  private static String encoded(String key) {
    return Base64.getUrlEncoder()
        .withoutPadding()
        .encodeToString(key.getBytes(StandardCharsets.UTF_8));
  }

  private static String decoded(String token) {
    try {
      return new String(Base64.getUrlDecoder().decode(token), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw invalidToken(e);
    }
  }

  private static InputException invalidToken(IllegalArgumentException cause) {
    return new InputException(
        InputException.Kind.INVALID_ARGUMENT,
        "bad-continue",
        "Parameter continue: invalid continue token; use the 'continue' value of the previous"
            + " page.",
        cause);
  }
}
