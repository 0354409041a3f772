package dev.cotenant.lab.reinforcement;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;

/**
 * Products of matrices, each an array of rows. Needs the module {@code jdk.incubator.vector}.
 *
 * <p>Every element is one chain of fused multiply-adds, from 0 and in the order of the inner index,
 * so that the width of a machine's vectors does not change a bit.
 */
final class MatrixKernel {
  /*
   * Blocks of 4 rows by 4 vectors stay in registers. Operands are copied so that a block reads one
   * array from its beginning to its end, and filled up with zeros to whole blocks [Goto and van de
   * Geijn, ACM TOMS 2008]. Loops that the compiler vectorises itself were a tenth as fast here: it
   * cannot prove that rows in one array do not overlap.
   */
  private static final VectorSpecies<Float> SPECIES = FloatVector.SPECIES_PREFERRED;
  private static final int LANES = SPECIES.length();
  private static final int ROWS = 4;
  private static final int COLUMNS = 4 * LANES;

  private final float[] block = new float[ROWS * COLUMNS];
  private float[] left = {};
  private float[] right = {};

  /** Sets {@code out = a · b}. */
  void multiply(float[][] out, float[][] a, float[][] b) {
    int inner = b.length;
    fillLeft(a, out.length, inner);
    byPanels(out, inner, rowsOf(b));
  }

  /** Sets {@code out = aᵀ · b}. */
  void multiplyTransposed(float[][] out, float[][] a, float[][] b) {
    int inner = b.length;
    reserve(out.length, inner);
    for (int p = 0; p < inner; p++) {
      float[] row = a[p];
      for (int i = 0; i < out.length; i++) {
        left[leftSlot(i, p, inner)] = row[i];
      }
    }
    byPanels(out, inner, rowsOf(b));
  }

  /** Sets {@code out = a · bᵀ}. */
  void multiplyByTransposed(float[][] out, float[][] a, float[][] b) {
    int inner = b[0].length;
    fillLeft(a, out.length, inner);
    byPanels(
        out,
        inner,
        (p, column, width) -> {
          for (int j = 0; j < width; j++) {
            right[p * COLUMNS + j] = b[column + j][p];
          }
        });
  }

  private void fillLeft(float[][] a, int rows, int inner) {
    reserve(rows, inner);
    for (int i = 0; i < rows; i++) {
      for (int p = 0; p < inner; p++) {
        left[leftSlot(i, p, inner)] = a[i][p];
      }
    }
  }

  private Panel rowsOf(float[][] b) {
    return (p, column, width) -> System.arraycopy(b[p], column, right, p * COLUMNS, width);
  }

  private static int leftSlot(int row, int p, int inner) {
    return (row / ROWS * inner + p) * ROWS + row % ROWS;
  }

  private void reserve(int rows, int inner) {
    int wanted = Math.ceilDiv(rows, ROWS) * ROWS * inner;
    if (left.length < wanted) {
      left = new float[wanted];
    }
    if (right.length < inner * COLUMNS) {
      right = new float[inner * COLUMNS];
    }
  }

  /** Copies a row of the right operand. */
  @FunctionalInterface
  private interface Panel {
    void copy(int p, int column, int width);
  }

  private void byPanels(float[][] out, int inner, Panel panel) {
    int columns = out[0].length;
    for (int column = 0; column < columns; column += COLUMNS) {
      int width = Math.min(COLUMNS, columns - column);
      for (int p = 0; p < inner; p++) {
        panel.copy(p, column, width);
      }
      for (int i = 0; i < out.length; i += ROWS) {
        multiply(left, i * inner, right, inner, block);
        for (int row = i; row < Math.min(i + ROWS, out.length); row++) {
          System.arraycopy(block, (row - i) * COLUMNS, out[row], column, width);
        }
      }
    }
  }

  /** Sixteen sums by name: in an array they would not stay in registers. */
  private static void multiply(float[] left, int from, float[] right, int inner, float[] out) {
    FloatVector a0 = FloatVector.zero(SPECIES);
    FloatVector a1 = a0;
    FloatVector a2 = a0;
    FloatVector a3 = a0;
    FloatVector b0 = a0;
    FloatVector b1 = a0;
    FloatVector b2 = a0;
    FloatVector b3 = a0;
    FloatVector c0 = a0;
    FloatVector c1 = a0;
    FloatVector c2 = a0;
    FloatVector c3 = a0;
    FloatVector d0 = a0;
    FloatVector d1 = a0;
    FloatVector d2 = a0;
    FloatVector d3 = a0;
    for (int p = 0; p < inner; p++) {
      int at = p * COLUMNS;
      FloatVector r0 = FloatVector.fromArray(SPECIES, right, at);
      FloatVector r1 = FloatVector.fromArray(SPECIES, right, at + LANES);
      FloatVector r2 = FloatVector.fromArray(SPECIES, right, at + 2 * LANES);
      FloatVector r3 = FloatVector.fromArray(SPECIES, right, at + 3 * LANES);
      int l = from + p * ROWS;
      FloatVector by = FloatVector.broadcast(SPECIES, left[l]);
      a0 = r0.fma(by, a0);
      a1 = r1.fma(by, a1);
      a2 = r2.fma(by, a2);
      a3 = r3.fma(by, a3);
      by = FloatVector.broadcast(SPECIES, left[l + 1]);
      b0 = r0.fma(by, b0);
      b1 = r1.fma(by, b1);
      b2 = r2.fma(by, b2);
      b3 = r3.fma(by, b3);
      by = FloatVector.broadcast(SPECIES, left[l + 2]);
      c0 = r0.fma(by, c0);
      c1 = r1.fma(by, c1);
      c2 = r2.fma(by, c2);
      c3 = r3.fma(by, c3);
      by = FloatVector.broadcast(SPECIES, left[l + 3]);
      d0 = r0.fma(by, d0);
      d1 = r1.fma(by, d1);
      d2 = r2.fma(by, d2);
      d3 = r3.fma(by, d3);
    }
    store(out, 0, a0, a1, a2, a3);
    store(out, COLUMNS, b0, b1, b2, b3);
    store(out, 2 * COLUMNS, c0, c1, c2, c3);
    store(out, 3 * COLUMNS, d0, d1, d2, d3);
  }

  private static void store(
      float[] out, int at, FloatVector a, FloatVector b, FloatVector c, FloatVector d) {
    a.intoArray(out, at);
    b.intoArray(out, at + LANES);
    c.intoArray(out, at + 2 * LANES);
    d.intoArray(out, at + 3 * LANES);
  }
}
