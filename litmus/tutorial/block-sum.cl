// Each work-group adds up its part of `in`.
kernel void block_sum(global const int *in, global int *out, local int *part) {
  int i = get_local_id(0);
  part[i] = in[get_global_id(0)];
  for (int step = get_local_size(0) / 2; step > 0; step /= 2) {
    if (i < step) {
      part[i] += part[i + step];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (i == 0) {
    out[get_group_id(0)] = part[0];
  }
}
