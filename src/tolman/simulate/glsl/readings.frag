#version 330
// Metres along the view, and the instance.
uniform float instance;
in float ahead;
out vec2 reading;
void main() {
    // A surface seen edge on gives no reading: within a pixel its depth is anything.
    reading = vec2(fwidth(ahead) > 0.5 * ahead ? 0.0 : ahead, instance);
}
