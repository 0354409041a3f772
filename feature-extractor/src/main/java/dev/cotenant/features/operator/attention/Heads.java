package dev.cotenant.features.operator.attention;

import dev.cotenant.features.inference.Amount;
import dev.cotenant.features.inference.Shape;
import dev.cotenant.features.operator.Extents;

/**
 * Queries, keys and values of one attention, whichever way an operator's inputs hold them. Scores
 * cost batch × query length × key length × heads × head size, and weighting the values as much by
 * their size; masks skip nothing, as in fvcore.
 *
 * @param batch one axis: samples, or packed tokens when each is a sample of its own
 * @param queries one axis: positions of the queries
 * @param keys one axis: positions of the keys, past ones included
 * @param count heads of the queries
 * @param keyCount heads of the keys and values, each shared by some of the queries'
 * @param size extent of a head of queries and keys
 * @param valueSize extent of a head of values
 */
record Heads(
    Shape batch, Shape queries, Shape keys, long count, long keyCount, long size, long valueSize) {

  Amount macs() {
    return Amount.extent(batch, 0)
        .times(Amount.extent(queries, 0))
        .times(Amount.extent(keys, 0))
        .times(count)
        .times(Extents.plus(size, valueSize));
  }

  Heads withKeys(Shape other) {
    return new Heads(batch, queries, other, count, keyCount, size, valueSize);
  }

  /** (batch, length, heads × size). */
  Shape result() {
    return batch.append(queries).append(Extents.times(count, valueSize));
  }

  /** (batch, heads, length, size). */
  Shape resultByHead() {
    return batch.append(count).append(queries).append(valueSize);
  }

  /** (batch, heads, all positions so far, size). */
  Shape present(long headSize) {
    return batch.append(keyCount).append(keys).append(headSize);
  }

  /** (batch, heads, positions of queries, positions of keys). */
  Shape scores() {
    return batch.append(count).append(queries).append(keys);
  }
}
