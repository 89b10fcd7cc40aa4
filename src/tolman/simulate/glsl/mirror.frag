#version 330
// A mirror's glass: what was drawn from behind it, seen through the same pixel, and a little darker. Its pixels need
// all samples, which alpha 0 says.
uniform sampler2D reflected;
out vec4 colour;
void main() {
    vec3 seen = texture(reflected, gl_FragCoord.xy / vec2(textureSize(reflected, 0))).rgb;
    colour = vec4(seen * vec3(0.9, 0.925, 0.915) + vec3(0.012), 0.0);
}
