// The mean of `SAMPLES` × `SAMPLES` pixels. Jagged edges are smoothed before: blended along an edge where neighbours
// differ in brightness.
uniform sampler2D picture;
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
    ivec2 first = ivec2(gl_FragCoord.xy) * SAMPLES;
    vec3 sum = vec3(0.0);
    for (int y = 0; y < SAMPLES; y++)
        for (int x = 0; x < SAMPLES; x++) sum += smoothed(first + ivec2(x, y));
    colour = vec4(sum / float(SAMPLES * SAMPLES), 1.0);
}
