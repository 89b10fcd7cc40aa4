#version 330
uniform mat3 to_scene;       // camera to scene
uniform vec4 lens;           // half width and half height of the picture at 1 m, and its middle's offset
in vec2 in_corner;
out vec3 way;
void main() {
    way = to_scene * vec3(in_corner * lens.xy + lens.zw, 1.0);
    gl_Position = vec4(in_corner, 1.0, 1.0);
}
