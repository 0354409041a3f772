package dev.cotenant.admission.kubernetes;

import dev.cotenant.admission.gate.ClusterWriter.Written;
import dev.cotenant.admission.kubernetes.RequestQueue.Result;

/** What an answer says of a write. */
final class Meaning {
  private Meaning() {}

  static Written of(Result result) {
    return switch (result) {
      case Result.Answered(ApiAnswer answer) -> of(answer);
      case Result.Unanswered(String why) -> new Written.Unknown(why);
      case Result.NotSent(String why) -> new Written.Refused(why);
    };
  }

  /** A test that does not hold says that somebody changed the object. */
  static Written ofPatch(Result result) {
    return result instanceof Result.Answered(ApiAnswer answer) && answer.isFailedTest()
        ? new Written.Conflict()
        : of(result);
  }

  /** The precondition does not hold where another object has the name by now. */
  static Written ofDelete(Result result) {
    return result instanceof Result.Answered(ApiAnswer answer)
            && answer.code() == ApiAnswer.CONFLICT
        ? new Written.Gone()
        : of(result);
  }

  private static Written of(ApiAnswer answer) {
    if (answer.isSuccessful()) {
      return new Written.Done();
    }
    return switch (answer.code()) {
      case ApiAnswer.NOT_FOUND -> new Written.Gone();
      case ApiAnswer.CONFLICT -> new Written.Conflict();
      default ->
          answer.code() >= ApiAnswer.SERVER_ERROR
              ? new Written.Unknown(answer.message())
              : new Written.Refused(answer.message());
    };
  }
}
