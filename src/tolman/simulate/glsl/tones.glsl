uniform float exposure;

// ACES filmic curve, as fitted by K. Narkowicz (2015).
vec3 toned(vec3 x) {
    x *= exposure;
    x = clamp(x * (2.51 * x + 0.03) / (x * (2.43 * x + 0.59) + 0.14), 0.0, 1.0);
    x = pow(x, vec3(1.0 / 2.2));
    // The curve makes colours fuller than cameras do.
    return mix(vec3(dot(x, vec3(0.3, 0.59, 0.11))), x, 0.8);
}
