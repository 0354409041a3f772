package dev.cotenant.service.rest.query;

import dev.cotenant.domain.InputException;
import jakarta.ws.rs.BeanParam;
import jakarta.ws.rs.QueryParam;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.util.Arrays;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/** Accepted query parameters by call; others are refused instead of ignored. */
public final class QueryNames {
  /** How long the caller waits; kubectl adds it to its requests. */
  private static final String TIMEOUT = "timeout";

  private final Map<Method, Set<String>> known = new ConcurrentHashMap<>();

  /**
   * Refuses a request with a parameter that its call does not take.
   *
   * @param given names of the request
   * @param others names that this kind of call takes beside those of the method
   * @throws InputException ({@code unknown-parameter})
   */
  public void check(Method method, Collection<String> given, Set<String> others) {
    Set<String> taken = known.computeIfAbsent(method, QueryNames::of);
    for (String name : given) {
      if (!taken.contains(name) && !others.contains(name) && !name.equals(TIMEOUT)) {
        throw unknown(name, taken, others);
      }
    }
  }

  private static InputException unknown(String name, Set<String> taken, Set<String> others) {
    Set<String> all = new TreeSet<>(taken);
    all.addAll(others);
    return InputException.invalidArgument(
        "unknown-parameter",
        "This call has no query parameter '"
            + (name.length() > 100 ? name.substring(0, 100) + "…" : name)
            + "': "
            + (all.isEmpty() ? "it takes none." : "there is " + String.join(", ", all) + "."));
  }

  private static Set<String> of(Method method) {
    Stream<AnnotatedElement> own = Arrays.stream(method.getParameters());
    Stream<AnnotatedElement> beans =
        Arrays.stream(method.getParameters())
            .filter(parameter -> parameter.isAnnotationPresent(BeanParam.class))
            .map(Parameter::getType)
            .flatMap(type -> Arrays.stream(type.getDeclaredFields()));
    Set<String> names = new TreeSet<>();
    Stream.concat(own, beans)
        .map(element -> element.getAnnotation(QueryParam.class))
        .filter(Objects::nonNull)
        .forEach(annotation -> names.add(annotation.value()));
    return Set.copyOf(names);
  }
}
