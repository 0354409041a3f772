package dev.cotenant.engine.profile;

import dev.cotenant.domain.profile.ProfileRow;
import java.time.Instant;
import java.util.List;

/** Port: the cluster's own measured runs. Every method may throw StoreException. */
public interface ProfileStore {
  /**
   * Stores rows, all or, when the store fails, none; a row with the content of a stored one is not
   * stored again.
   *
   * @return for each row whether it was new
   */
  List<Boolean> add(List<ProfileRow> rows, Instant at);

  /** How many rows there are, with those that cannot be read any more. */
  long count();

  /**
   * At most {@code limit} rows with numbers beyond {@code after}, in their order; fewer only where
   * there are no more. Rows that cannot be read any more are passed over.
   */
  List<StoredProfile> page(long after, int limit);

  /** Every row that can be read, in their order. */
  default List<StoredProfile> all() {
    return page(0, Integer.MAX_VALUE);
  }
}
