// The picture, with depth 1 at edges, which are drawn again, and 0 elsewhere.
uniform sampler2D picture;    // one sample for each pixel; alpha 0 where more are needed
uniform sampler2D keys;       // of `SAMPLES` × `SAMPLES` places in each pixel
uniform vec2 least;           // difference in brightness that is an edge: in all, and as a share of the brightest
out vec4 colour;

const float ALIKE = 0.06;

float bright(vec3 c) { return dot(c, vec3(0.3, 0.59, 0.11)); }

float beside(ivec2 at) {
    return bright(texelFetch(picture, clamp(at, ivec2(0), textureSize(picture, 0) - 1), 0).rgb);
}

void main() {
    ivec2 at = ivec2(gl_FragCoord.xy);
    vec4 here = texelFetch(picture, at, 0);
    float m = bright(here.rgb), nw = beside(at + ivec2(-1, -1)), ne = beside(at + ivec2(1, -1));
    float sw = beside(at + ivec2(-1, 1)), se = beside(at + ivec2(1, 1));
    float low = min(m, min(min(nw, ne), min(sw, se))), high = max(m, max(max(nw, ne), max(sw, se)));
    bool edge = high - low >= max(least.x, high * least.y) || here.a < 0.5;
    if (SAMPLES > 1) {
        vec4 first = texelFetch(keys, at * SAMPLES, 0), away = vec4(0.0);
        for (int i = 1; i < SAMPLES * SAMPLES; i++)
            away = max(away, abs(texelFetch(keys, at * SAMPLES + ivec2(i % SAMPLES, i / SAMPLES), 0) - first));
        edge = edge || any(greaterThan(away, vec4(ALIKE)));
    }
    colour = vec4(here.rgb, edge ? 1.0 : 0.0);
    gl_FragDepth = edge ? 1.0 : 0.0;
}
