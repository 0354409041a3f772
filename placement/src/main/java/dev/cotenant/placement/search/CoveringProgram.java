package dev.cotenant.placement.search;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The linear program of covering all services with the fewest columns, to which columns are added.
 */
final class CoveringProgram {
  /*
   * min Σx, Σ a_ij·x_j − s_i = d_i, x, s >= 0, by the revised primal simplex method with an explicit
   * inverse of the basis [Chvátal, Linear Programming, ch. 7 and 13], which starts where the last
   * solution ended when columns come or demands change little. Columns are few (hundreds) and rows
   * are kinds of service (tens), so that a pivot takes microseconds; a general library would start
   * again each time. Demands are perturbed by less than a thousandth against cycling.
   */
  private static final double TINY = 1e-9;
  private static final double PERTURBATION = 1e-4;
  private static final int REFACTOR = 400;

  private final int rows;
  private final double[] demand;
  private final List<Column> columns = new ArrayList<>();
  private final int[] basis;
  private final double[][] inverse;
  private final double[] levels;
  private final double[] prices;
  private int pivots;

  /**
   * A program.
   *
   * @param demand how many of each kind
   * @param singles a column of each kind alone, in order
   */
  CoveringProgram(int[] demand, List<Column> singles) {
    rows = demand.length;
    this.demand = new double[rows];
    columns.addAll(singles);
    basis = new int[rows];
    inverse = new double[rows][rows];
    levels = new double[rows];
    prices = new double[rows];
    for (int i = 0; i < rows; i++) {
      basis[i] = i;
      inverse[i][i] = 1.0 / singles.get(i).count(0);
    }
    demand(demand);
  }

  /** Changes the demand and restarts from columns of one kind each. */
  void demand(int[] changed) {
    for (int i = 0; i < rows; i++) {
      double shift = PERTURBATION * (1 + (i * 7919 % 101) / 101.0);
      demand[i] = changed[i] == 0 ? shift * PERTURBATION : changed[i] + shift;
      basis[i] = i;
      Arrays.fill(inverse[i], 0);
      inverse[i][i] = 1.0 / columns.get(i).count(0);
    }
    refresh();
  }

  void add(Column column) {
    columns.add(column);
  }

  Column column(int index) {
    return columns.get(index);
  }

  /** Dual prices of the kinds. */
  double[] prices() {
    return prices;
  }

  /** Columns of the basis. */
  List<Column> used() {
    List<Column> used = new ArrayList<>();
    for (int index : basis) {
      if (index >= 0) {
        used.add(columns.get(index));
      }
    }
    return used;
  }

  /** How often each column is used. */
  double[] solution() {
    double[] solution = new double[columns.size()];
    for (int i = 0; i < rows; i++) {
      if (basis[i] >= 0) {
        solution[basis[i]] += levels[i];
      }
    }
    return solution;
  }

  double objective() {
    double sum = 0;
    for (int i = 0; i < rows; i++) {
      sum += basis[i] >= 0 ? levels[i] : 0;
    }
    return sum;
  }

  /** Solves with the current columns. */
  void solve() {
    while (true) {
      int entering = -rows - 1;
      double most = TINY * 100;
      for (int i = 0; i < rows; i++) {
        if (-prices[i] > most) {
          most = -prices[i];
          entering = -i - 1;
        }
      }
      for (int j = 0; j < columns.size(); j++) {
        double gain = columns.get(j).value(prices) - 1;
        if (gain > most) {
          most = gain;
          entering = j;
        }
      }
      if (entering == -rows - 1 || !enter(entering)) {
        return;
      }
    }
  }

  private boolean enter(int entering) {
    double[] direction = new double[rows];
    if (entering < 0) {
      for (int i = 0; i < rows; i++) {
        direction[i] = -inverse[i][-entering - 1];
      }
    } else {
      Column column = columns.get(entering);
      for (int i = 0; i < rows; i++) {
        for (int k = 0; k < column.size(); k++) {
          direction[i] += inverse[i][column.kind(k)] * column.count(k);
        }
      }
    }
    int leaving = -1;
    double least = Double.POSITIVE_INFINITY;
    for (int i = 0; i < rows; i++) {
      if (direction[i] > TINY) {
        double ratio = Math.max(0, levels[i]) / direction[i];
        boolean closer = ratio < least - TINY;
        if (closer || (ratio < least + TINY && direction[i] > direction[leaving])) {
          least = Math.min(least, ratio);
          leaving = i;
        }
      }
    }
    if (leaving < 0) {
      return false;
    }
    pivot(entering, leaving, direction);
    return true;
  }

  private void pivot(int entering, int leaving, double[] direction) {
    double[] row = inverse[leaving];
    double by = direction[leaving];
    for (int k = 0; k < rows; k++) {
      row[k] /= by;
    }
    for (int i = 0; i < rows; i++) {
      if (i != leaving && direction[i] != 0) {
        double factor = direction[i];
        double[] other = inverse[i];
        for (int k = 0; k < rows; k++) {
          other[k] -= factor * row[k];
        }
      }
    }
    basis[leaving] = entering;
    if (++pivots % REFACTOR == 0) {
      invert();
    }
    refresh();
  }

  /** Levels and prices from the inverse. */
  private void refresh() {
    Arrays.fill(prices, 0);
    for (int i = 0; i < rows; i++) {
      double level = 0;
      for (int k = 0; k < rows; k++) {
        level += inverse[i][k] * demand[k];
      }
      levels[i] = level;
      if (basis[i] >= 0) {
        for (int k = 0; k < rows; k++) {
          prices[k] += inverse[i][k];
        }
      }
    }
  }

  /** The inverse from the basis again, against rounding. */
  private void invert() {
    double[][] work = new double[rows][2 * rows];
    for (int j = 0; j < rows; j++) {
      work[j][rows + j] = 1;
      if (basis[j] < 0) {
        work[-basis[j] - 1][j] = -1;
        continue;
      }
      Column column = columns.get(basis[j]);
      for (int k = 0; k < column.size(); k++) {
        work[column.kind(k)][j] = column.count(k);
      }
    }
    for (int j = 0; j < rows; j++) {
      eliminate(work, j);
    }
    for (int i = 0; i < rows; i++) {
      System.arraycopy(work[i], rows, inverse[i], 0, rows);
    }
  }

  private void eliminate(double[][] work, int j) {
    int pivot = j;
    for (int i = j + 1; i < rows; i++) {
      pivot = Math.abs(work[i][j]) > Math.abs(work[pivot][j]) ? i : pivot;
    }
    double[] row = work[pivot];
    work[pivot] = work[j];
    work[j] = row;
    double by = row[j];
    for (int k = j; k < 2 * rows; k++) {
      row[k] /= by;
    }
    for (int i = 0; i < rows; i++) {
      double factor = work[i][j];
      if (i != j && factor != 0) {
        for (int k = j; k < 2 * rows; k++) {
          work[i][k] -= factor * row[k];
        }
      }
    }
  }
}
