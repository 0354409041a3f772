package dev.cotenant.features.graph;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Attributes by name. Immutable. */
public final class Attributes implements Iterable<Attribute> {
  public static final Attributes NONE = new Attributes(new Attribute[0]);

  /** Up to as many, looking at each is faster than hashing. */
  private static final int FEW = 12;

  private final Attribute[] each;
  private final boolean hasReference;
  private final long size;
  private final @Nullable Map<String, Attribute> byName;

  private Attributes(Attribute[] each) {
    this.each = each;
    hasReference = Arrays.stream(each).anyMatch(attribute -> attribute.reference() != null);
    byName = each.length <= FEW ? null : indexed(each);
    long sum = each.length;
    for (Attribute attribute : each) {
      sum += attribute.size() / Graph.BYTES_OF_A_NODE;
    }
    size = sum;
  }

  private static Map<String, Attribute> indexed(Attribute[] each) {
    Map<String, Attribute> index = LinkedHashMap.newLinkedHashMap(each.length);
    for (Attribute attribute : each) {
      index.put(attribute.name(), attribute);
    }
    return index;
  }

  /** Of two with the same name the later one counts. */
  public static Attributes of(List<Attribute> attributes) {
    if (attributes.isEmpty()) {
      return NONE;
    }
    Attribute[] given = attributes.toArray(new Attribute[0]);
    return new Attributes(
        hasDistinctNames(given) ? given : indexed(given).values().toArray(new Attribute[0]));
  }

  private static boolean hasDistinctNames(Attribute[] given) {
    if (given.length > FEW) {
      return false;
    }
    for (int i = 1; i < given.length; i++) {
      for (int k = 0; k < i; k++) {
        if (given[i].name().equals(given[k].name())) {
          return false;
        }
      }
    }
    return true;
  }

  /** Union of both; {@code others} win on equal names. */
  public Attributes with(Attributes others) {
    List<Attribute> all = new ArrayList<>(Arrays.asList(each));
    all.addAll(Arrays.asList(others.each));
    return of(all);
  }

  /** Each that stands for one of {@code given} becomes it, or goes where that is not given. */
  public Attributes resolved(Attributes given) {
    List<Attribute> all = new ArrayList<>();
    for (Attribute attribute : each) {
      String reference = attribute.reference();
      Attribute found = reference == null ? attribute : given.find(reference);
      if (found != null) {
        all.add(found.renamed(attribute.name()));
      }
    }
    return of(all);
  }

  public @Nullable Attribute find(String name) {
    if (byName != null) {
      return byName.get(name);
    }
    for (Attribute attribute : each) {
      if (attribute.name().equals(name)) {
        return attribute;
      }
    }
    return null;
  }

  public boolean has(String name) {
    return find(name) != null;
  }

  /** Whether one stands for an attribute of the enclosing function. */
  public boolean hasReference() {
    return hasReference;
  }

  /** What looking at all of them takes, in nodes of few inputs. */
  public long size() {
    return size;
  }

  @Override
  public Iterator<Attribute> iterator() {
    return Arrays.asList(each).iterator();
  }
}
