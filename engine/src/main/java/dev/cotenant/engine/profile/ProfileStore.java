package dev.cotenant.engine.profile;

import dev.cotenant.domain.profile.ProfileRow;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Port: the cluster's own measured runs, each of a namespace or of the shared scope. Every method
 * may throw StoreException.
 */
public interface ProfileStore {
  /** The scope of rows that count in every namespace. */
  String SHARED = "";

  /** Rows of the shared scope; more are refused. */
  int MAX_SHARED = 20_000;

  /** Rows of one namespace; beyond it its oldest are deleted. */
  int MAX_OF_NAMESPACE = 2_000;

  /** Rows of all namespaces; beyond it the oldest of the namespace with the most are deleted. */
  int MAX_OF_NAMESPACES = 30_000;

  /**
   * Stores all rows, or none if the store fails or is full; skips rows equal to a stored one of the
   * same scope.
   *
   * @param namespace whose predictions alone they move; {@link #SHARED} for all
   * @return for each row whether it was new
   * @throws dev.cotenant.engine.lifecycle.QuotaException ({@code too-many-rows}) where the shared
   *     scope is full
   */
  List<Boolean> add(String namespace, List<ProfileRow> rows, Instant at);

  /**
   * Withdraws one row.
   *
   * @return whether a row with this number existed
   */
  boolean remove(long number);

  /**
   * Withdraws every row of a source.
   *
   * @return how many there were
   */
  int removeFrom(String source);

  /** How many rows there are, with those that cannot be read any more. */
  long count();

  /**
   * At most {@code limit} rows with numbers beyond {@code after}, in their order; fewer only where
   * there are no more. Rows that cannot be read any more are passed over.
   */
  default List<StoredProfile> page(long after, int limit) {
    return page(after, limit, Selection.ALL);
  }

  /** As {@link #page(long, int)}, of the selected rows alone. */
  List<StoredProfile> page(long after, int limit, Selection selection);

  /**
   * A part of the rows.
   *
   * @param source that they come from; null: any
   * @param device that they were measured on; null: any
   */
  record Selection(@Nullable String source, @Nullable String device) {
    /** Every row. */
    public static final Selection ALL = new Selection(null, null);
  }

  /**
   * At most {@code limit} of the rows that count in a namespace, its own and the shared ones, of
   * one device, the newest first. Rows that cannot be read any more are left out.
   */
  List<StoredProfile> newest(int limit, String namespace, String device);

  /** All readable rows in order. */
  default List<StoredProfile> all() {
    return page(0, Integer.MAX_VALUE);
  }
}
