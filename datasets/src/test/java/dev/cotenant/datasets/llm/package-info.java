@NullMarked
package dev.cotenant.datasets.llm;

import org.jspecify.annotations.NullMarked;
