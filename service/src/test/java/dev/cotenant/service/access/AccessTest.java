package dev.cotenant.service.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.admission.access.TokenAuthenticator;
import dev.cotenant.admission.access.User;
import dev.cotenant.service.access.Access.Outcome;
import dev.cotenant.service.access.Access.Presentation;
import dev.cotenant.service.access.Access.Scheme;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class AccessTest {
  private static final String TOKEN = "0123456789abcdef";

  private final Access access = new Access(Optional.of(TOKEN), Optional.empty(), new FakeTokens());

  private Outcome holderOf(@Nullable String authorization) {
    return check(access, authorization, Scheme.BEARER);
  }

  private static Outcome check(Access access, @Nullable String authorization, Scheme scheme) {
    return access.check(new Presentation(authorization, scheme, "10.0.0.1"));
  }

  private static String basic(String userAndPassword) {
    return "Basic "
        + Base64.getEncoder().encodeToString(userAndPassword.getBytes(StandardCharsets.UTF_8));
  }

  @ParameterizedTest
  @ValueSource(strings = {"Bearer " + TOKEN, "bearer " + TOKEN, "BEARER  " + TOKEN + " "})
  void acceptsTheConfiguredToken(String authorization) {
    assertThat(holderOf(authorization))
        .isEqualTo(new Outcome.Granted(Caller.Holder.CONFIGURED_TOKEN));
  }

  @Test
  void acceptsWhomTheClusterVouchesFor() {
    assertThat(holderOf("Bearer " + FakeTokens.GOOD))
        .isEqualTo(
            new Outcome.Granted(
                new Caller.ClusterUser(new User(FakeTokens.PLANNER, "", Set.of(), Map.of()))));
  }

  @ParameterizedTest
  @NullSource
  @ValueSource(
      strings = {
        "",
        " ",
        "Bearer",
        "Bearer ",
        "Bearer \t",
        "Bearer two words",
        "Bearer t\u00f6ken",
        "Bearer a\u0000b",
        TOKEN,
        "Token " + TOKEN,
        "Basic " + TOKEN,
        "Bearer " + TOKEN + "0",
        "Bearer 0123456789abcde",
        "Bearer " + FakeTokens.OTHER_AUDIENCE,
        "Bearer " + FakeTokens.EXPIRED,
        "Bearer system:anonymous",
      })
  void refusesEverythingElse(@Nullable String authorization) {
    assertThat(holderOf(authorization)).isInstanceOf(Outcome.Refused.class);
  }

  @Test
  void givesNothingWhileNobodyCanBeAsked() {
    assertThat(holderOf("Bearer " + FakeTokens.SERVER_DOWN))
        .isInstanceOf(Outcome.Unavailable.class);
    assertThat(holderOf("Bearer " + TOKEN)).isInstanceOf(Outcome.Granted.class);
  }

  @ParameterizedTest
  @EnumSource(Scheme.class)
  void acceptsPasswordsOnlyFromWhoCanPresentNothingElse(Scheme scheme) {
    boolean allowed = scheme == Scheme.BEARER_OR_BASIC;
    for (String password : List.of(TOKEN, FakeTokens.GOOD)) {
      assertThat(check(access, basic("scheduler:" + password), scheme) instanceof Outcome.Granted)
          .isEqualTo(allowed);
    }
    for (String wrong :
        List.of(basic("scheduler:"), basic("scheduler"), basic(TOKEN + ":x"), "Basic %%%")) {
      assertThat(check(access, wrong, scheme)).as(wrong).isInstanceOf(Outcome.Refused.class);
    }
  }

  @Test
  void acceptsNothingWhereNothingIsConfigured() {
    Access closed = new Access(Optional.empty(), Optional.empty(), TokenAuthenticator.NONE);
    assertThat(check(closed, "Bearer " + TOKEN, Scheme.BEARER)).isInstanceOf(Outcome.Refused.class);
    assertThat(check(closed, null, Scheme.BEARER)).isInstanceOf(Outcome.Refused.class);
  }

  @Test
  void showsTheClusterTheBareTokenAndNeverTheConfiguredOne() {
    List<String> shown = new ArrayList<>();
    Access watched =
        new Access(
            Optional.of(TOKEN),
            Optional.empty(),
            presented -> {
              shown.add(presented.token());
              return new TokenAuthenticator.Result.Rejected("no");
            });
    check(watched, "Bearer " + TOKEN, Scheme.BEARER);
    check(watched, "Bearer something-else", Scheme.BEARER);
    check(watched, "Basic x", Scheme.BEARER);
    assertThat(shown).containsExactly("something-else");
  }
}
