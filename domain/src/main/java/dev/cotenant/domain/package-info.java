/** The vocabulary of all modules, with no dependency but the JDK. */
@NullMarked
package dev.cotenant.domain;

import org.jspecify.annotations.NullMarked;
