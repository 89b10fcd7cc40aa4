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

bool partly = false;          // at the edge of a shadow, where more samples are needed

float lit(vec3 n) {
    vec4 seen = light_view * vec4(point + n * (0.015 + 1.5 * grain), 1.0);
    vec3 place = seen.xyz * 0.5 + 0.5;
    mat2 turn = turned() * texel * 5.0;
    float sum = 0.0;
    for (int i = 0; i < COUNT; i++) sum += texture(shadows, vec3(place.xy + turn * TAPS[i], place.z - 0.0015));
    partly = sum > 0.0 && sum < float(COUNT);
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

// x^24, in fewer steps than `pow` takes.
float glint(float x) {
    float x2 = x * x, x4 = x2 * x2, x8 = x4 * x4;
    return x8 * x8 * x8;
}

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
        sheen = 0.05 * ambient * r * glint(max(dot(n, normalize(flow / r + to_eye)), 0.0));
    }
    if (contact_place.z > 0.0) {
        vec2 place = (point.xy - contact_place.xy) / contact_place.zw;
        float dim = texture(contact, place).r;
        float near = min(exp(-point.z * 6.0), 1.0);
        ambient *= 1.0 - near * (1.0 - dim) * (0.4 + 0.6 * abs(n.z));
        direct *= 1.0 - 0.4 * near * (1.0 - dim);
    }
    vec3 shade = base * (ambient + sun * direct);
    shade += 0.04 * glint(max(dot(n, normalize(toward_light + to_eye)), 0.0)) * direct;
    shade = mix(shade + sheen, base * 1.6, tint.a);
    vec3 soft = shade * (1.0 + shade * 0.12) / (1.0 + shade * 0.35) * 1.28;
    if (grid.y > 0.0) {
        // Half of a curve with a toe (K. Narkowicz, "ACES Filmic Tone Mapping Curve", 2016): the whole is too dark.
        vec3 toed = shade * 0.95;
        toed = clamp(toed * (2.51 * toed + 0.03) / (toed * (2.43 * toed + 0.59) + 0.14), 0.0, 1.0);
        soft = mix(soft, toed, 0.5);
    }
    colour = vec4(pow(soft, vec3(1.0 / 2.2)), partly ? 0.0 : 1.0);
}
