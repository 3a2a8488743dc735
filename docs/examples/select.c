#include <scantune/scantune.h>

#include <stdint.h>
#include <stdio.h>

/* Keeps the readings above a threshold, and where they were: items and their indices, which C++ has no function for. */
enum { kReadings = 5000 };

int main(void) {
  static float readings[kReadings], kept[kReadings];
  static uint32_t indices[kReadings];
  for (int i = 0; i < kReadings; ++i) readings[i] = (float)(i * 7919 % 1009);
  const float threshold = 500;

  scantune_select_request request = SCANTUNE_SELECT_REQUEST_INIT;
  request.head.n = kReadings;
  request.input_type = SCANTUNE_F32;
  request.criterion = SCANTUNE_GREATER;
  request.constant = &threshold;
  request.selected = SCANTUNE_SELECTED_ITEMS_AND_INDICES;
  request.index_type = SCANTUNE_U32;

  /* Memory of the device: the readings, what is kept of them, the indices, and how many there are. */
  const uint64_t bytes[] = {sizeof readings, sizeof kept, sizeof indices, sizeof(uint64_t)};
  const scantune_role roles[] = {SCANTUNE_INPUT, SCANTUNE_OUTPUT, SCANTUNE_INDICES, SCANTUNE_COUNT};
  scantune_buffer* buffers[4] = {NULL};
  scantune_arrays arrays = SCANTUNE_ARRAYS_INIT;
  scantune_status status = SCANTUNE_OK;
  for (int i = 0; i < 4 && status == SCANTUNE_OK; ++i) {
    status = scantune_buffer_create(bytes[i], SCANTUNE_CURRENT_GPU, &buffers[i]);
    arrays.of[roles[i]] = scantune_buffer_data(buffers[i]);
  }

  uint64_t count = 0;
  if (status != SCANTUNE_OK || scantune_buffer_upload(buffers[0], readings, sizeof readings) != SCANTUNE_OK ||
      scantune_run(&request.head, &arrays, NULL) != SCANTUNE_OK ||
      scantune_buffer_download(buffers[3], &count, sizeof count) != SCANTUNE_OK ||
      scantune_buffer_download(buffers[1], kept, count * sizeof *kept) != SCANTUNE_OK ||
      scantune_buffer_download(buffers[2], indices, count * sizeof *indices) != SCANTUNE_OK) {
    fprintf(stderr, "%s\n", scantune_error_message());
    return 1;
  }
  for (int i = 0; i < 4; ++i) scantune_buffer_destroy(buffers[i]);

  uint64_t found = 0;
  for (uint32_t i = 0; i < kReadings; ++i)
    if (readings[i] > threshold) {
      if (found == count || kept[found] != readings[i] || indices[found] != i) return 1;
      ++found;
    }
  printf("%llu of %d readings are above %g\n", (unsigned long long)count, kReadings, (double)threshold);
  return found != count;
}
