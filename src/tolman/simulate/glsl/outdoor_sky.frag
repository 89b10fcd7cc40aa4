#version 330
// What is seen where nothing is.
in vec3 way;
out vec4 colour;

#include "sky.glsl"

void main() {
    vec3 w = normalize(way);
    colour = vec4(clamp(sky_light(w, 6), 0.0, 1.0), 1.0);
}
