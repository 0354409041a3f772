package dev.cotenant.service.rest;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import org.eclipse.microprofile.openapi.OASFactory;
import org.eclipse.microprofile.openapi.models.media.Schema;
import org.jboss.jandex.AnnotationInstance;
import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.DotName;
import org.jboss.jandex.FieldInfo;
import org.jboss.jandex.IndexView;
import org.jspecify.annotations.Nullable;

/**
 * Descriptions of the properties of all schemas, from META-INF/openapi-properties.properties, and
 * which of them are always there: those of records whose components are not nullable.
 */
final class OpenApiSchemas {
  private static final String FILE = "/META-INF/openapi-properties.properties";

  private static final DotName JSON_PROPERTY = DotName.createSimple(JsonProperty.class);
  private static final DotName NULLABLE = DotName.createSimple(Nullable.class);

  private final Properties descriptions = descriptions();
  private final Map<String, ClassInfo> records = new HashMap<>();

  OpenApiSchemas(IndexView index) {
    for (ClassInfo known : index.getKnownClasses()) {
      boolean isOurs = known.isRecord() && known.name().toString().startsWith("dev.cotenant.");
      if (isOurs && known.hasAnnotation(JSON_PROPERTY)) {
        records.put(known.name().withoutPackagePrefix().replaceFirst(".*\\$", ""), known);
      }
    }
  }

  /** By the name of a property, or of a schema and a property. */
  static Properties descriptions() {
    Properties descriptions = new Properties();
    try (Reader reader =
        new InputStreamReader(
            Objects.requireNonNull(OpenApiSchemas.class.getResourceAsStream(FILE)),
            StandardCharsets.UTF_8)) {
      descriptions.load(reader);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return descriptions;
  }

  void complete(Map<String, Schema> schemas) {
    schemas.forEach((name, schema) -> {
      if (schema.getProperties() == null) {
        return;
      }
      schema
          .getProperties()
          .forEach((property, value) -> value.setDescription(description(name, property)));
      ClassInfo type = records.get(name);
      if (type != null) {
        schema.setRequired(
            new TreeSet<>(schema.getProperties().keySet())
                .stream().filter(property -> isRequired(type, property)).toList());
      }
    });
  }

  /**
   * One schema for answers of several kinds: the union of their properties, the first of each name;
   * a property is required if every kind requires it. Generated clients cannot tell kinds apart
   * that share properties.
   *
   * @param kinds components
   */
  static Schema united(List<Schema> kinds) {
    Schema united = OASFactory.createSchema().addType(Schema.SchemaType.OBJECT);
    Set<String> required = new TreeSet<>(required(kinds.getFirst()));
    for (Schema kind : kinds) {
      required.retainAll(required(kind));
      kind.getProperties()
          .forEach((name, property) -> {
            if (united.getProperties() == null || !united.getProperties().containsKey(name)) {
              united.addProperty(name, property);
            }
          });
    }
    return united.required(List.copyOf(required));
  }

  private static List<String> required(Schema schema) {
    return Objects.requireNonNullElse(schema.getRequired(), List.of());
  }

  private @Nullable String description(String schema, String property) {
    return descriptions.getProperty(schema + "." + property, descriptions.getProperty(property));
  }

  private static boolean isRequired(ClassInfo type, String property) {
    for (FieldInfo field : type.fields()) {
      AnnotationInstance name = field.annotation(JsonProperty.class);
      if (name != null && name.value().asString().equals(property)) {
        return !field.type().hasAnnotation(NULLABLE);
      }
    }
    return false;
  }
}
