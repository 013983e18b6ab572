# The image of a gateway, for amd64 and arm64:
#   docker buildx build --platform linux/amd64,linux/arm64 -f deploy/gateway.Dockerfile -t elnav-gateway --push .
#   docker run -d --network host -v elnav-gateway:/var/lib/elnav-gateway -e ELNAV_GATEWAY_URL=… -e ELNAV_GATEWAY_CODE=… elnav-gateway
# On the network of its host: in one of its own it would see no device, and no address of a private network but Docker's.
FROM node:24-bookworm-slim

WORKDIR /app
COPY package.json package-lock.json ./
# The runtime comes from package-lock.json, for the platform of the image.
RUN npm ci --omit=dev && npm cache clean --force
COPY src/core src/core
COPY src/gateway/wire src/gateway/wire
COPY src/gateway src/gateway
COPY src/bin/gateway.ts src/bin/exit.ts src/bin/version.ts src/bin/

RUN mkdir -p /var/lib/elnav-gateway && chown node:node /var/lib/elnav-gateway
VOLUME /var/lib/elnav-gateway
USER node
ENV ELNAV_GATEWAY_DATA_DIR=/var/lib/elnav-gateway

STOPSIGNAL SIGTERM
CMD ["node_modules/.bin/node", "src/bin/gateway.ts"]
