#!/bin/sh
# Installs an overlay, or upgrades what runs to it in the order of an upgrade (docs/operations.md): workers, then schedulers and
# realtime, the API last. With --downgrade in the reverse order. It waits for each step and stops at the first that does not get ready.
#   k8s/rollout.sh k8s/overlays/prod
#   k8s/rollout.sh --downgrade k8s/overlays/prod
#   k8s/rollout.sh built.yaml          what `kubectl kustomize` printed
set -eu
order='worker scheduler,realtime api'
if [ "${1:-}" = --downgrade ]; then
  order='api scheduler,realtime worker'
  shift
fi
overlay=${1:?usage: k8s/rollout.sh [--downgrade] <overlay or built file>}
timeout=${ROLLOUT_TIMEOUT:-20m}

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
all=$folder/all.yaml
if [ -d "$overlay" ]; then kubectl kustomize "$overlay" >"$all"; else cp "$overlay" "$all"; fi
namespace=$(awk '/^kind: Namespace$/ { found = 1 } found && /^  name: / { print $2; exit }' "$all")

# By the server, which knows who owns which field: the replicas belong to the autoscalers.
apply() { kubectl apply --server-side --force-conflicts --field-manager=weft -f "$all" "$@"; }
ready() {
  for component in $(echo "$1" | tr , ' '); do
    # workers with a label have a Deployment of their own
    deployments=$(kubectl -n "$namespace" get deployments -l "app.kubernetes.io/component=$component" -o name)
    for deployment in $deployments; do
      kubectl -n "$namespace" rollout status "$deployment" --timeout="$timeout" &
      waiting=$!
      while kill -0 "$waiting" 2>/dev/null; do
        if crashes "$component"; then kill "$waiting" 2>/dev/null || true; fi
        sleep 2
      done
      wait "$waiting" || why "$component"
    done
  done
}
# A pod that ended again and again does not get ready by waiting. It may end a few times while the stores of a first install start.
crashes() { pods "$1" | awk '$3 >= 3 && $4 == "CrashLoopBackOff" { found = 1 } END { exit !found }'; }
pods() {
  kubectl -n "$namespace" get pods -l "app.kubernetes.io/component=$1" \
    -o 'jsonpath={range .items[*]}{.metadata.name}{" "}{.status.containerStatuses[*].ready}{" "}{.status.containerStatuses[*].restartCount}{" "}{.status.containerStatuses[*].state.waiting.reason}{"\n"}{end}' 2>/dev/null || true
}
why() {
  echo "$1 does not get ready. The last lines of its pods that are not:" >&2
  for pod in $(pods "$1" | awk '$2 != "true" { print $1 }'); do
    kubectl -n "$namespace" logs "$pod" --previous --tail=5 >&2 2>/dev/null || kubectl -n "$namespace" logs "$pod" --tail=5 >&2 || true
  done
  exit 1
}

available=$(kubectl -n "$namespace" get deployment api -o 'jsonpath={.status.availableReplicas}' 2>/dev/null || true)
if [ -z "$available" ]; then
  # On an empty database the others wait for the first admin, whom the API creates: all at once. So does a first install that failed.
  apply
  ready api,scheduler,realtime,worker
  exit
fi
apply -l '!app.kubernetes.io/component'
for step in $order; do
  apply -l "app.kubernetes.io/component in ($step)"
  ready "$step"
done
