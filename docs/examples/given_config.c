#include <scantune/scantune.h>

#include <stdio.h>
#include <string.h>

/* Runs a config that the program names, in place of the one that the library would choose, and shows what ran. */
int main(void) {
  static int ones[5000], sums[5000];
  for (int i = 0; i < 5000; ++i) ones[i] = 1;

  scantune_scan_request request = SCANTUNE_SCAN_REQUEST_INIT;
  request.head.n = 5000;
  request.input_type = request.output_type = SCANTUNE_I32;
  request.head.config = "{\"family\": \"lookback\", \"parameters\": {\"block_threads\": 128, \"items_per_thread\": 8}}";

  scantune_plan* plan = NULL;
  scantune_buffer *in = NULL, *out = NULL;
  scantune_arrays arrays = SCANTUNE_ARRAYS_INIT;
  if (scantune_plan_create(&request.head, &plan) != SCANTUNE_OK ||
      scantune_buffer_create(sizeof ones, SCANTUNE_CURRENT_GPU, &in) != SCANTUNE_OK ||
      scantune_buffer_create(sizeof sums, SCANTUNE_CURRENT_GPU, &out) != SCANTUNE_OK ||
      scantune_buffer_upload(in, ones, sizeof ones) != SCANTUNE_OK) {
    fprintf(stderr, "%s\n", scantune_error_message());
    return 1;
  }
  arrays.of[SCANTUNE_INPUT] = scantune_buffer_data(in);
  arrays.of[SCANTUNE_OUTPUT] = scantune_buffer_data(out);
  if (scantune_plan_run(plan, &arrays, NULL, NULL) != SCANTUNE_OK ||
      scantune_buffer_download(out, sums, sizeof sums) != SCANTUNE_OK) {
    fprintf(stderr, "%s\n", scantune_error_message());
    return 1;
  }
  const char* shown = scantune_plan_description(plan);
  printf("%s", shown);
  const int is_given = strstr(shown, "lookback{block_threads=128, items_per_thread=8, ") && strstr(shown, "given");
  scantune_plan_destroy(plan);
  scantune_buffer_destroy(in);
  scantune_buffer_destroy(out);

  for (int i = 0; i < 5000; ++i)
    if (sums[i] != i + 1) return 1;

  request.head.config = "{\"family\": \"lookback\", \"parameters\": {\"block_threads\": 100}}";
  if (scantune_plan_create(&request.head, &plan) != SCANTUNE_REQUEST_ERROR) return 1;
  printf("%s\n", scantune_error_message());
  return is_given ? 0 : 1;
}
