package dev.cotenant.engine.testing;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.engine.lifecycle.ConflictException;
import dev.cotenant.engine.lifecycle.ModelStore;
import dev.cotenant.engine.lifecycle.ModelVersion;
import dev.cotenant.engine.lifecycle.Promotion;
import dev.cotenant.engine.lifecycle.QuotaException;
import dev.cotenant.engine.lifecycle.RegisteredModelStore;
import dev.cotenant.engine.lifecycle.StoreException;
import dev.cotenant.engine.lifecycle.TrainingStore;
import dev.cotenant.engine.lifecycle.VersionStore;
import dev.cotenant.engine.profile.ProfileFields;
import dev.cotenant.engine.profile.ProfileStore;
import dev.cotenant.engine.profile.StoredProfile;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A store in memory that keeps the contract, and can be told to be down. */
public final class FakeModelStore implements ModelStore {
  private final Map<String, byte[]> files = new HashMap<>();
  private final Versions versions = new Versions();
  private final Versions forecasts = new Versions();
  private final List<StoredProfile> rows = new ArrayList<>();
  private long numbers;
  private final Map<String, String> names = new TreeMap<>();
  private final FakeTrainings trainings = new FakeTrainings(this::requireUp);
  private volatile boolean down;

  /** Makes every call fail from now on, or succeed again. */
  public void setDown(boolean isDown) {
    down = isDown;
  }

  private void requireUp() {
    if (down) {
      throw new StoreException("The store is down.", new IOException("told to"));
    }
  }

  @Override
  public VersionStore versions() {
    return versions;
  }

  @Override
  public VersionStore forecasts() {
    return forecasts;
  }

  @Override
  public ProfileStore profiles() {
    return new Profiles();
  }

  @Override
  public TrainingStore trainings() {
    return trainings;
  }

  @Override
  public RegisteredModelStore models() {
    return new Models();
  }

  private final class Versions implements VersionStore {
    private final List<ModelVersion> all = new ArrayList<>();
    private final List<Promotion> promotions = new ArrayList<>();

    @Override
    public boolean add(ModelVersion version, byte[] file) {
      requireUp();
      if (files.containsKey(version.sha256())) {
        return false;
      }
      VersionStore.requireRoom(version, all.size());
      all.add(version);
      files.put(version.sha256(), file.clone());
      return true;
    }

    @Override
    public List<ModelVersion> all() {
      requireUp();
      return List.copyOf(all);
    }

    @Override
    public Optional<ModelVersion> find(String name) {
      return all().stream()
          .filter(v -> v.sha256().equals(name) || v.label().equals(name))
          .findAny();
    }

    @Override
    public Optional<byte[]> file(String sha256) {
      requireUp();
      return Optional.ofNullable(files.get(sha256)).map(byte[]::clone);
    }

    @Override
    public boolean remove(String sha256) {
      requireUp();
      boolean isUsed =
          promotions.stream().anyMatch(promotion -> promotion.version().equals(sha256))
              || all.stream().anyMatch(version -> sha256.equals(version.parent()));
      return !isUsed
          && all.removeIf(version -> version.sha256().equals(sha256))
          && files.remove(sha256) != null;
    }

    @Override
    public Optional<Promotion> promoted() {
      requireUp();
      return promotions.isEmpty() ? Optional.empty() : Optional.of(promotions.getLast());
    }

    @Override
    public List<Promotion> promotions() {
      requireUp();
      return List.copyOf(promotions);
    }

    @Override
    public Promotion promote(Promotion.Request request, long after, Instant at) {
      requireUp();
      if (after != promotions.size()) {
        throw new ConflictException("promotion-conflict", "Another promotion came between.");
      }
      Promotion promotion =
          new Promotion(
              after + 1, request.version(), at, request.by(), request.grounds(), request.reason());
      promotions.add(promotion);
      return promotion;
    }
  }

  private final class Profiles implements ProfileStore {
    @Override
    public List<Boolean> add(String namespace, List<ProfileRow> more, Instant at) {
      requireUp();
      List<StoredProfile> before = List.copyOf(rows);
      List<Boolean> added = more.stream().map(row -> add(namespace, row, at)).toList();
      if (size(ProfileStore.SHARED) > MAX_SHARED) {
        rows.clear();
        rows.addAll(before);
        throw new QuotaException("too-many-rows", "There is no room.");
      }
      while (!namespace.equals(SHARED) && size(namespace) > MAX_OF_NAMESPACE) {
        rows.stream()
            .filter(row -> row.namespace().equals(namespace))
            .findFirst()
            .ifPresent(rows::remove);
      }
      return added;
    }

    private long size(String namespace) {
      return rows.stream().filter(row -> row.namespace().equals(namespace)).count();
    }

    private boolean add(String namespace, ProfileRow row, Instant at) {
      String hash = ProfileFields.contentHash(namespace, row);
      if (rows.stream().anyMatch(there -> there.contentHash().equals(hash))) {
        return false;
      }
      return rows.add(new StoredProfile(++numbers, hash, row, at, namespace));
    }

    @Override
    public boolean remove(long number) {
      requireUp();
      return rows.removeIf(row -> row.number() == number);
    }

    @Override
    public int removeFrom(String source) {
      requireUp();
      int before = rows.size();
      rows.removeIf(row -> row.row().source().equals(source));
      return before - rows.size();
    }

    @Override
    public long count() {
      requireUp();
      return rows.size();
    }

    @Override
    public List<StoredProfile> newest(int limit, String namespace, String device) {
      requireUp();
      return rows.reversed().stream()
          .filter(row -> row.namespace().equals(SHARED) || row.namespace().equals(namespace))
          .filter(row -> row.row().device().value().equals(device))
          .limit(limit)
          .toList();
    }

    @Override
    public List<StoredProfile> page(long after, int limit, Selection selection) {
      requireUp();
      return rows.stream()
          .filter(row -> row.number() > after)
          .filter(row -> isOf(selection.source(), row.row().source()))
          .filter(row -> isOf(selection.device(), row.row().device().value()))
          .limit(limit)
          .toList();
    }

    private static boolean isOf(@Nullable String wanted, String value) {
      return wanted == null || wanted.equals(value);
    }
  }

  private final class Models implements RegisteredModelStore {
    @Override
    public boolean put(Name name, @Nullable String before, InputStream file, Instant at) {
      requireUp();
      String now = names.get(name.name());
      if (before != null && now != null && !now.equals(before) && !now.equals(name.sha256())) {
        return false;
      }
      try {
        files.put(name.sha256(), file.readAllBytes());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      String replaced = names.put(name.name(), name.sha256());
      removeUnused(replaced);
      return true;
    }

    private void removeUnused(@Nullable String sha256) {
      if (sha256 != null && !names.containsValue(sha256)) {
        files.remove(sha256);
      }
    }

    @Override
    public boolean remove(String name) {
      requireUp();
      String sha256 = names.remove(name);
      removeUnused(sha256);
      return sha256 != null;
    }

    @Override
    public List<Name> names() {
      requireUp();
      return names.entrySet().stream().map(e -> new Name(e.getKey(), e.getValue())).toList();
    }

    @Override
    public <T> T read(String sha256, Function<InputStream, T> reader) {
      requireUp();
      byte[] file = files.get(sha256);
      if (file == null) {
        throw InputException.notFound("unknown-model", "There is no file " + sha256 + ".");
      }
      return reader.apply(new ByteArrayInputStream(file));
    }
  }
}
