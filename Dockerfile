# The base brings npm; the runtime that the service runs on comes from package-lock.json, like every other package.
# With Node 22 comes npm 10, which does not link that runtime (docs/decisions/0080-node-24.md).
FROM node:24-bookworm-slim

WORKDIR /app
# A change of the code alone installs nothing again.
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
# The scripts of the pages are built with packages that the service itself does without.
RUN npm run build && npm prune --omit=dev && npm cache clean --force

# Only the embedded database writes here; with DATABASE_URL the volume stays empty.
RUN mkdir -p /var/lib/elnav && chown node:node /var/lib/elnav
VOLUME /var/lib/elnav
USER node

ENV ELNAV_HOST=0.0.0.0 ELNAV_DATA_DIR=/var/lib/elnav
EXPOSE 8080 8081

# Alive is enough: a lost database must not end the container. Whichever of the two services runs may answer.
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["node_modules/.bin/node", "-e", "Promise.any([8080, 8081].map(async (port) => { if (!(await fetch(`http://127.0.0.1:${port}/healthz`)).ok) throw new Error(); })).catch(() => process.exit(1))"]

# The process itself is PID 1, so that SIGTERM reaches it: it finishes what runs, within five seconds.
STOPSIGNAL SIGTERM
CMD ["node_modules/.bin/node", "src/bin/all.ts"]
