# One image for the four processes: the command decides (docs/deploy/image.md).
#   docker build -t weft --build-arg WEFT_COMMIT="$(git rev-parse --short=12 HEAD)" .
#   docker run weft dist/apps/worker/src/main.js

# What the image is built with: Node 24 or later, npm, a shell.
ARG BUILD=node:24-slim
# What it runs on: Node 24 or later and glibc; no shell needed.
ARG BASE=node:24-slim

# Without install scripts: the native packages ship their binaries.
FROM ${BUILD} AS packages
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund

FROM ${BUILD} AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
ARG WEFT_COMMIT=
RUN node tools/image/sbom.mjs > /sbom.json \
 && node node_modules/@nestjs/cli/bin/nest.js build --all \
 && node tools/bundle.mjs \
 && node node_modules/vite/bin/vite.js build --config apps/dashboard/vite.config.ts --logLevel warn \
 && node tools/note-build.mjs \
 && mkdir /data

FROM ${BASE}
ARG WEFT_COMMIT=
ARG WEFT_VERSION=1.1.0
LABEL org.opencontainers.image.title="Weft" \
      org.opencontainers.image.description="Multi-tenant workflow automation: a run once accepted is never lost." \
      org.opencontainers.image.version="${WEFT_VERSION}" \
      org.opencontainers.image.revision="${WEFT_COMMIT}" \
      org.opencontainers.image.licenses="UNLICENSED" \
      org.opencontainers.image.documentation="docs/deploy/image.md"
# The last folder of PATH is where distroless images have their Node. Stack traces name lines of the sources; a smaller young space
# saves 50 MB of each process (docs/performance.md).
ENV NODE_ENV=production \
    NODE_OPTIONS="--import=/app/tools/setup/source-maps.mjs --max-semi-space-size=32" \
    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/nodejs/bin \
    WEFT_DATA_DIR=/var/lib/weft
WORKDIR /app
COPY --from=build --chown=10001:10001 /data /var/lib/weft
COPY --from=build /sbom.json /sbom.json
COPY --from=packages /app/node_modules node_modules
COPY --from=build /app/package.json package.json
COPY --from=build /app/tools/setup tools/setup
COPY --from=build /app/tools/servers tools/servers
COPY --from=build /app/dist dist
USER 10001:10001
EXPOSE 3000
ENTRYPOINT ["node"]
CMD ["dist/apps/api/src/main.js"]
