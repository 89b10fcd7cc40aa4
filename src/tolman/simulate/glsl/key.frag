#version 330
// What two places on a surface have in common, and places on different ones don't.
in vec3 normal;
in vec4 tint;
flat in float layer;
out vec4 key;
void main() {
    key = vec4(normalize(normal) * 0.5 + 0.5, fract(dot(tint, vec4(0.9, 1.7, 2.3, 0.6)) + layer * 0.37));
}
