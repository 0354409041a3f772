# Seconds of processor time that the compilers of a process have taken: compiled PID
compiled() {
  for task in /proc/$1/task/*; do
    case $(cat "$task/comm") in
      C[12]*Compile*) cat "$task/stat" ;;
    esac
  done | sed 's/.*) //' | awk -v ticks="$(getconf CLK_TCK)" '{ sum += $12 + $13 } END { print sum / ticks }'
}
