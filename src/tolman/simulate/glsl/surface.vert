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
