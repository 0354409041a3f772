package dev.cotenant.service.access;

import dev.cotenant.service.RunningService;
import java.util.List;
import java.util.Set;

/** A service whose callers a {@link FakeCluster} authenticates and authorizes. */
public final class ClusterService extends RunningService {
  @Override
  public Set<Class<?>> getEnabledAlternatives() {
    return Set.of();
  }

  @Override
  public List<TestResourceEntry> testResources() {
    return List.of(new TestResourceEntry(FakeCluster.class));
  }
}
