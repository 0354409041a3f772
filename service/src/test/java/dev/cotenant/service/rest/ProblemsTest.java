package dev.cotenant.service.rest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.engine.lifecycle.QuotaException;
import jakarta.ws.rs.core.Response;
import org.junit.jupiter.api.Test;

class ProblemsTest {
  @Test
  void whatHasNoRoomIsInsufficientStorage() {
    try (Response response =
        new Problems().noRoom(new QuotaException("too-many-models", "There is no room."))) {
      assertThat(response.getStatus()).isEqualTo(507);
      assertThat(response.getEntity())
          .isInstanceOfSatisfying(
              ProblemView.class,
              problem -> assertThat(problem.code()).isEqualTo("too-many-models"));
    }
  }
}
