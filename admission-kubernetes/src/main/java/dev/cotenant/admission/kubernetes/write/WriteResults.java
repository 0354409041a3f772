package dev.cotenant.admission.kubernetes.write;

import dev.cotenant.admission.cluster.ClusterWriter.EvictionResult;
import dev.cotenant.admission.cluster.ClusterWriter.WriteResult;
import dev.cotenant.admission.kubernetes.api.ApiResponse;
import dev.cotenant.admission.kubernetes.api.RequestQueue.Result;

/** Maps answers to results of writes. */
final class WriteResults {
  private WriteResults() {}

  static WriteResult of(Result result) {
    return switch (result) {
      case Result.Answered(ApiResponse answer) -> of(answer);
      case Result.Unanswered(String why) -> new WriteResult.Unknown(why);
      case Result.NotSent(String why) -> new WriteResult.Refused(why);
    };
  }

  /** A failed test means that the object has changed. */
  static WriteResult ofPatch(Result result) {
    return result instanceof Result.Answered(ApiResponse answer) && answer.isFailedTest()
        ? new WriteResult.Conflict()
        : of(result);
  }

  /** A failed precondition means that another object has the name now. */
  static WriteResult ofDelete(Result result) {
    return result instanceof Result.Answered(ApiResponse answer)
            && answer.code() == ApiResponse.CONFLICT
        ? new WriteResult.Gone()
        : of(result);
  }

  static EvictionResult ofEviction(Result result, WriteResult written) {
    if (result instanceof Result.Answered(ApiResponse answer) && answer.isBlockedByBudget()) {
      return new EvictionResult.Blocked(answer.message());
    }
    return switch (written) {
      case WriteResult.Done _ -> new EvictionResult.Evicted();
      case WriteResult.Gone _, WriteResult.Conflict _ -> new EvictionResult.Gone();
      case WriteResult.Unknown(String why) -> new EvictionResult.Unknown(why);
      case WriteResult.Refused(String why) -> new EvictionResult.Refused(why);
    };
  }

  private static WriteResult of(ApiResponse answer) {
    if (answer.isSuccessful()) {
      return new WriteResult.Done();
    }
    return switch (answer.code()) {
      case ApiResponse.NOT_FOUND -> new WriteResult.Gone();
      case ApiResponse.CONFLICT -> new WriteResult.Conflict();
      default ->
          answer.code() >= ApiResponse.SERVER_ERROR
              ? new WriteResult.Unknown(answer.message())
              : new WriteResult.Refused(answer.message());
    };
  }
}
