package dev.cotenant.admission.history;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What calls mean when they are made one after the other: the specification that histories are held
 * against. Immutable.
 *
 * @param holders by GPU; "" where it is free
 * @param pods of bound grants, by holder
 * @param unsure holders of which no caller knows whether they hold a GPU
 */
record Capacity(Map<String, String> holders, Map<String, String> pods, List<String> unsure) {
  private static final String FREE = "";

  Capacity {
    holders = Map.copyOf(holders);
    pods = Map.copyOf(pods);
    unsure = List.copyOf(unsure);
  }

  static Capacity of(List<String> gpus) {
    Map<String, String> free = new TreeMap<>();
    gpus.forEach(gpu -> free.put(gpu, FREE));
    return new Capacity(free, Map.of(), List.of());
  }

  /** The states that a call may lead to by its answer; none where the answer is wrong here. */
  List<Capacity> after(Call call) {
    return switch (call) {
      case Call.Granted(String holder, String gpu) -> granted(holder, gpu);
      case Call.Refused _ -> only(!holders.containsValue(FREE), this);
      case Call.RefusedPerhapsWrongly _ -> List.of(this);
      case Call.Ended(String holder) -> List.of(without(holder));
      case Call.Bound(String holder, String pod) ->
          only(
              holds(holder) && pod.equals(pods.getOrDefault(holder, pod)),
              sure(holder).bound(holder, pod));
      case Call.NotBound(String holder) -> only(!holds(holder), this);
      case Call.BoundToOther(String holder, String pod) ->
          only(pods.containsKey(holder) && !pod.equals(pods.get(holder)), this);
      case Call.Released(String holder) -> only(holds(holder), without(holder));
      case Call.NothingReleased(String holder) -> only(!holds(holder), this);
      case Call.Lapsed _ -> List.of(lapsed());
      case Call.Unanswered(Call.Wanted wanted, String holder, String pod) ->
          unanswered(wanted, holder, pod);
    };
  }

  private static List<Capacity> only(boolean isRight, Capacity next) {
    return isRight ? List.of(next) : List.of();
  }

  private boolean holds(String holder) {
    return holders.containsValue(holder);
  }

  private List<Capacity> granted(String holder, String place) {
    List<String> there =
        holders.keySet().stream().filter(gpu -> isOf(place, gpu)).sorted().toList();
    if (there.stream().anyMatch(gpu -> holder.equals(holders.get(gpu)))) {
      return List.of(sure(holder));
    }
    // A GPU of which nobody was told is free where nobody has it after all.
    return there.stream()
        .filter(gpu -> isFree(gpu) || unsure.contains(holders.get(gpu)))
        .filter(_ -> !holds(holder))
        .map(gpu -> without(holders.getOrDefault(gpu, FREE)).with(gpu, holder))
        .distinct()
        .toList();
  }

  private boolean isFree(String gpu) {
    return FREE.equals(holders.get(gpu));
  }

  /** Whether a GPU is at a place: itself, or one of a node, whose GPUs have numbers. */
  private static boolean isOf(String place, String gpu) {
    return gpu.equals(place) || gpu.startsWith(place + "#");
  }

  /** It may have happened, now, or not at all. */
  private List<Capacity> unanswered(Call.Wanted wanted, String holder, String pod) {
    List<Capacity> all = new ArrayList<>(List.of(this));
    switch (wanted) {
      case GRANT ->
          holders.forEach((gpu, now) -> {
            if (now.equals(FREE) && !holds(holder)) {
              all.add(with(gpu, holder).unsure(holder));
            }
          });
      case BIND -> {
        if (holds(holder) && !pods.containsKey(holder)) {
          all.add(bound(holder, pod));
        }
      }
      case RELEASE -> {
        if (holds(holder)) {
          all.add(without(holder));
        }
      }
    }
    return all;
  }

  private Capacity lapsed() {
    Capacity next = this;
    for (String holder : holders.values()) {
      next = pods.containsKey(holder) ? next : next.without(holder);
    }
    return next;
  }

  private Capacity with(String gpu, String holder) {
    Map<String, String> next = new TreeMap<>(holders);
    next.put(gpu, holder);
    return new Capacity(next, pods, unsure);
  }

  private Capacity without(String holder) {
    if (holder.equals(FREE)) {
      return this;
    }
    Map<String, String> next = new TreeMap<>(holders);
    next.replaceAll((_, now) -> now.equals(holder) ? FREE : now);
    return new Capacity(next, pods, unsure).sure(holder);
  }

  private Capacity bound(String holder, String pod) {
    Map<String, String> next = new TreeMap<>(pods);
    next.put(holder, pod);
    return new Capacity(holders, next, unsure);
  }

  private Capacity unsure(String holder) {
    List<String> next = new ArrayList<>(unsure);
    next.add(holder);
    return new Capacity(holders, pods, next);
  }

  private Capacity sure(String holder) {
    return unsure.contains(holder)
        ? new Capacity(holders, pods, unsure.stream().filter(one -> !one.equals(holder)).toList())
        : this;
  }
}
