# The platform's services. Hasura, Postgres and Redis are other containers: see docker-compose.yml.
FROM node:24-bookworm-slim

WORKDIR /app
COPY . .
# Optional packages stay: native bindings (Argon2) are optional dependencies, one for each system. Install scripts stay out, so
# the Postgres of `npm start` is not unpacked. /data is the only folder that the platform writes to.
RUN npm ci --omit=dev --ignore-scripts && mkdir /data && chown node:node /data

USER node
ENV DATA_DIR=/data
VOLUME /data
CMD ["node", "platform/bin/start.ts"]
