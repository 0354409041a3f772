package dev.cotenant.service.rest;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.io.JsonEOFException;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.deser.std.NumberDeserializers;
import com.fasterxml.jackson.databind.deser.std.StdScalarDeserializer;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import dev.cotenant.domain.InputException;
import dev.cotenant.engine.files.StrictJson;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Reads JSON documents of requests, strictly and up to a size. */
public final class JsonBody {
  /** A pod is 1.5 MiB at most in etcd. */
  public static final int MAX_BYTES = 2 << 20;

  /** Profile rows, the largest documents. */
  public static final int MAX_ROWS_BYTES = 16 << 20;

  private static final int MAX_DEPTH = 100;

  private static final ObjectMapper MAPPER =
      JsonMapper.builder(
              JsonFactory.builder()
                  .streamReadConstraints(
                      StreamReadConstraints.builder().maxNestingDepth(MAX_DEPTH).build())
                  .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                  .build())
          .addModule(
              new SimpleModule()
                  .addDeserializer(
                      Integer.class, new Whole<>(Integer.class, BigDecimal::intValueExact))
                  .addDeserializer(Long.class, new Whole<>(Long.class, BigDecimal::longValueExact))
                  .addDeserializer(int.class, new Whole<>(int.class, BigDecimal::intValueExact))
                  .addDeserializer(long.class, new Whole<>(long.class, BigDecimal::longValueExact)))
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
          .build();

  private JsonBody() {}

  /** Whole numbers, those with an exponent such as 1e10 too. */
  private static final class Whole<N extends Number> extends StdScalarDeserializer<N> {
    private static final long serialVersionUID = 1;

    private final transient Function<BigDecimal, N> exact;

    Whole(Class<N> type, Function<BigDecimal, N> exact) {
      super(type);
      this.exact = exact;
    }

    @Override
    public N deserialize(JsonParser parser, DeserializationContext context) throws IOException {
      if (parser.hasToken(JsonToken.VALUE_NUMBER_FLOAT) && !parser.isNaN()) {
        try {
          return exact.apply(parser.getDecimalValue());
        } catch (ArithmeticException e) {
          return standard().deserialize(parser, context); // which says what is wrong with it
        }
      }
      return standard().deserialize(parser, context);
    }

    @SuppressWarnings("unchecked") // the deserializer of this type
    private JsonDeserializer<N> standard() {
      return (JsonDeserializer<N>)
          Objects.requireNonNull(NumberDeserializers.find(_valueClass, _valueClass.getName()));
    }
  }

  /**
   * Reads a document.
   *
   * @throws InputException ({@code document-too-large}, {@code malformed-json}, {@code
   *     unexpected-json}) naming the place
   */
  public static <T> T read(InputStream body, Class<T> type) {
    return read(body, type, MAX_BYTES);
  }

  /** As above, with a different size limit. */
  public static <T> T read(InputStream body, Class<T> type, int maxBytes) {
    byte[] bytes = bytes(body, maxBytes);
    return parsed(() -> MAPPER.readValue(bytes, type));
  }

  /** A part of a document, with the errors of {@link #read}. */
  public static <T> T convert(JsonNode part, Class<T> type) {
    return parsed(() -> MAPPER.treeToValue(part, type));
  }

  /** Reads or converts. */
  private interface Parser<T> {
    @Nullable T parse() throws IOException;
  }

  private static <T> T parsed(Parser<T> parser) {
    try {
      T document = parser.parse();
      if (document == null) {
        throw unexpected("the document is null");
      }
      return document;
    } catch (UnrecognizedPropertyException e) {
      throw unexpected("there is no property '" + e.getPropertyName() + "' here");
    } catch (MismatchedInputException e) {
      throw unexpected(place(e) + StrictJson.mustBe(e));
    } catch (JsonEOFException e) {
      throw endsEarly(e);
    } catch (JsonMappingException e) {
      throw switch (e.getCause()) {
        case InputException ours -> ours;
        case JsonEOFException early -> endsEarly(early);
        case null, default -> unexpected(place(e) + firstLine(e));
      };
    } catch (JsonProcessingException e) {
      throw InputException.invalidArgument(
          "malformed-json", "The body is not valid JSON: " + firstLine(e) + ".");
    } catch (IOException e) { // no text in the encoding that its first bytes announce
      throw InputException.invalidArgument(
          "malformed-json", "The body is not valid JSON: " + e.getMessage() + ".");
    }
  }

  /** A body of at most so many bytes. */
  public static byte[] bytes(InputStream body, int maxBytes) {
    try {
      byte[] bytes = body.readNBytes(maxBytes + 1);
      if (bytes.length > maxBytes) {
        throw InputException.tooLarge(
            "document-too-large", "The body may have " + maxBytes + " bytes at most here.");
      }
      return bytes;
    } catch (IOException e) {
      throw new UncheckedIOException("the request was cut off", e);
    }
  }

  private static InputException endsEarly(JsonEOFException e) {
    JsonLocation end = e.getLocation();
    return InputException.invalidArgument(
        "malformed-json",
        "The body is not valid JSON: it ends early, in line %d, column %d."
            .formatted(end.getLineNr(), end.getColumnNr()));
  }

  private static InputException unexpected(String what) {
    return InputException.invalidArgument("unexpected-json", "The JSON body: " + what + ".");
  }

  private static String place(JsonMappingException e) {
    return e.getPath().isEmpty() ? "" : StrictJson.place(e) + ": ";
  }

  /** The parser's own words, without the names of classes. */
  private static String firstLine(JsonProcessingException e) {
    return e.getOriginalMessage()
        .lines()
        .findFirst()
        .orElse("it cannot be read")
        .replaceAll("`?dev\\.cotenant[\\w.$]*`?", "the document");
  }
}
