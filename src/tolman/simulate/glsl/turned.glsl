mat2 turned() {
    ivec2 own = ivec2(gl_FragCoord.xy) % SIDE;
    vec2 way = WAYS[own.x + SIDE * own.y];
    return mat2(way.x, way.y, -way.y, way.x);
}
