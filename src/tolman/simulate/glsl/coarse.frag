// The picture where it has no edges, before everything else: there, nothing is drawn again.
uniform sampler2D picture;    // alpha 1 at edges
out vec4 colour;
void main() {
    colour = texelFetch(picture, ivec2(gl_FragCoord.xy) / SAMPLES, 0);
    if (colour.a > 0.5) discard;
    gl_FragDepth = 0.0;
}
