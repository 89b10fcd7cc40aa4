#version 330
uniform mat4 light_view;
uniform mat4 model;
in vec3 in_point;
void main() { gl_Position = light_view * model * vec4(in_point, 1.0); }
