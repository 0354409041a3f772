/** What tests of every module share. */
package dev.cotenant.domain.testing;
