# The platform's services. Hasura, Postgres and Redis are other containers: see docker-compose.yml.
FROM node:24-bookworm-slim

WORKDIR /app
COPY . .
# The Postgres that comes with `npm start` is not needed here, nor are tests.
RUN npm ci --omit=dev --omit=optional --ignore-scripts && mkdir /data && chown node:node /data

USER node
ENV DATA_DIR=/data
VOLUME /data
CMD ["node", "platform/bin/start.ts"]
