#include <scantune/scantune.h>

#include <stdint.h>
#include <stdio.h>

/* From how many items of each bucket there are to where each bucket starts: bytes in, an exclusive sum of 64 bits out.
 */
int main(void) {
  static uint8_t counts[4096];
  static int64_t starts[4096];
  for (int i = 0; i < 4096; ++i) counts[i] = (uint8_t)(i % 256);

  scantune_scan_request request = SCANTUNE_SCAN_REQUEST_INIT;
  request.head.n = 4096;
  request.input_type = SCANTUNE_U8;
  request.output_type = SCANTUNE_I64;
  request.kind = SCANTUNE_EXCLUSIVE;

  scantune_buffer *in = NULL, *out = NULL;
  if (scantune_buffer_create(sizeof counts, SCANTUNE_CURRENT_GPU, &in) != SCANTUNE_OK ||
      scantune_buffer_create(sizeof starts, SCANTUNE_CURRENT_GPU, &out) != SCANTUNE_OK ||
      scantune_buffer_upload(in, counts, sizeof counts) != SCANTUNE_OK ||
      scantune_scan(&request, scantune_buffer_data(in), scantune_buffer_data(out), NULL) != SCANTUNE_OK ||
      scantune_buffer_download(out, starts, sizeof starts) != SCANTUNE_OK) {
    fprintf(stderr, "%s\n", scantune_error_message());
    return 1;
  }
  scantune_buffer_destroy(in);
  scantune_buffer_destroy(out);

  int64_t start = 0;
  for (int i = 0; i < 4096; start += counts[i++])
    if (starts[i] != start) return 1;
  printf("the last bucket starts at %lld\n", (long long)starts[4095]);
  return 0;
}
