/** Reading the files of sets: text, plain or gzipped, hashed while it is read. */
@NullMarked
package dev.cotenant.datasets.file;

import org.jspecify.annotations.NullMarked;
