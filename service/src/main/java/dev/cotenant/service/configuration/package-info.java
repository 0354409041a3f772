/** Configuration of operators, checked and converted to settings at the start. */
@NullMarked
package dev.cotenant.service.configuration;

import org.jspecify.annotations.NullMarked;
