# The holder of a borrowed machine (borrowing/holder.py). It prints "ready <pid>" with the first
# process of the namespaces, and "restored" if the interfaces end in their first state. A hang-up must
# not prevent the rest. The interfaces are taken out before the namespace is ended, because a socket
# with something left to send could keep it, and them, for minutes.
trap '' HUP INT TERM PIPE
@state@@saved@
each_saved() { for i in @names@; do saved "$i" 2>/dev/null; done; }
had() { each_saved; state | grep -vE ' dynamic | proto ra ' | grep -wF @patterns@; }
restore=$(each_saved) before=$(had)
unshare --net --mount --pid --fork --kill-child --mount-proc --propagation private \
  sh -c @inner@ </dev/null >/dev/null & outer=$!
failed="" moved=""
ready() { inner=$(pgrep -P $outer) && nsenter -t $inner -m -p test -e /run/ready 2>/dev/null; }
@wait_ready@
ready || failed="it has no namespaces for us"
[ -n "$failed" ] || for i in @names@; do
  ip link set "$i" netns $inner || { failed="$i cannot be moved"; break; }
  moved="$moved $i "
done
[ -n "$failed" ] || nsenter -t $inner -n sh -e -c @network@ ||
  failed="no network in the namespace"
if [ -n "$failed" ]; then echo "$failed" >&2; else
  echo "ready $inner"
  while [ "$(timeout @silence@ head -c 1 | wc -c)" = 1 ]; do :; done
fi
for i in $moved; do nsenter -t $inner -n ip link set "$i" netns $$; done
kill -9 $inner $outer 2>/dev/null; wait $outer 2>/dev/null
for i in $moved; do
  @wait_moved@
done
[ -z "$moved" ] || sh -c "$restore" 2>/dev/null
@wait_restored@
[ "$(had)" != "$before" ] || echo restored
