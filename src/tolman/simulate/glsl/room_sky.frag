#version 330
// What is seen where nothing is: brighter towards the horizon, with clouds.
uniform vec3 background;
uniform vec3 horizon;
in vec3 way;
out vec4 colour;

float chance(vec2 p) { return fract(sin(dot(p, vec2(127.1, 311.7))) * 43758.5453); }

float cloud(vec2 p) {
    vec2 i = floor(p), f = fract(p);
    f = f * f * (3.0 - 2.0 * f);
    return mix(mix(chance(i), chance(i + vec2(1, 0)), f.x),
               mix(chance(i + vec2(0, 1)), chance(i + vec2(1, 1)), f.x), f.y);
}

void main() {
    vec3 w = normalize(way);
    float high = max(w.z, 0.0);
    vec3 shade = mix(horizon, background, clamp(pow(high * 1.7, 0.6), 0.0, 1.0));
    vec2 p = w.xy / (high + 0.12) * 1.4;
    float sum = 0.0, share = 0.5;
    for (int i = 0; i < 5; i++) { sum += share * cloud(p); p = p * 2.1 + 7.3; share *= 0.5; }
    shade = mix(shade, vec3(0.96), 0.75 * smoothstep(0.46, 0.78, sum) * smoothstep(0.0, 0.25, high));
    colour = vec4(shade, 1.0);
}
