# shellcheck shell=sh
# Sourced by ./cotenant and .ci/run: where is a JDK that can build and run this project?
# POSIX sh. find_jdk prints the home of the first one found, or nothing and fails.

required_java=25

# The feature release of the Java home "$1", such as 25; nothing where there is no JDK.
# The release file answers without starting a JVM.
java_release() {
  [ -x "$1/bin/java" ] && [ -x "$1/bin/javac" ] || return 1
  if [ -r "$1/release" ]; then
    sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$1/release"
  else
    "$1/bin/javac" -version 2>&1 | sed -n 's/^javac \([0-9]*\).*/\1/p'
  fi
}

is_suitable_jdk() {
  release=$(java_release "$1") || return 1
  [ -n "$release" ] && [ "$release" -ge "$required_java" ]
}

# The home of the java on the PATH, through all links.
java_home_on_path() {
  java=$(command -v java) || return 1
  while [ -L "$java" ]; do
    target=$(readlink "$java")
    case $target in
      /*) java=$target ;;
      *) java=$(dirname "$java")/$target ;;
    esac
  done
  (cd "$(dirname "$java")/.." && pwd -P)
}

find_jdk() {
  if [ -n "${JAVA_HOME:-}" ] && is_suitable_jdk "$JAVA_HOME"; then
    printf '%s\n' "$JAVA_HOME"
    return 0
  fi
  on_path=$(java_home_on_path) && is_suitable_jdk "$on_path" && {
    printf '%s\n' "$on_path"
    return 0
  }
  for candidate in \
    /usr/lib/jvm/* \
    /opt/* /opt/java/* \
    /usr/java/* /usr/local/* /usr/local/lib/jvm/* \
    "${HOME:-/nonexistent}"/.sdkman/candidates/java/* \
    "${HOME:-/nonexistent}"/.jdks/* \
    /Library/Java/JavaVirtualMachines/*/Contents/Home \
    /opt/homebrew/opt/openjdk*/libexec/openjdk.jdk/Contents/Home; do
    if is_suitable_jdk "$candidate"; then
      printf '%s\n' "$candidate"
      return 0
    fi
  done
  return 1
}
