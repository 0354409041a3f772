/** The vocabulary every module shares; what is here depends on nothing but the JDK. */
@NullMarked
package dev.cotenant.domain;

import org.jspecify.annotations.NullMarked;
