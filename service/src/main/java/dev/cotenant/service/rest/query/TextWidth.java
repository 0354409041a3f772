package dev.cotenant.service.rest.query;

import jakarta.ws.rs.core.UriInfo;

/** How many characters a line of a table in text has at most: the reader's terminal. */
public final class TextWidth {
  /** The query parameter. */
  public static final String PARAMETER = "columns";

  /** Narrower than any that the command line asks for. */
  private static final int MIN_COLUMNS = 20;

  private TextWidth() {}

  /**
   * The width that a request names; absent, tables are as wide as their cells.
   *
   * @throws dev.cotenant.domain.InputException ({@code bad-number})
   */
  public static int of(UriInfo request) {
    String columns = request.getQueryParameters().getFirst(PARAMETER);
    return Math.max(MIN_COLUMNS, QueryNumbers.positiveOr(Integer.MAX_VALUE, PARAMETER, columns));
  }
}
