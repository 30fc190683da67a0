# docker build -t herald . makes the image of all services: docker run herald --service gateway. docs/operations.md says what each needs.
# Two more programs have images: --build-arg APP=simulator, --build-arg APP=set-up.
ARG NODE_IMAGE=node:24-bookworm-slim
ARG APP=server

FROM ${NODE_IMAGE} AS manifests
WORKDIR /herald
# The dependencies first: a change of the sources does not fetch them again. The embedded servers are left out, images have their own.
COPY package.json package-lock.json .npmrc ./
COPY apps/gateway/package.json apps/gateway/
COPY apps/audience/package.json apps/audience/
COPY apps/campaigns/package.json apps/campaigns/
COPY apps/dispatcher/package.json apps/dispatcher/
COPY apps/tracker/package.json apps/tracker/
COPY apps/webhooks/package.json apps/webhooks/
COPY apps/simulator/package.json apps/simulator/
COPY apps/server/package.json apps/server/
COPY libs/auth/package.json libs/auth/
COPY libs/contracts/package.json libs/contracts/
COPY libs/embedded/package.json libs/embedded/
COPY libs/http2/package.json libs/http2/
COPY libs/service/package.json libs/service/
COPY libs/testing/package.json libs/testing/
COPY tools/package.json tools/
COPY apps/dashboard/package.json apps/dashboard/
COPY libs/openapi-types/package.json libs/openapi-types/
COPY sdks/web/package.json sdks/web/
COPY sdks/node/package.json sdks/node/
COPY sdks/cli/package.json sdks/cli/
COPY sdks/react-native/package.json sdks/react-native/
COPY sdks/capacitor/package.json sdks/capacitor/
COPY examples/shop/package.json examples/shop/
COPY bench/package.json bench/
COPY e2e/package.json e2e/

# What the gateway serves: dashboard, web SDK and guides. Only they need the development dependencies.
FROM manifests AS pages
RUN --mount=type=cache,target=/root/.npm npm ci --no-audit --no-fund
COPY . .
RUN node tools/src/build-pages.ts \
  && mkdir /pages && cp -r apps/dashboard/dist /pages/dashboard && cp -r sdks/web/dist /pages/sdk \
  && if [ -d dist/guide ]; then cp -r dist/guide /pages/guide; fi

FROM manifests AS build
RUN --mount=type=cache,target=/root/.npm npm ci --omit=dev --no-audit --no-fund
COPY . .
# What the gateway serves is beside its program.
COPY --from=pages /pages /pages
ARG APP
RUN node tools/src/bundle.ts /image/app "$APP" && mv "/image/app/$APP.mjs" /image/app/main.mjs \
  && if [ "$APP" = server ]; then cp -r /pages/. /image/app/; fi \
  # Directories that volumes are mounted to belong to who writes there.
  && if [ "$APP" = set-up ]; then mkdir -p /image/state /image/secrets && \
    for app in gateway audience campaigns dispatcher tracker webhooks server simulator postgres nats migrate; do mkdir -p "/image/secrets/$app"; done; fi

FROM ${NODE_IMAGE}
ARG APP
LABEL org.opencontainers.image.title="herald-${APP}"
# A small heap: V8 sizes it by the machine and let a dispatcher grow to 397 MB where 210 do the same work (tools/src/environment.ts).
ENV NODE_ENV=production HOST=0.0.0.0 OBSERVE_PORT=9464 SECRETS_DIR=/run/secrets NODE_OPTIONS="--max-semi-space-size=16 --max-old-space-size=1024"
WORKDIR /app
COPY --from=build --chown=node:node /image/ /
USER node
EXPOSE 8080 9464
# Every process of services says on its own port whether it lives; the simulator and the set-up have none.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "require('http').get({ port: process.env.OBSERVE_PORT, path: '/readyz' }, (answer) => process.exit(answer.statusCode === 200 ? 0 : 1)).on('error', () => process.exit(1))"]
# node is process 1 and handles SIGTERM itself; what it starts (nothing) needs no reaping.
ENTRYPOINT ["node", "main.mjs"]
