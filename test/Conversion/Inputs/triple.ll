define float @triple(float %x) {
  %y = fmul float %x, 3.0
  ret float %y
}
