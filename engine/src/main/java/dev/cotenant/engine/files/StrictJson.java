package dev.cotenant.engine.files;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.cotenant.domain.InputException;
import java.io.IOException;
import java.lang.invoke.MethodType;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Documents that people write, bound to records: unknown keys, keys given twice, values of another
 * type and text after the end are refused, and the message names the place.
 */
public final class StrictJson {
  private static final ObjectMapper MAPPER =
      JsonMapper.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
          .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
          .build();

  /** Creates the exception for a place, {@code gpus[0].capacity_bytes}, and a problem. */
  @FunctionalInterface
  public interface Refusal {
    /** To be thrown. */
    InputException wrong(String place, String problem);
  }

  @FunctionalInterface
  private interface Binding<T> {
    @Nullable T bind() throws IOException;
  }

  private StrictJson() {}

  /** Binds a document as it was read. */
  public static <T> T read(byte[] json, Class<T> type, Refusal refusal) {
    return bind(() -> MAPPER.readValue(json, type), refusal);
  }

  /** Binds a document that was parsed before. */
  public static <T> T read(JsonNode json, Class<T> type, Refusal refusal) {
    return bind(() -> MAPPER.treeToValue(json, type), refusal);
  }

  private static <T> T bind(Binding<T> binding, Refusal refusal) {
    try {
      T document = binding.bind();
      if (document == null) {
        throw refusal.wrong("{}", "is missing");
      }
      return document;
    } catch (UnrecognizedPropertyException e) {
      throw refusal.wrong(place(e), "there is no such key");
    } catch (MismatchedInputException e) {
      throw refusal.wrong(place(e), mustBe(e));
    } catch (JsonMappingException e) {
      throw refusal.wrong(place(e), e.getOriginalMessage());
    } catch (JacksonException e) {
      throw refusal.wrong(
          "line " + (e.getLocation() == null ? "?" : e.getLocation().getLineNr()),
          e.getOriginalMessage());
    } catch (IOException e) {
      throw refusal.wrong("the document", String.valueOf(e.getMessage()));
    }
  }

  /** Error text that names the required type of a value. */
  public static String mustBe(MismatchedInputException e) {
    return "must be " + words(e.getTargetType());
  }

  /** The whole document where nothing in it is to blame alone. */
  public static String place(JsonMappingException e) {
    StringBuilder place = new StringBuilder();
    for (JsonMappingException.Reference step : e.getPath()) {
      if (step.getFieldName() == null) {
        place.append('[').append(step.getIndex()).append(']');
      } else {
        place.append(place.isEmpty() ? "" : ".").append(step.getFieldName());
      }
    }
    return place.isEmpty() ? "the document" : place.toString();
  }

  private static String words(@Nullable Class<?> type) {
    if (type == null || type.isRecord() || type == Map.class || type == JsonNode.class) {
      return "one object";
    }
    Class<?> boxed = MethodType.methodType(type).wrap().returnType();
    if (boxed == Long.class || boxed == Integer.class) {
      return "a whole number of at most " + (boxed == Long.class ? 19 : 9) + " digits";
    }
    if (boxed == Double.class) {
      return "a number";
    }
    if (boxed == Boolean.class) {
      return "true or false";
    }
    return type == String.class ? "text" : "a list";
  }
}
