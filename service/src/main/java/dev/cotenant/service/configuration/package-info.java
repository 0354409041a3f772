/** What operators can set, checked and turned into settings at once. */
@NullMarked
package dev.cotenant.service.configuration;

import org.jspecify.annotations.NullMarked;
