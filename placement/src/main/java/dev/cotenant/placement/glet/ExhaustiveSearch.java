package dev.cotenant.placement.glet;

import dev.cotenant.domain.InputException;
import dev.cotenant.placement.glet.ElasticPartitioning.Rules;
import dev.cotenant.placement.glet.ElasticPartitioning.Sharing;
import dev.cotenant.placement.glet.ElasticPartitioning.Sizing;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** The best plan of few services on few GPUs of one kind. */
final class ExhaustiveSearch implements Strategy {
  /*
   * For 1, 2, … GPUs: every multiset of splits (whole, 20/80, 40/60, 50/50), 35 of four GPUs, and in
   * each every assignment (Assignment), the splits with most room first. Where not all services fit on all GPUs, all sets of one
   * service less, and so on.
   */
  static final int MOST_SERVICES = 6;
  static final int MOST_GPUS = 4;

  private static final List<Size> FIRST_OF_SPLIT =
      List.of(Size.WHOLE, Size.PERCENT_50, Size.PERCENT_40, Size.PERCENT_20);

  private final Schedule schedule;
  private final List<Strategy> others;

  ExhaustiveSearch(Interference interference) {
    schedule = new Schedule(interference);
    others =
        List.of(
            elastic(Sizing.KNEE, Sharing.IN_SPACE_AND_TIME, interference),
            elastic(Sizing.KNEE, Sharing.IN_SPACE_AND_TIME, Interference.NONE),
            elastic(Sizing.LEAST_SUFFICIENT, Sharing.IN_SPACE, Interference.NONE),
            new DutyCycles());
  }

  private static Strategy elastic(Sizing sizing, Sharing sharing, Interference interference) {
    return new ElasticPartitioning(new Rules(sizing, sharing, interference));
  }

  @Override
  public Layout plan(Stock stock, List<Tenant> tenants) {
    if (tenants.size() > MOST_SERVICES) {
      throw tooLarge("there are " + tenants.size());
    }
    for (int size = tenants.size(); size > 0; size--) {
      for (List<Tenant> some : subsets(tenants, size)) {
        Optional<List<Card>> found = cards(stock, some);
        if (found.isPresent()) {
          List<Card> full = found.get().stream().map(schedule::fullest).toList();
          return new Layout(full, tenants.stream().filter(t -> !some.contains(t)).toList());
        }
      }
    }
    return new Layout(List.of(), tenants);
  }

  /** All of them on the fewest GPUs; empty where they do not fit. */
  Optional<List<Card>> cards(Stock stock, List<Tenant> tenants) {
    Optional<List<Card>> known = known(stock, tenants);
    int most = Math.min(stock.count(), MOST_GPUS);
    int bound = known.map(cards -> cards.size() - 1).orElse(most);
    for (int gpus = 1; gpus <= Math.min(bound, most); gpus++) {
      Optional<List<Card>> found = on(gpus, stock, tenants);
      if (found.isPresent()) {
        return found;
      }
    }
    if (bound > most || (known.isEmpty() && stock.count() > MOST_GPUS)) {
      throw tooLarge("these need more GPUs");
    }
    return known;
  }

  /** All of them on these GPUs, at most four, whether or not on the fewest. */
  Optional<List<Card>> fitting(Stock stock, List<Tenant> tenants) {
    return known(stock, tenants).or(() -> on(stock.count(), stock, tenants));
  }

  private static InputException tooLarge(String why) {
    return InputException.tooLarge(
        "ideal-too-large",
        "The strategy 'ideal' tries every plan of at most "
            + MOST_SERVICES
            + " workloads on "
            + MOST_GPUS
            + " GPUs, "
            + why
            + ": plan fewer, or take 'gpulets'.");
  }

  /** The smallest complete plan of the other strategies that holds with interference. */
  private Optional<List<Card>> known(Stock stock, List<Tenant> tenants) {
    return others.stream()
        .map(other -> other.plan(stock, tenants))
        .filter(layout -> layout.left().isEmpty())
        .map(Layout::cards)
        .flatMap(cards -> judged(cards).stream())
        .min(Comparator.comparingInt(List::size));
  }

  private Optional<List<Card>> judged(List<Card> cards) {
    List<Card> good = new ArrayList<>();
    for (Card card : cards) {
      schedule.of(card).ifPresent(good::add);
    }
    return good.size() == cards.size() ? Optional.of(good) : Optional.empty();
  }

  private Optional<List<Card>> on(int gpus, Stock stock, List<Tenant> tenants) {
    List<List<Card>> splits = new ArrayList<>();
    addSplits(gpus, 0, List.of(), splits);
    Assignment assignment = new Assignment(stock, schedule, tenants);
    splits.sort(Comparator.comparingDouble(assignment::slack).reversed());
    for (List<Card> split : splits) {
      Optional<List<Card>> found = assignment.of(split);
      if (found.isPresent()) {
        return found;
      }
    }
    return Optional.empty();
  }

  private static void addSplits(int more, int from, List<Card> before, List<List<Card>> splits) {
    if (more == 0) {
      splits.add(before);
      return;
    }
    for (int i = from; i < FIRST_OF_SPLIT.size(); i++) {
      List<Card> with = new ArrayList<>(before);
      with.add(Card.split(FIRST_OF_SPLIT.get(i)));
      addSplits(more - 1, i, with, splits);
    }
  }

  /** All sets of so many, those without the last ones first. */
  private static List<List<Tenant>> subsets(List<Tenant> tenants, int size) {
    List<List<Tenant>> all = new ArrayList<>();
    for (int bits = 0; bits < 1 << tenants.size(); bits++) {
      if (Integer.bitCount(bits) == size) {
        List<Tenant> some = new ArrayList<>();
        for (int i = 0; i < tenants.size(); i++) {
          if ((bits >> i & 1) == 1) {
            some.add(tenants.get(i));
          }
        }
        all.add(some);
      }
    }
    return all;
  }
}
