#!/bin/sh
# Creates the Secrets of an installation, once:
#   k8s/create-secrets.sh <namespace>
# MONGODB_URI and REDIS_URL are taken from the environment; without them, the settings of the overlay must have them (overlays/dev).
# Keep ENC_KEY_SECRET and ENV_KEY_SALT with your backups: a restored database without them has no usable credentials.
set -eu
namespace=${1:?usage: k8s/create-secrets.sh <namespace>}
kubectl get namespace "$namespace" >/dev/null 2>&1 || kubectl create namespace "$namespace"
for secret in weft-secrets weft-first-admin; do
  if kubectl -n "$namespace" get secret "$secret" >/dev/null 2>&1; then
    echo "The Secret $secret exists in $namespace: nothing is changed." >&2
    exit 1
  fi
done

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
umask 077
random() { head -c 32 /dev/urandom | od -An -tx1 | tr -d ' \n'; }
# In files, because every user of the machine can read arguments.
{
  echo "ENC_KEY_SECRET=$(random)"
  echo "ENV_KEY_SALT=$(random)"
  echo "METRICS_TOKEN=$(random)"
  if [ -n "${MONGODB_URI:-}" ]; then echo "MONGODB_URI=$MONGODB_URI"; fi
  if [ -n "${REDIS_URL:-}" ]; then echo "REDIS_URL=$REDIS_URL"; fi
} >"$folder/secrets.env"
printf %s "$(random | cut -c1-32)" >"$folder/password"
kubectl -n "$namespace" create secret generic weft-secrets --from-env-file="$folder/secrets.env"
kubectl -n "$namespace" create secret generic weft-first-admin --from-file=password="$folder/password"
echo "The first admin's password (only the first API process on an empty database uses it): $(cat "$folder/password")"
