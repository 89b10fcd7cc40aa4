uniform vec3 eye;
uniform vec3 sky;
uniform vec3 ground;
uniform mat4 near_view;       // scene to the map of shadows of what is near, and of all
uniform mat4 far_view;
uniform sampler2DShadow near_shadows;
uniform sampler2DShadow far_shadows;
uniform sampler2DShadow moving_shadows;
uniform sampler2DArray pictures;
uniform sampler2D contact;
uniform vec4 contact_place;   // least x and y, and the size, of what `contact` covers
uniform float texel;
uniform vec3 grain;           // metres that a texel of each map covers; 1 where something moves
uniform float haze;
in vec3 point;
in vec3 normal;
in vec2 uv;
in vec4 tint;
flat in float layer;
in float ahead;
out vec4 colour;

#include "sky.glsl"

#include "tones.glsl"

// Of what is far away and of what moves, every second place is looked at.
const int FEW = (COUNT + 1) / 2;

bool partly = false;          // at the edge of a shadow, where more samples are needed

float lit(vec3 n) {
    vec3 place = (near_view * vec4(point + n * (0.012 + 1.6 * grain.x), 1.0)).xyz * 0.5 + 0.5;
    float sum = 0.0;
    if (all(lessThan(abs(place - 0.5), vec3(0.495)))) {
        mat2 turn = turned() * (0.055 / grain.x * texel);
        for (int i = 0; i < COUNT; i++)
            sum += texture(near_shadows, vec3(place.xy + turn * TAPS[i], place.z - 0.0006));
        sum /= float(COUNT);
        if (grain.z > 0.0 && sum > 0.0) {
            float moving = 0.0;
            for (int i = 0; i < FEW; i++)
                moving += texture(moving_shadows, vec3(place.xy + turn * TAPS[i * 2], place.z - 0.0006));
            sum *= moving / float(FEW);
        }
        partly = sum > 0.0 && sum < 1.0;
        return sum;
    }
    place = (far_view * vec4(point + n * (0.02 + 1.8 * grain.y), 1.0)).xyz * 0.5 + 0.5;
    if (any(greaterThan(abs(place - 0.5), vec3(0.495)))) return 1.0;
    mat2 turn = turned() * texel * 1.5;
    for (int i = 0; i < FEW; i++)
        sum += texture(far_shadows, vec3(place.xy + turn * TAPS[i * 2], place.z - 0.0006));
    sum /= float(FEW);
    partly = sum > 0.0 && sum < 1.0;
    return sum;
}

// What a pane mirrors: the sky, houses and trees below it, the ground.
vec3 mirrored(vec3 w) {
    float skyline = 0.13 + 0.16 * noise(vec2(atan(w.y, w.x) * 7.0, 3.0));
    // Fronts side by side, each in its own tone, with rows of darker windows.
    float around = atan(w.y, w.x) * 7.0, tone = 0.6 + 0.8 * chance(vec2(floor(around), 1.0));
    float panes = smoothstep(0.5, 0.62, fract(around * 3.0)) * smoothstep(0.45, 0.6, fract(w.z * 22.0));
    vec3 built = mix(ground * 1.1, horizon, 0.25) * 0.6 * tone * (1.0 - 0.4 * panes);
    if (w.z < skyline - 0.03) return mix(ground * 0.7, built, smoothstep(-0.05, 0.03, w.z));
    return mix(built, pow(sky_light(w, 3), vec3(2.2)) * 1.25, smoothstep(skyline - 0.03, skyline + 0.03, w.z));
}

void main() {
    vec3 n = normalize(normal);
    vec3 to_eye = normalize(eye - point);
    if (dot(n, to_eye) < 0.0) n = -n;
    vec3 base = tint.rgb;
    if (layer >= 0.0) base *= texture(pictures, vec3(uv, layer)).rgb;
    base = pow(base, vec3(2.2));
    if (layer >= 0.0 && n.z > 0.9) {
        // Worn and damp places, so that a picture that repeats isn't seen to.
        float worn = noise(point.xy * 0.9) * 0.4 + noise(point.xy * 0.23 + 9.0) * 0.6;
        base *= 0.8 + 0.4 * worn;
    }
    float facing = dot(n, toward_light);
    float direct = facing > 0.0 ? facing * lit(n) : 0.0;
    direct *= mix(0.85, 1.0, clouds.w);
    float up = n.z * 0.5 + 0.5;
    vec3 ambient = mix(ground * (0.75 + 0.25 * sun), sky, up);
    // Walls give light back to what faces them, and hide the sky from it.
    ambient *= 0.86 + 0.14 * n.z;
    if (contact_place.z > 0.0) {
        vec2 place = (point.xy - contact_place.xy) / contact_place.zw;
        float dim = texture(contact, place).r;
        float near = min(exp(-point.z * 4.0), 1.0);
        ambient *= 1.0 - near * (1.0 - dim) * (0.5 + 0.5 * abs(n.z));
        direct *= 1.0 - 0.25 * near * (1.0 - dim);
    }
    vec3 shade = base * (ambient + sun * direct);
    float seen = max(dot(n, to_eye), 0.0);
    if (tint.a > 0.02 && tint.a < 0.27) {
        vec3 back = reflect(-to_eye, n);
        float edge = pow(1.0 - seen, 5.0);
        float share = tint.a < 0.07 ? 0.05 + 0.45 * edge : 0.12 + 0.75 * edge;
        float glint = pow(max(dot(back, toward_light), 0.0), tint.a < 0.07 ? 60.0 : 220.0) * direct;
        vec3 through = tint.a < 0.07 ? shade : base * (0.45 * ambient + 0.25 * sun * direct);
        shade = mix(through, mirrored(back), share) + sun * glint * 0.9;
    } else if (tint.a >= 0.27) {
        shade = mix(shade, base * 1.9, tint.a);
    } else {
        shade += 0.035 * sun * pow(max(dot(n, normalize(toward_light + to_eye)), 0.0), 20.0) * direct;
    }
    vec3 air = pow(horizon, vec3(2.2)) * 1.15;
    shade = mix(air, shade, exp(-haze * max(ahead - 6.0, 0.0)));
    colour = vec4(toned(shade), partly ? 0.0 : 1.0);
}
