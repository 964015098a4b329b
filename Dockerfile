# The program in a container: docs/daemon.md says how to run it.
#   docker build -t morpion .
ARG RUST=1.89
FROM rust:${RUST}-bookworm AS build
WORKDIR /build
COPY . .
RUN cargo build --locked --profile dist

FROM debian:bookworm-slim
# curl asks for the health; the certificates are for NATS servers with encryption.
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates curl \
    && rm -rf /var/lib/apt/lists/* \
    && groupadd --gid 10001 morpion \
    && useradd --uid 10001 --gid morpion --home-dir /var/lib/morpion --no-create-home morpion \
    && install -d -o morpion -g morpion -m 0700 /var/lib/morpion
COPY --from=build /build/target/dist/morpion /usr/local/bin/morpion
COPY packaging/container/daemon.toml /etc/morpion/daemon.toml
COPY packaging/container/start packaging/container/health /usr/local/lib/morpion/
# In numbers, so that it is known not to be root.
USER 10001:10001
WORKDIR /var/lib/morpion
VOLUME /var/lib/morpion
EXPOSE 7878
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s CMD ["/usr/local/lib/morpion/health"]
ENTRYPOINT ["/usr/local/lib/morpion/start"]
CMD ["daemon"]
