"""Reads of packets that nobody has written, told."""

from mcm import Source, check

UNWRITTEN = """OPENCL t
{ pipe int p[4]; int o; queue q = in_order dev 0; }
kernel W (write_only pipe int p) {
  reserve_id_t id = reserve_write_pipe(p, 1);
  if (is_valid_reserve_id(id)) commit_write_pipe(p, id);
}
kernel R (read_only pipe int p, global int* o) { int r = 9; int a = read_pipe(p, &r); *o = r; }
P0@host () { clEnqueueNDRangeKernel(q, W, 1, 1); clEnqueueNDRangeKernel(q, R, 1, 1); clFinish(q); }
exists (true)
"""


def test_calls_that_move_the_ends_of_a_pipe_write_no_packet() -> None:
    """They come before the read, which is not what is wrong."""
    (story,) = check(Source("t.litmus", UNWRITTEN)).explain().stories
    assert [sentence.text for sentence in story.sentences] == ["nothing writes to packet 1 of p"]
