# The example service of compose.yaml. Build from the root folder of the repository.
ARG NODE_IMAGE=node:24.19.0-bookworm-slim@sha256:a9f5f7c91a432850b2a8a7797adf5eadb6c733ceed61167806cee7ea7fbc29df

FROM --platform=$BUILDPLATFORM ${NODE_IMAGE} AS build
WORKDIR /source
COPY . .
RUN npm ci --ignore-scripts --loglevel=error \
  && npx tsc -b examples/contracts-express tools \
  && node tools/image-root.mjs contracts /image

FROM ${NODE_IMAGE}
COPY --from=build /image /app
WORKDIR /app
USER 1000:1000
EXPOSE 3101
STOPSIGNAL SIGTERM
ENTRYPOINT ["node", "examples/contracts-express/dist/main.js"]
