uniform vec3 toward_light;
uniform vec3 background;
uniform vec3 horizon;
uniform vec3 sun;
uniform vec4 clouds;          // share that is covered, drift in x and y, sharpness of shadows

float chance(vec2 p) {
    vec3 q = fract(vec3(p.xyx) * 0.1031);
    q += dot(q, q.yzx + 33.33);
    return fract((q.x + q.y) * q.z);
}

float noise(vec2 p) {
    vec2 i = floor(p), f = fract(p);
    f = f * f * (3.0 - 2.0 * f);
    return mix(mix(chance(i), chance(i + vec2(1, 0)), f.x),
               mix(chance(i + vec2(0, 1)), chance(i + vec2(1, 1)), f.x), f.y);
}

float billows(vec2 p, int octaves) {
    float sum = 0.0, share = 0.5;
    for (int i = 0; i < octaves; i++) {
        sum += share * noise(p);
        p = mat2(1.6, 1.2, -1.2, 1.6) * p + 7.3;
        share *= 0.5;
    }
    return sum;
}

// Light from a direction above the horizon.
vec3 sky_light(vec3 w, int octaves) {
    float high = max(w.z, 0.0);
    vec3 shade = mix(horizon, background, clamp(pow(high * 1.35, 0.75), 0.0, 1.0));
    float near_sun = max(dot(w, toward_light), 0.0);
    shade += sun * (0.05 * pow(near_sun, 6.0) + 0.16 * pow(near_sun, 60.0)) * clouds.w;
    vec2 p = w.xy / (high + 0.16) * 1.15 + clouds.yz;
    float sum = billows(p, octaves);
    float edge = 0.78 - 0.6 * clouds.x;
    float thick = smoothstep(edge, edge + 0.3, sum + (octaves < 5 ? 0.03 : 0.0));
    // The side towards the sun is bright, what is thick is grey below.
    float lit_side = clamp(0.5 + 1.6 * (sum - billows(p + toward_light.xy * 0.16, max(octaves - 2, 2))), 0.0, 1.0);
    vec3 cloud = mix(vec3(0.70, 0.74, 0.80), vec3(1.02, 1.0, 0.97), mix(0.55, lit_side, 0.8));
    cloud = mix(cloud, horizon, 0.55 * (1.0 - smoothstep(0.0, 0.3, high)));
    cloud *= 1.0 - 0.2 * smoothstep(0.3, 1.0, thick) * clouds.x;
    return mix(shade, cloud, thick * (0.35 + 0.6 * smoothstep(0.02, 0.22, high)));
}
