// A glazed vase on a chequered floor under a clouded sky: reflection, refraction, noise, a solid of
// revolution. Written after the old benchmark skyvase.pov, which POV-Ray no longer brings along.
#version 3.7;
global_settings { assumed_gamma 1 max_trace_level 8 }

camera { location <0, 5, -16> look_at <0, 3.2, 0> angle 42 }
light_source { <-30, 40, -30> color rgb 1 }
light_source { <25, 20, -20> color rgb 0.4 }

sky_sphere {
  pigment {
    bozo
    turbulence 0.65
    octaves 6
    color_map { [0 rgb <0.9, 0.9, 0.95>] [0.6 rgb <0.4, 0.5, 0.8>] [1 rgb <0.15, 0.25, 0.65>] }
    scale <0.4, 0.12, 0.4>
  }
}

plane {
  y, 0
  pigment { checker color rgb <0.85, 0.8, 0.7> color rgb <0.3, 0.15, 0.1> scale 2 }
  finish { reflection 0.15 }
}

sor { // the vase
  9,
  <1.2, -0.1>, <1.3, 0>, <2.2, 1.4>, <2.5, 2.8>, <1.9, 4.4>, <0.9, 5.4>, <0.8, 5.9>, <1.3, 6.5>,
  <1.5, 6.9>
  open
  pigment {
    bozo
    turbulence 0.8
    color_map { [0 rgb <0.1, 0.2, 0.6>] [0.5 rgb <0.7, 0.8, 0.95>] [1 rgb <0.05, 0.1, 0.4>] }
    scale 0.8
  }
  normal { bumps 0.15 scale 0.3 }
  finish { phong 0.9 phong_size 70 reflection 0.35 }
}

sphere {
  <4.2, 1.4, -1.5>, 1.4
  pigment { color rgbf <0.95, 0.98, 1, 0.9> }
  finish { phong 1 reflection 0.1 }
  interior { ior 1.5 }
}

sphere { <-4, 1.2, -1>, 1.2 pigment { color rgb 0.2 } finish { phong 0.8 reflection 0.7 } }
