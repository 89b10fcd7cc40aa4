# Tolman without a root user: docs/installing.md, "In a container". The extra 'worlds' also needs EGL, which isn't here.
FROM python:3.12-slim AS build
ARG EXTRAS=media,analyze,providers
COPY pyproject.toml README.md LICENSE /src/
COPY src /src/src
RUN python -m venv /opt/tolman
RUN /opt/tolman/bin/pip install --no-cache-dir "/src[$EXTRAS]"

FROM python:3.12-slim
COPY --from=build /opt/tolman /opt/tolman
# Any user may be given with --user: caches are in a home for all.
RUN mkdir --mode=1777 /cache && useradd --uid 1000 --home-dir /cache --no-create-home tolman
ENV PATH=/opt/tolman/bin:$PATH HOME=/cache
USER tolman
WORKDIR /work
ENTRYPOINT ["tolman"]
CMD ["--help"]
