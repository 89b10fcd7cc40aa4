"""Shader programs: a depth map from the light, pictures with depth and instances, mirrors, smooth edges.

Those for places outdoors draw sun with soft shadows, sky light, panes that mirror the sky, haze and clouds. There, the
fourth number of a vertex's colour is its material: up to `GLOSS` varnish, up to `GLASS` a pane. Above that it shines by
itself, as in rooms.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

SHADOW_VERTEX = """
#version 330
uniform mat4 light_view;
uniform mat4 model;
in vec3 in_point;
void main() { gl_Position = light_view * model * vec4(in_point, 1.0); }
"""

SHADOW_FRAGMENT = """
#version 330
void main() {}
"""

VERTEX = """
#version 330
uniform mat4 view;        // scene to camera: x right, y down, z ahead
uniform mat4 projection;
uniform mat4 model;
uniform vec4 kept;        // in a mirror: the plane behind which nothing is drawn
in vec3 in_point;
in vec3 in_normal;
in vec2 in_uv;
in vec4 in_tint;
in float in_layer;
out vec3 point;
out vec3 normal;
out vec2 uv;
out vec4 tint;
flat out float layer;
out float ahead;
invariant gl_Position;
void main() {
    vec4 place = model * vec4(in_point, 1.0);
    vec4 seen = view * place;
    point = place.xyz;
    normal = mat3(model) * in_normal;
    uv = in_uv;
    tint = in_tint;
    layer = in_layer;
    ahead = seen.z;
    gl_Position = projection * seen;
    gl_ClipDistance[0] = dot(place, kept);
}
"""

READINGS_FRAGMENT = """
#version 330
// Metres along the view, and the instance.
uniform float instance;
in float ahead;
out vec2 reading;
void main() {
    // A surface seen edge on gives no reading: within a pixel its depth is anything.
    reading = vec2(fwidth(ahead) > 0.5 * ahead ? 0.0 : ahead, instance);
}
"""

MIRROR_FRAGMENT = """
#version 330
// A mirror's glass: what was drawn from behind it, seen through the same pixel, and a little darker.
uniform sampler2D reflected;
out vec4 colour;
void main() {
    vec3 seen = texture(reflected, gl_FragCoord.xy / vec2(textureSize(reflected, 0))).rgb;
    colour = vec4(seen * vec3(0.9, 0.925, 0.915) + vec3(0.012), 1.0);
}
"""

_FRAGMENT = """
uniform vec3 eye;
uniform vec3 toward_light;
uniform vec3 sun;
uniform vec3 sky;
uniform vec3 ground;
uniform mat4 light_view;
uniform sampler2DShadow shadows;
uniform sampler2DArray pictures;
uniform sampler2D contact;
uniform sampler3D light_amount;   // square root of the light at places in a room
uniform sampler3D light_flow;     // and where it comes from
uniform vec3 grid_low;        // the first place of these
uniform vec3 grid_size;       // how many places there are
uniform vec2 grid;            // metres from one to the next; the brightness of 1, 0 where nothing is baked
uniform sampler3D crevices;       // density of surfaces at places
uniform vec3 cell_low;            // the first place of these
uniform vec3 cells;               // how many places there are
uniform float cell;               // metres from one to the next
uniform vec4 contact_place;   // least x and y, and the size, of what `contact` covers; size 0 for none
uniform float texel;
uniform float grain;          // metres that a texel of the shadows covers
in vec3 point;
in vec3 normal;
in vec2 uv;
in vec4 tint;
flat in float layer;
out vec4 colour;

float lit(vec3 n) {
    vec4 seen = light_view * vec4(point + n * (0.015 + 1.5 * grain), 1.0);
    vec3 place = seen.xyz * 0.5 + 0.5;
    mat2 turn = turned() * texel * 5.0;
    float sum = 0.0;
    for (int i = 0; i < COUNT; i++) sum += texture(shadows, vec3(place.xy + turn * TAPS[i], place.z - 0.0015));
    return sum / float(COUNT);
}

#ifdef CREVICES
// How open a surface is to the light around it: near by, and at arm's length.
float openness(vec3 n) {
    vec3 near = (point + n * cell * 2.5 - cell_low) / cell, far = (point + n * cell * 6.0 - cell_low) / cell;
    float close = FULL * textureLod(crevices, (near + 0.5) / cells, 0.0).r;
    float around = FULL * textureLod(crevices, (far + 0.5) / cells, 2.0).r;
    return 1.0 / (1.0 + 0.42 * max(close - 0.22, 0.0) + 0.26 * max(around - 0.1, 0.0));
}
#endif

void main() {
    vec3 n = normalize(normal);
    vec3 to_eye = normalize(eye - point);
    if (dot(n, to_eye) < 0.0) n = -n;
    vec3 base = tint.rgb;
    if (layer >= 0.0) base *= texture(pictures, vec3(uv, layer)).rgb;
    base = pow(base, vec3(2.2));
    float facing = dot(n, toward_light);
    float direct = facing > 0.0 ? facing * lit(n) : 0.0;
    vec3 ambient = mix(ground, sky, n.z * 0.5 + 0.5) * (0.9 + 0.1 * n.x);
    vec3 sheen = vec3(0.0);
    if (grid.y > 0.0) {
        vec3 place = ((point + n * grid.x - grid_low) / grid.x + 0.5) / grid_size;
        vec3 amount = texture(light_amount, place).rgb;
        vec3 flow = texture(light_flow, place).rgb * 2.0 - 1.0;
        float r = clamp(length(flow), 0.001, 1.0);
        float p = 1.0 + 2.0 * r, even = (1.0 - r) / (1.0 + r);
        float share = even + (1.0 - even) * (p + 1.0) * pow(max(0.5 + 0.5 * dot(flow, n) / r, 0.0), p);
        ambient = grid.y * amount * amount * share;
        // Walls beside windows would be white: what is bright is brought nearer to the rest.
        ambient *= 1.25 / (1.0 + 0.5 * dot(ambient, vec3(0.3333)));
#ifdef CREVICES
        ambient *= openness(n);
#endif
        sheen = 0.05 * ambient * r * pow(max(dot(n, normalize(flow / r + to_eye)), 0.0), 24.0);
    }
    if (contact_place.z > 0.0) {
        vec2 place = (point.xy - contact_place.xy) / contact_place.zw;
        float dim = texture(contact, place).r;
        float near = min(exp(-point.z * 6.0), 1.0);
        ambient *= 1.0 - near * (1.0 - dim) * (0.4 + 0.6 * abs(n.z));
        direct *= 1.0 - 0.4 * near * (1.0 - dim);
    }
    vec3 shade = base * (ambient + sun * direct);
    shade += 0.04 * pow(max(dot(n, normalize(toward_light + to_eye)), 0.0), 24.0) * direct;
    shade = mix(shade + sheen, base * 1.6, tint.a);
    vec3 soft = shade * (1.0 + shade * 0.12) / (1.0 + shade * 0.35) * 1.28;
    if (grid.y > 0.0) {
        // Half of a curve with a toe (K. Narkowicz, "ACES Filmic Tone Mapping Curve", 2016): the whole is too dark.
        vec3 toed = shade * 0.95;
        toed = clamp(toed * (2.51 * toed + 0.03) / (toed * (2.43 * toed + 0.59) + 0.14), 0.0, 1.0);
        soft = mix(soft, toed, 0.5);
    }
    colour = vec4(pow(soft, vec3(1.0 / 2.2)), 1.0);
}
"""

_TAPS = (
    (-0.61, -0.37), (0.17, -0.76), (0.71, -0.11), (0.36, 0.62), (-0.29, 0.85), (-0.87, 0.32), (0.05, 0.11),
    (-0.2, -0.12),
)  # fmt: skip
"""Places on a disc, at which the map of shadows is looked into."""


def tap_places(taps: int, samples: int) -> str:
    """Return lines of a program: `COUNT`, `TAPS`, so many places on a disc, and `turned()`, by which a sample turns
    them.

    Args:
        taps: number of places at which a sample looks into a map of shadows; 1 is the middle.
        samples: a pixel has so many across and so many down: each turns the places by another part of a circle, so that
            the edge of a shadow has more shades than one sample gives.
    """
    if taps == 1:
        places: list[tuple[float, float]] = [(0.0, 0.0)]
    elif taps == len(_TAPS):
        places = list(_TAPS)
    else:
        turns = np.arange(taps) * np.pi * (3 - np.sqrt(5))
        radii = np.sqrt((np.arange(taps) + 0.5) / taps)
        places = list(zip((radii * np.cos(turns)).tolist(), (radii * np.sin(turns)).tolist(), strict=True))
    parts = 2 * np.pi * np.arange(samples**2) / samples**2
    ways = list(zip(np.cos(parts).tolist(), np.sin(parts).tolist(), strict=True))
    return f"#define COUNT {taps}\n{_array('TAPS', places)}{_array('WAYS', ways)}" + _TURNED.replace(
        "SIDE", str(samples)
    )


_TURNED = """
mat2 turned() {
    ivec2 own = ivec2(gl_FragCoord.xy) % SIDE;
    vec2 way = WAYS[own.x + SIDE * own.y];
    return mat2(way.x, way.y, -way.y, way.x);
}
"""


def _array(name: str, values: Sequence[tuple[float, float]]) -> str:
    listed = ", ".join(f"vec2({x!r}, {y!r})" for x, y in values)
    return f"const vec2 {name}[{len(values)}] = vec2[]({listed});\n"


def fragment(taps: int, samples: int, *, crevices: float = 0.0) -> str:
    """Return the program of a pixel.

    Args:
        taps, samples: of `tap_places`.
        crevices: the density of surfaces at the brightest texel of `crevices`; 0 to leave it out.
    """
    defined = f"#define CREVICES\n#define FULL {crevices!r}\n" if crevices else ""
    return f"#version 330\n{defined}{tap_places(taps, samples)}{_FRAGMENT}"


SKY_VERTEX = """
#version 330
uniform mat3 to_scene;       // camera to scene
uniform vec4 lens;           // half width and half height of the picture at 1 m, and its middle's offset
in vec2 in_corner;
out vec3 way;
void main() {
    way = to_scene * vec3(in_corner * lens.xy + lens.zw, 1.0);
    gl_Position = vec4(in_corner, 1.0, 1.0);
}
"""

SKY_FRAGMENT = """
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
"""

SCREEN_VERTEX = """
#version 330
in vec2 in_corner;
void main() { gl_Position = vec4(in_corner, 0.0, 1.0); }
"""

FINISH_FRAGMENT = """
#version 330
// The mean of `samples` × `samples` pixels. Jagged edges are smoothed before: blended along an edge where neighbours
// differ in brightness.
uniform sampler2D picture;
uniform int samples;
out vec4 colour;

float bright(vec3 c) { return dot(c, vec3(0.3, 0.59, 0.11)); }

vec3 smoothed(ivec2 at) {
    vec2 size = vec2(textureSize(picture, 0));
    vec2 place = (vec2(at) + 0.5) / size;
    vec3 here = texelFetch(picture, at, 0).rgb;
    float nw = bright(textureOffset(picture, place, ivec2(-1, -1)).rgb);
    float ne = bright(textureOffset(picture, place, ivec2(1, -1)).rgb);
    float sw = bright(textureOffset(picture, place, ivec2(-1, 1)).rgb);
    float se = bright(textureOffset(picture, place, ivec2(1, 1)).rgb);
    float m = bright(here);
    float least = min(m, min(min(nw, ne), min(sw, se)));
    float most = max(m, max(max(nw, ne), max(sw, se)));
    if (most - least < max(0.03, most * 0.1)) return here;
    vec2 way = vec2(-((nw + ne) - (sw + se)), (nw + sw) - (ne + se));
    float small = max((nw + ne + sw + se) * 0.03, 0.008);
    way = clamp(way / (min(abs(way.x), abs(way.y)) + small), -8.0, 8.0) / size;
    vec3 a = 0.5 * (texture(picture, place + way * (1.0 / 3.0 - 0.5)).rgb
                  + texture(picture, place + way * (2.0 / 3.0 - 0.5)).rgb);
    vec3 b = a * 0.5 + 0.25 * (texture(picture, place - way * 0.5).rgb + texture(picture, place + way * 0.5).rgb);
    float mb = bright(b);
    return (mb < least || mb > most) ? a : b;
}

void main() {
    ivec2 first = ivec2(gl_FragCoord.xy) * samples;
    vec3 sum = vec3(0.0);
    for (int y = 0; y < samples; y++)
        for (int x = 0; x < samples; x++) sum += smoothed(first + ivec2(x, y));
    colour = vec4(sum / float(samples * samples), 1.0);
}
"""


GLOSS, GLASS = 0.06, 0.27

_SKY = """
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
"""

_TONES = """
uniform float exposure;

// ACES filmic curve, as fitted by K. Narkowicz (2015).
vec3 toned(vec3 x) {
    x *= exposure;
    x = clamp(x * (2.51 * x + 0.03) / (x * (2.43 * x + 0.59) + 0.14), 0.0, 1.0);
    x = pow(x, vec3(1.0 / 2.2));
    // The curve makes colours fuller than cameras do.
    return mix(vec3(dot(x, vec3(0.3, 0.59, 0.11))), x, 0.8);
}
"""

_OUTDOOR_FRAGMENT = (
    """
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
"""
    + _SKY
    + _TONES
    + """
// Of what is far away and of what moves, every second place is looked at.
const int FEW = (COUNT + 1) / 2;

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
        return sum;
    }
    place = (far_view * vec4(point + n * (0.02 + 1.8 * grain.y), 1.0)).xyz * 0.5 + 0.5;
    if (any(greaterThan(abs(place - 0.5), vec3(0.495)))) return 1.0;
    mat2 turn = turned() * texel * 1.5;
    for (int i = 0; i < FEW; i++)
        sum += texture(far_shadows, vec3(place.xy + turn * TAPS[i * 2], place.z - 0.0006));
    return sum / float(FEW);
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
    colour = vec4(toned(shade), 1.0);
}
"""
)


def outdoor_fragment(taps: int, samples: int) -> str:
    """Return the program of a pixel.

    Args:
        taps: number of places at which a sample looks into the map of near shadows; 1 is the middle.
        samples: a pixel has so many across and so many down.
    """
    return f"#version 330\n{tap_places(taps, samples)}{_OUTDOOR_FRAGMENT}"


OUTDOOR_SKY_FRAGMENT = (
    """
#version 330
// What is seen where nothing is.
in vec3 way;
out vec4 colour;
"""
    + _SKY
    + """
void main() {
    vec3 w = normalize(way);
    colour = vec4(clamp(sky_light(w, 6), 0.0, 1.0), 1.0);
}
"""
)
