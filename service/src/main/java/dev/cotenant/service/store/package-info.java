/** The life cycle's store in a SQL database: embedded by default, PostgreSQL by configuration. */
@NullMarked
package dev.cotenant.service.store;

import org.jspecify.annotations.NullMarked;
