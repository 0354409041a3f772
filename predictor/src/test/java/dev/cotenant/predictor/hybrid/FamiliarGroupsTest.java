package dev.cotenant.predictor.hybrid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.CalibrationGroup;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.predictor.model.LevelQuantiles;
import java.util.Arrays;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class FamiliarGroupsTest {
  private static final DeviceId T4 = new DeviceId("t4");
  private static final Coverage LEVEL = Coverage.of(0.9);

  private static LevelQuantiles of(int rows, double score) {
    double[] scores = new double[rows];
    Arrays.fill(scores, score);
    return LevelQuantiles.of(scores);
  }

  private static FamiliarGroups groups(int own, int family, int device) {
    SortedMap<String, LevelQuantiles> tables = new TreeMap<>();
    tables.put(FamiliarGroups.ALL, of(1000, 0.1));
    tables.put("on t4", of(device, 0.2));
    tables.put("resnet", of(family, 0.3));
    tables.put("resnet on t4", of(own, 0.4));
    return new FamiliarGroups(List.of("resnet"), tables);
  }

  @Test
  void takesTheFamilyOnTheDeviceWhereItHasRowsEnough() {
    var found = groups(9, 20, 50).find(0, T4, LEVEL);
    assertThat(found.group()).isEqualTo(new CalibrationGroup("resnet on t4", 9));
    assertThat(found.quantiles().upper()).isEqualTo(0.4);
  }

  @Test
  void poolsUpwardsAndKeepsWhatTheSmallGroupsShow() {
    assertThat(groups(8, 9, 50).find(0, T4, LEVEL).group().name()).isEqualTo("resnet");
    assertThat(groups(8, 8, 9).find(0, T4, LEVEL).group().name()).isEqualTo("on t4");
    var all = groups(8, 8, 8).find(0, T4, LEVEL);
    assertThat(all.group()).isEqualTo(new CalibrationGroup("all rows", 1000));
    assertThat(all.quantiles().upper()).as("eight errors of 0.4").isEqualTo(0.4);
  }

  @Test
  void needsMoreRowsForAHigherLevel() {
    assertThat(groups(9, 19, 50).find(0, T4, Coverage.of(0.95)).group().name()).isEqualTo("resnet");
  }

  @Test
  void refusesTablesWithoutAllRows() {
    assertThatThrownBy(() -> new FamiliarGroups(List.of(), new TreeMap<>()))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
